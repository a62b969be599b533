import type { BrainBook } from '@pit/brains'
import { type Address, NATIVE } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { askBalances, readOne } from '@pit/platform/reads'
import { type Session, statusOf } from '@pit/sessions'
import type { Cash } from '../paper/deps.ts'
import type { Paper } from '../paper/index.ts'
import type { PauseReason } from '../types.ts'
import type { TickOptions } from './deps.ts'
import { dayUseOf } from './orders.ts'
import { TRACELESS_MS } from './settle.ts'
import type { ClaimedAgent, Held, OpenOrder } from './types.ts'
import { bookOf } from './view.ts'

/** What an agent stands with when its tick begins. */
export type Prepared = { agent: ClaimedAgent } & (
  | ({ kind: 'ready'; book: BrainBook; held: Held } & (
      | { mode: 'paper'; bookId: number; practice: boolean }
      | { mode: 'live'; session: Session; executorWei: bigint }
    ))
  | { kind: 'hold'; code: string; message: string }
  | { kind: 'pause'; reason: PauseReason; message: string }
)

export type Ready = Extract<Prepared, { kind: 'ready' }>

type Deps = Pick<
  TickOptions,
  | 'db'
  | 'rpc'
  | 'clock'
  | 'profile'
  | 'market'
  | 'paper'
  | 'sessions'
  | 'switches'
  | 'practiceGate'
  | 'logger'
  | 'isSanctioned'
> & { usdg: Cash }

/** Reads what a batch of ticks needs, together where it can be. */
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
    .map((agent) => hold(agent, 'SANCTIONED', 'The owner is on the sanctions list: nothing is served.'))
  const dayUse = await dayUseOf(
    deps.db,
    served.map(({ id }) => id),
    deps.clock.nowMs(),
  )
  const paper = served.filter(({ mode }) => mode === 'paper')
  const live = served.filter(({ mode }) => mode === 'live')
  const prepared = await Promise.all([
    preparePaper(deps, paper, dayUse),
    ...live.map(async (agent) => [
      await prepareLive(deps, agent, { dayUse, pending: mayStillLand(open, agent, deps.clock.nowMs()) }),
    ]),
  ])
  return [...refused, ...prepared.flat()]
}

/** What was signed longer ago can no longer be redeemed, whatever the chain says later. */
const mayStillLand = (open: readonly OpenOrder[], { id }: ClaimedAgent, nowMs: number): boolean =>
  open.some(({ agentId, createdAtMs }) => agentId === id && nowMs - createdAtMs < TRACELESS_MS)

const hold = (agent: ClaimedAgent, code: string, message: string): Prepared => ({
  agent,
  kind: 'hold',
  code,
  message,
})

/** One read for all books. */
async function preparePaper(
  deps: Deps,
  agents: readonly ClaimedAgent[],
  dayUse: ReadonlyMap<string, bigint>,
): Promise<Prepared[]> {
  const gates = await Promise.all(agents.map((agent) => gateOf(deps, agent)))
  const ids = gates.flatMap((gate) => ('bookId' in gate ? [gate.bookId] : []))
  const books: Awaited<ReturnType<Paper['bookNow']>> = await deps.paper.bookNow(ids)
  return agents.map((agent, i): Prepared => {
    const gate = gates[i]!
    if ('code' in gate) return hold(agent, gate.code, gate.message)
    const stored = books.get(gate.bookId)
    if (!stored) return hold(agent, 'TICK_FAILED', 'The agent has no paper book.')
    const atoms = new Map(stored.balances.map((one) => [one.token, one.atoms]))
    const held: Held = new Map(tokensOf(deps, agent).map((token) => [token, atoms.get(token) ?? 0n]))
    const book = bookOf(agent, held, { ...deps, dayUsedMicroUsd: dayUse.get(agent.id) ?? 0n })
    return { agent, kind: 'ready', mode: 'paper', book, held, ...gate }
  })
}

const tokensOf = ({ usdg }: Deps, { tokens }: ClaimedAgent): Address[] => [
  ...new Set([usdg.address, ...tokens.map(({ address }) => address)]),
]

/** Which book the agent trades now: a season's of the practice board, or its own. */
async function gateOf(
  { practiceGate }: Deps,
  agent: ClaimedAgent,
): Promise<{ bookId: number; practice: boolean } | { code: string; message: string }> {
  try {
    const gate = await practiceGate(agent.id)
    if (gate && 'hold' in gate) return { code: gate.hold, message: gate.message }
    if (gate) return { bookId: gate.bookId, practice: true }
  } catch {
    return { code: 'LEAGUE_UNAVAILABLE', message: 'The league could not be asked which book to trade.' }
  }
  if (agent.bookId === null) return { code: 'TICK_FAILED', message: 'The agent has no paper book.' }
  return { bookId: agent.bookId, practice: false }
}

async function prepareLive(
  deps: Deps,
  agent: ClaimedAgent,
  { dayUse, pending }: { dayUse: ReadonlyMap<string, bigint>; pending: boolean },
): Promise<Prepared> {
  const { sessionId, executor } = agent
  if (sessionId === null || executor === null) {
    return hold(agent, 'NO_SESSION', 'No session is attached: grant one to the executor and attach it.')
  }
  const session = await deps.sessions.sessionOf(sessionId)
  const status = session ? statusOf(session, nowS(deps.clock)) : 'revoked'
  if (!session || status === 'revoked' || status === 'expired') {
    const message = status === 'expired' ? 'The session has ended.' : 'The session was revoked.'
    return {
      agent,
      kind: 'pause',
      reason: { code: 'SESSION_ENDED', session_id: sessionId, why: status },
      message,
    }
  }
  if (status !== 'active') return hold(agent, 'SESSION_PENDING', 'The session is not switched on.')
  if (session.executor !== executor) {
    return hold(agent, 'NO_SESSION', 'The session is not for this agent’s executor: attach a new one.')
  }
  if (pending) {
    return hold(agent, 'TRADE_PENDING', 'An earlier trade has no receipt yet: the agent waits for it.')
  }
  try {
    const tokens = tokensOf(deps, agent)
    const { held, executorWei } = await readHoldings(deps, { wallet: agent.wallet, executor, tokens })
    const book = bookOf(agent, held, { ...deps, dayUsedMicroUsd: dayUse.get(agent.id) ?? 0n })
    return { agent, kind: 'ready', mode: 'live', book, held, session, executorWei }
  } catch (error) {
    deps.logger.warn({ err: error, agent: agent.id }, 'the balances of a live agent could not be read')
    return hold(agent, 'RPC_UNAVAILABLE', 'The chain did not answer: what the wallet holds is not known.')
  }
}

const TIMEOUT_MS = 4_000

/**
 * What a wallet holds of these tokens and what an executor has for gas, in one call and so of one block. A
 * token that cannot be read is null. Throws when the chain does not answer.
 */
async function readHoldings(
  { rpc, profile }: Pick<TickOptions, 'rpc' | 'profile'>,
  { wallet, executor, tokens }: { wallet: Address; executor: Address; tokens: readonly Address[] },
): Promise<{ held: Held; executorWei: bigint }> {
  const holdings = [{ wallet: executor, token: NATIVE }, ...tokens.map((token) => ({ wallet, token }))]
  const question = askBalances(profile.contracts.multicall3 as Address, holdings)
  const [executorWei, ...balances] = await readOne(rpc, question, { timeoutMs: TIMEOUT_MS })
  return {
    held: new Map(tokens.map((token, i) => [token, balances[i] ?? null])),
    executorWei: executorWei ?? 0n,
  }
}
