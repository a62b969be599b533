import { writeLogs } from '../logs.ts'
import type { Decided } from './decideTick.ts'
import type { RunDeps } from './deps.ts'
import { type BegunOrder, holdOrder } from './holdOrder.ts'
import { releaseAgents } from './leases.ts'
import type { Ready } from './prepare.ts'
import type { Recorded, TickRecord } from './record.ts'
import { isLanded } from './relayOrder.ts'
import { tradeLive } from './tradeLive.ts'
import { tradePaper } from './tradePaper.ts'
import type { ClaimedAgent } from './types.ts'

/** Carries out what a tick begins, one order after another. */
export async function carryOut(
  deps: RunDeps,
  { prepared, record, judged }: Decided,
  recorded: Recorded,
): Promise<void> {
  if (!recorded.kept) return
  const { agent, tick } = record
  const ready = prepared as Ready
  if (!recorded.stands) await logChanged(deps, record)
  let landed = true
  let last: number | null = null
  for (const { n, order, trade: sized } of judged) {
    const id = recorded.orders.get(n)
    if (id === undefined || !sized) continue
    const begun: BegunOrder = { id, n, pair: order.pair, side: order.side, ...sized, reason: order.reason }
    const request = { agent, tick, order: begun }
    // Another one in the same tick would stand on balances that are not there yet.
    landed &&= last === null || (await isLanded(deps, last))
    if (!landed) {
      await holdOrder(deps, request, {
        code: 'TRADE_PENDING',
        message: 'The trade before it has not landed.',
      })
      continue
    }
    const outcome =
      ready.mode === 'paper'
        ? await paperOrder(deps, request, ready)
        : await tradeLive(deps, { ...request, session: ready.session, executorWei: ready.executorWei })
    if (typeof outcome === 'object') deps.counted.held(outcome.held)
    deps.counted.order(ready.mode, typeof outcome === 'object' ? 'held' : outcome)
    if (ready.mode === 'live' && outcome === 'relayed') last = id
    if (ready.mode === 'live' && outcome === 'failed') landed = false
  }
  await releaseAgents(deps.db, agent.claim, [agent.id], deps.clock.nowMs())
}

async function paperOrder(
  deps: RunDeps,
  request: { agent: ClaimedAgent; tick: number; order: BegunOrder },
  { bookId }: Extract<Ready, { mode: 'paper' }>,
) {
  const { tokenIn, tokenOut } = request.order
  const hold = await deps.findTokenHold(request.agent, [tokenIn, tokenOut], null)
  return hold ? holdOrder(deps, request, hold) : tradePaper(deps, { ...request, bookId })
}

/** Decided on what the agent was; it is something else now. */
const logChanged = ({ db, clock }: RunDeps, { agent, tick }: TickRecord): Promise<void> =>
  writeLogs(db, {
    agentId: agent.id,
    tick,
    atMs: clock.nowMs(),
    kind: 'hold',
    code: 'CHANGED',
    message: 'The agent was changed, paused or stopped while it decided: nothing of it is traded.',
  })
