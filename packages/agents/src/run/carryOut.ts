import { writeLogs } from '../logs.ts'
import { practiceHold } from './checks.ts'
import { storeStates } from './decideSigned.ts'
import type { Decided } from './decideTick.ts'
import type { RunDeps } from './deps.ts'
import { holdOrder, type IntendedOrder } from './holdOrder.ts'
import { releaseAgents } from './leases.ts'
import type { Ready } from './prepare.ts'
import type { Recorded, TickRecord } from './record.ts'
import { isLanded } from './relayOrder.ts'
import { tradeLive } from './tradeLive.ts'
import { tradePaper } from './tradePaper.ts'
import type { ClaimedAgent } from './types.ts'

/** Executes a tick's orders one after another. */
export async function carryOut(
  deps: RunDeps,
  { prepared, record, judged }: Decided,
  recorded: Recorded,
): Promise<void> {
  if (!recorded.isStored) return
  const { agent, tick } = record
  const ready = prepared as Ready
  if (!recorded.stands) await logChanged(deps, record)
  let landed = true
  let last: number | null = null
  for (const { n, order, trade: sized } of judged) {
    const id = recorded.orders.get(n)
    if (id === undefined || !sized) continue
    const intended: IntendedOrder = {
      id,
      n,
      pair: order.pair,
      side: order.side,
      ...sized,
      signed: sized.signed ?? null,
      reason: order.reason,
    }
    const request = { agent, tick, order: intended }
    // A further order in the same tick would rely on balances that have not arrived yet.
    landed &&= last === null || (await isLanded(deps, last))
    if (!landed) {
      await holdOrder(deps, request, {
        code: 'TRADE_PENDING',
        message: 'The previous trade of this decision has not been mined.',
      })
      continue
    }
    const outcome =
      ready.mode === 'paper'
        ? await paperOrder(deps, request, ready)
        : await tradeLive(deps, { ...request, session: ready.session, executorWei: ready.executorWei })
    if (typeof outcome === 'object') deps.tickMetrics.held(outcome.held)
    deps.tickMetrics.order(ready.mode, typeof outcome === 'object' ? 'held' : outcome)
    if (ready.mode === 'live' && outcome === 'relayed') last = id
    if (ready.mode === 'live' && outcome === 'failed') landed = false
  }
  if (record.signed) await storeStates(deps, ready, tick)
  await releaseAgents(deps.db, agent.claim, [agent.id], deps.clock.nowMs())
}

async function paperOrder(
  deps: RunDeps,
  request: { agent: ClaimedAgent; tick: number; order: IntendedOrder },
  { bookId, practice }: Extract<Ready, { mode: 'paper' }>,
) {
  const { tokenIn, tokenOut, signed } = request.order
  const pairHold = practice && signed ? practiceHold(endsIn(request.order), deps.usdg.address) : null
  const hold = pairHold ?? (await deps.findTokenHold(request.agent, [tokenIn, tokenOut], null))
  return hold ? holdOrder(deps, request, hold) : tradePaper(deps, { ...request, bookId })
}

const endsIn = ({ side, tokenIn, tokenOut }: IntendedOrder) =>
  side === 'buy' ? { base: tokenOut, quote: tokenIn } : { base: tokenIn, quote: tokenOut }

/** The agent changed after the decision was made. */
const logChanged = ({ db, clock }: RunDeps, { agent, tick }: TickRecord): Promise<void> =>
  writeLogs(db, {
    agentId: agent.id,
    tick,
    atMs: clock.nowMs(),
    kind: 'hold',
    code: 'CHANGED',
    message: 'The agent was changed, paused or stopped during its decision, so nothing was traded.',
  })
