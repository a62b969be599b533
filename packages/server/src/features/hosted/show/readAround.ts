import { nowS } from '@pit/platform/clock'
import type { BookNow } from '../../paper/index.ts'
import type { HostedDeps } from '../deps.ts'
import { type AgentSession, readSessions } from '../sessions.ts'
import type { StoredAgent } from '../store.ts'
import { type FeeSums, readFeeSums, readTradeSums, type TradeSums } from './liveTrades.ts'
import type { Switched } from './standing.ts'

/** What agents are shown with. However many they are, each kind is one read. */
export interface Around {
  nowS: number
  switched: Switched
  sessions: ReadonlyMap<string, AgentSession>
  books: ReadonlyMap<number, BookNow>
  trades: readonly TradeSums[]
  fees: readonly FeeSums[]
}

export async function readAround(
  { db, clock, paper, switches }: HostedDeps,
  agents: readonly StoredAgent[],
): Promise<Around> {
  const now = nowS(clock)
  const live = agents.flatMap(({ id, mode }) => (mode === 'live' ? [id] : []))
  const [sessions, books, trades, fees, killed, liveEnabled] = await Promise.all([
    readSessions(
      db,
      agents.flatMap(({ sessionId }) => sessionId ?? []),
      now,
    ),
    paper.bookNow(agents.flatMap(({ bookId }) => bookId ?? [])),
    readTradeSums(db, live),
    readFeeSums(db, live),
    switches.killed(),
    switches.liveEnabled(),
  ])
  return { nowS: now, switched: { killed, liveEnabled }, sessions, books, trades, fees }
}
