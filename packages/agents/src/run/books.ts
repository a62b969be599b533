import type { BrainBook } from '@pit/brains'
import { type Address, NATIVE } from '@pit/chain'
import { askBalances, readOne } from '@pit/platform/reads'
import type { Cash } from '../paper/deps.ts'
import type { HostedAgent } from '../types.ts'
import type { TickOptions } from './deps.ts'
import type { Held } from './types.ts'
import { bookOf } from './view.ts'

export type BookDeps = Pick<TickOptions, 'rpc' | 'profile' | 'market' | 'paper' | 'practiceGate'> & {
  usdg: Cash
}

/** Micro-dollars used of an agent's limit per 24 hours, by agent. */
export type DayUse = ReadonlyMap<string, bigint>

interface Standing {
  book: BrainBook
  held: Held
}
type PaperStanding = Standing & { bookId: number; practice: boolean }
type BookHold = { code: string; message: string }

/** The book each paper agent trades now, or why it has none; one read for all. */
export async function readPaperBooks(
  deps: BookDeps,
  agents: readonly HostedAgent[],
  dayUse: DayUse,
): Promise<(PaperStanding | BookHold)[]> {
  const gates = await Promise.all(agents.map((agent) => gateOf(deps, agent)))
  const ids = gates.flatMap((gate) => ('bookId' in gate ? [gate.bookId] : []))
  const books = await deps.paper.bookNow(ids)
  return agents.map((agent, i) => {
    const gate = gates[i]!
    if ('code' in gate) return gate
    const stored = books.get(gate.bookId)
    if (!stored) return NO_BOOK
    const atoms = new Map(stored.balances.map((one) => [one.token, one.atoms]))
    const held: Held = new Map(tokensOf(deps, agent).map((token) => [token, atoms.get(token) ?? 0n]))
    return { ...gate, held, book: bookWith(deps, agent, held, dayUse) }
  })
}

const NO_BOOK: BookHold = { code: 'TICK_FAILED', message: 'The agent has no paper book.' }

const bookWith = (deps: BookDeps, agent: HostedAgent, held: Held, dayUse: DayUse): BrainBook =>
  bookOf(agent, held, { ...deps, dayUsedMicroUsd: dayUse.get(agent.id) ?? 0n })

const tokensOf = ({ usdg }: BookDeps, { tokens }: HostedAgent): Address[] => [
  ...new Set([usdg.address, ...tokens.map(({ address }) => address)]),
]

/** Which book the agent trades now: the season's book on the practice board, or its own. */
async function gateOf(
  { practiceGate }: BookDeps,
  agent: HostedAgent,
): Promise<{ bookId: number; practice: boolean } | BookHold> {
  try {
    const gate = await practiceGate(agent.id)
    if (gate && 'hold' in gate) return { code: gate.hold, message: gate.message }
    if (gate) return { bookId: gate.bookId, practice: true }
  } catch {
    return { code: 'LEAGUE_UNAVAILABLE', message: 'Failed to read from the league which book to trade.' }
  }
  return agent.bookId === null ? NO_BOOK : { bookId: agent.bookId, practice: false }
}

/**
 * The wallet's balances and the executor's ETH of a live agent, in one call and so at one block. Null for an
 * unreadable token. Throws if the chain does not answer.
 */
export async function readLiveBook(
  deps: BookDeps,
  agent: HostedAgent,
  { executor, dayUse, timeoutMs }: { executor: Address; dayUse: DayUse; timeoutMs: number },
): Promise<Standing & { executorWei: bigint }> {
  const tokens = tokensOf(deps, agent)
  const holdings = [
    { wallet: executor, token: NATIVE },
    ...tokens.map((token) => ({ wallet: agent.wallet, token })),
  ]
  const question = askBalances(deps.profile.contracts.multicall3 as Address, holdings)
  const [executorWei, ...balances] = await readOne(deps.rpc, question, { timeoutMs })
  const held: Held = new Map(tokens.map((token, i) => [token, balances[i] ?? null]))
  return { held, book: bookWith(deps, agent, held, dayUse), executorWei: executorWei ?? 0n }
}
