import type { BrainBook } from '@pit/brains'
import { nowS } from '@pit/platform/clock'
import { maxOf } from '@pit/protocol'
import { type Session, statusOf } from '@pit/sessions'
import type { PauseReason } from '../types.ts'
import { type BookDeps, type DayUse, readLiveBook, readPaperBooks } from './books.ts'
import type { TickOptions } from './deps.ts'
import { dayUseOf } from './orders.ts'
import { TRACELESS_MS } from './settle.ts'
import type { ClaimedAgent, Held, OpenOrder } from './types.ts'

const TIMEOUT_MS = 4_000

/** An agent's state at the start of a tick. */
export type Prepared = { agent: ClaimedAgent } & (
  | ({ kind: 'ready'; book: BrainBook; held: Held } & (
      | { mode: 'paper'; bookId: number; practice: boolean }
      | {
          mode: 'live'
          session: Session
          executorWei: bigint
          /** The oldest trade in flight; only of an agent with signed orders. */
          pending: OpenOrder | null
        }
    ))
  | { kind: 'hold'; code: string; message: string }
  | { kind: 'pause'; reason: PauseReason; message: string }
)

export type Ready = Extract<Prepared, { kind: 'ready' }>

type Deps = BookDeps & Pick<TickOptions, 'db' | 'clock' | 'sessions' | 'switches' | 'logger' | 'isSanctioned'>

/** Reads the data for a batch of ticks, in shared reads where possible. */
export async function prepareTicks(
  deps: Deps,
  agents: readonly ClaimedAgent[],
  open: readonly OpenOrder[],
): Promise<Prepared[]> {
  if (await deps.switches.killed()) {
    return agents.map((agent) => hold(agent, 'KILLED', 'The operator has stopped all hosted agents.'))
  }
  const served = agents.filter(({ wallet }) => !deps.isSanctioned(wallet))
  const refused = agents
    .filter((agent) => !served.includes(agent))
    .map((agent) => hold(agent, 'SANCTIONED', 'The owner is on the sanctions list.'))
  const dayUse = await dayUseOf(
    deps.db,
    served.map(({ id }) => id),
    deps.clock.nowMs(),
  )
  const paper = served.filter(({ mode }) => mode === 'paper')
  const live = served.filter(({ mode }) => mode === 'live')
  const used = await deps.sessions.usedOf(live.flatMap(({ sessionId }) => sessionId ?? []))
  const prepared = await Promise.all([
    preparePaper(deps, paper, dayUse),
    ...live.map(async (agent) => [
      await prepareLive(deps, agent, {
        ownMicroUsd: dayUse.get(agent.id) ?? 0n,
        sessionMicroUsd: used.get(agent.sessionId ?? '')?.dayMicroUsd ?? 0n,
        pending: oldestPending(open, agent, deps.clock.nowMs()),
      }),
    ]),
  ])
  return [...refused, ...prepared.flat()]
}

/** Trades signed longer ago can no longer be redeemed. */
const oldestPending = (open: readonly OpenOrder[], { id }: ClaimedAgent, nowMs: number): OpenOrder | null =>
  open
    .filter(({ agentId, createdAtMs }) => agentId === id && nowMs - createdAtMs < TRACELESS_MS)
    .reduce<OpenOrder | null>(
      (oldest, one) => (oldest !== null && oldest.createdAtMs <= one.createdAtMs ? oldest : one),
      null,
    )

const hold = (agent: ClaimedAgent, code: string, message: string): Prepared => ({
  agent,
  kind: 'hold',
  code,
  message,
})

async function preparePaper(
  deps: Deps,
  agents: readonly ClaimedAgent[],
  dayUse: DayUse,
): Promise<Prepared[]> {
  const books = await readPaperBooks(deps, agents, dayUse)
  return agents.map((agent, i): Prepared => {
    const book = books[i]!
    if ('code' in book) return hold(agent, book.code, book.message)
    return { agent, kind: 'ready', mode: 'paper', ...book }
  })
}

async function prepareLive(
  deps: Deps,
  agent: ClaimedAgent,
  {
    ownMicroUsd,
    sessionMicroUsd,
    pending,
  }: { ownMicroUsd: bigint; sessionMicroUsd: bigint; pending: OpenOrder | null },
): Promise<Prepared> {
  const { sessionId, executor } = agent
  if (sessionId === null || executor === null) {
    return hold(agent, 'NO_SESSION', 'No session is attached. Grant one to the executor and attach it.')
  }
  const session = await deps.sessions.sessionOf(sessionId)
  const status = session ? statusOf(session, nowS(deps.clock)) : 'revoked'
  if (!session || status === 'revoked' || status === 'expired') {
    const message = status === 'expired' ? 'The session has expired.' : 'The session was revoked.'
    return {
      agent,
      kind: 'pause',
      reason: { code: 'SESSION_ENDED', session_id: sessionId, why: status },
      message,
    }
  }
  if (status !== 'active') return hold(agent, 'SESSION_PENDING', 'The session is not active yet.')
  if (session.executor !== executor) {
    return hold(agent, 'NO_SESSION', 'The session belongs to another executor. Attach a new one.')
  }
  // Signed orders expire and are triggered meanwhile.
  if (pending && agent.brain !== 'orders') {
    return hold(agent, 'TRADE_PENDING', 'Waiting for the receipt of an earlier trade.')
  }
  try {
    // By its own orders, or by its session as the co-signer counts it: whichever leaves less.
    const left = BigInt(session.binding.limits.max_day_micro_usd) - sessionMicroUsd
    const dayUse = new Map([[agent.id, maxOf(ownMicroUsd, agent.limits.maxDayMicroUsd - left)]])
    const book = await readLiveBook(deps, agent, { executor, dayUse, timeoutMs: TIMEOUT_MS })
    return { agent, kind: 'ready', mode: 'live', session, pending, ...book }
  } catch (error) {
    deps.logger.warn({ err: error, agent: agent.id }, 'failed to read the balances of a live agent')
    return hold(agent, 'RPC_UNAVAILABLE', 'The chain did not answer, so the wallet’s balances are unknown.')
  }
}
