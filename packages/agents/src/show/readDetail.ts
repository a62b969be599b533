import type { Address } from '@pit/chain'
import type { Point } from '@pit/history'
import { nowS, withinMs } from '@pit/platform/clock'
import { type HistoryRange, lower } from '@pit/protocol'
import { type AgentSession, readSessions } from '@pit/sessions'
import type { AgentRequest, HostedDeps, NextHold } from '../deps.ts'
import { lastRefund, type Refund } from '../gas/refundStore.ts'
import { whyLiveOff } from '../life/live.ts'
import type { BookNow } from '../paper/index.ts'
import { readFall } from '../paper/store.ts'
import { summariseOrders } from '../signed/listOrders.ts'
import { readStock, type StockAttestation, type WhyNot, whyNotValid } from '../stock/stockStore.ts'
import { findOwned, listAgents, type StoredAgent } from '../store.ts'
import { readEquity } from './equity.ts'
import { type LiveSums, readLiveSums } from './liveTrades.ts'
import { type Fall, type LiveStats, livePnl, liveStats, type Marked, type Pnl, paperPnl } from './results.ts'
import { type Hold, holdsOf, isTrading, type Switched } from './standing.ts'

/** An agent, and whether it trades. */
export interface StandingAgent {
  agent: StoredAgent
  session: AgentSession | null
  holds: readonly Hold[]
  trading: boolean
  nowS: number
}

/** Adds its results. */
export interface ShownAgent extends StandingAgent {
  pnl: Pnl | null
  liveStats: LiveStats | null
}

export interface AgentDetail extends ShownAgent {
  /** In addition to `holds`, which stop the whole tick. Null if stopped or unreadable. */
  nextHolds: readonly NextHold[] | null
  /** Equity in micro-dollars; only if it was requested. */
  history?: Point[]
  /** Null for an agent without signed orders. */
  orders: { open: number; wanted: number } | null
  /** Live agents only. */
  live: {
    stock: (StockAttestation & { whyNot: WhyNot | null }) | null
    stockNotBeforeS: number | null
    lastRefund: Refund | null
  } | null
}

/** The wallet's agents, newest first. */
export async function listOwned(deps: HostedDeps, wallet: Address): Promise<ShownAgent[]> {
  return show(deps, await listAgents(deps.db, wallet))
}

/** Agents as shown beside the wallet's sessions. */
export async function listStanding(deps: HostedDeps, wallet: Address): Promise<StandingAgent[]> {
  const agents = await listAgents(deps.db, wallet)
  const standing = await readStanding(deps, agents)
  return agents.map(standing)
}

export async function getAgent(
  deps: HostedDeps,
  { range, ...request }: AgentRequest & { range: HistoryRange },
): Promise<AgentDetail> {
  const agent = await findOwned(deps.db, request)
  const [detail, history] = await Promise.all([
    readDetail(deps, agent),
    readEquity(deps.history, agent, range),
  ])
  return { ...detail, history }
}

export async function readDetail(deps: HostedDeps, agent: StoredAgent): Promise<AgentDetail> {
  const { db } = deps
  const fall = agent.bookId === null ? null : readFall(db, agent.bookId)
  const [[shown], nextHolds, orders] = await Promise.all([
    show(deps, [agent], fall),
    readNextHolds(deps, agent),
    summariseOrders(deps, agent),
  ])
  if (agent.mode === 'paper') return { ...shown!, nextHolds, orders, live: null }
  const [stock, refund] = await Promise.all([readStock(db, agent.id), lastRefund(db, agent.id)])
  return {
    ...shown!,
    nextHolds,
    orders,
    live: {
      stock: stock.last && { ...stock.last, whyNot: whyNotValid(stock.last, shown!) },
      stockNotBeforeS: stock.notBeforeS,
      lastRefund: refund,
    },
  }
}

const NEXT_HOLDS_MS = 2_000

/** Errors are tolerated: an agent can be shown, paused and stopped without chain or model gateway. */
async function readNextHolds(deps: HostedDeps, agent: StoredAgent): Promise<NextHold[] | null> {
  if (agent.status === 'stopped') return null
  const isAi = agent.brain === 'partner_llm'
  const reads = Promise.all([isAi ? deps.brains.aiHolds(agent) : [], deps.nextHolds(agent)])
  try {
    return (await withinMs(NEXT_HOLDS_MS, reads, () => new Error('late'))).flat()
  } catch (error) {
    deps.logger.warn({ err: error, agent: agent.id }, 'failed to read holds of the next tick')
    return null
  }
}

async function readStanding(
  deps: HostedDeps,
  agents: readonly StoredAgent[],
): Promise<(agent: StoredAgent) => StandingAgent> {
  const now = nowS(deps.clock)
  const ids = agents.flatMap(({ sessionId }) => sessionId ?? [])
  const [sessions, killed, liveOff] = await Promise.all([
    readSessions(deps.db, ids, now),
    deps.switches.killed(),
    whyLiveOff(deps),
  ])
  const switched: Switched = { killed, liveOff, signerSilent: !deps.signerAnswers() }
  return (agent) => {
    const session = agent.sessionId === null ? null : (sessions.get(agent.sessionId) ?? null)
    const holds = holdsOf(agent, session, switched)
    return { agent, session, holds, trading: isTrading(agent, holds), nowS: now }
  }
}

/** One read per kind of data, however many agents there are. */
async function show(
  deps: HostedDeps,
  agents: readonly StoredAgent[],
  fall?: Promise<Fall | null> | null,
): Promise<ShownAgent[]> {
  const { db, paper } = deps
  const live = agents.flatMap(({ id, mode }) => (mode === 'live' ? [id] : []))
  const [standing, books, sums, fell] = await Promise.all([
    readStanding(deps, agents),
    paper.bookNow(agents.flatMap(({ bookId }) => bookId ?? [])),
    readLiveSums(db, live),
    fall,
  ])
  return agents.map((agent) => ({
    ...standing(agent),
    ...resultsOf(deps, agent, { books, ...sums }, fell),
  }))
}

interface LiveResults extends Readonly<LiveSums> {
  books: ReadonlyMap<number, BookNow>
}

function resultsOf(
  deps: Pick<HostedDeps, 'profile' | 'market'>,
  agent: StoredAgent,
  { books, trades, fees }: LiveResults,
  fall: Fall | null | undefined,
): Pick<ShownAgent, 'pnl' | 'liveStats'> {
  if (agent.mode === 'paper') {
    const book = agent.bookId === null ? undefined : books.get(agent.bookId)
    return { pnl: book ? paperPnl(book, agent.tokens, fall) : null, liveStats: null }
  }
  const own = trades.filter(({ agentId }) => agentId === agent.id)
  const paid = fees.filter(({ agentId }) => agentId === agent.id)
  return { pnl: livePnl(own, marksOf(deps, agent)), liveStats: liveStats(own, paid) }
}

function marksOf(
  { profile, market }: Pick<HostedDeps, 'profile' | 'market'>,
  { tokens }: StoredAgent,
): Marked {
  const profileTokens = [...profile.core_tokens, ...profile.listed_stocks, ...tokens]
  return {
    decimals: (token) => profileTokens.find(({ address }) => lower(address) === token)?.decimals,
    priceE18: (token) => market.mark(token)?.priceE18,
  }
}
