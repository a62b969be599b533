import { nowS } from '@pit/platform/clock'
import type { HostedDeps } from '../deps.ts'
import type { BookNow } from '../paper/index.ts'
import { type AgentSession, readSessions } from '../sessions.ts'
import type { StoredAgent } from '../store.ts'
import { type LiveSums, readLiveSums } from './liveTrades.ts'
import type { Switched } from './standing.ts'

/** What tells whether agents trade. */
export interface Standings {
  nowS: number
  switched: Switched
  sessions: ReadonlyMap<string, AgentSession>
}

/** What agents are shown with. However many they are, each kind is one read. */
export interface Around extends Standings, Readonly<LiveSums> {
  books: ReadonlyMap<number, BookNow>
}

export async function readStandings(
  { db, clock, switches }: Pick<HostedDeps, 'db' | 'clock' | 'switches'>,
  agents: readonly StoredAgent[],
): Promise<Standings> {
  const now = nowS(clock)
  const ids = agents.flatMap(({ sessionId }) => sessionId ?? [])
  const [sessions, killed, liveEnabled] = await Promise.all([
    readSessions(db, ids, now),
    switches.killed(),
    switches.liveEnabled(),
  ])
  return { nowS: now, switched: { killed, liveEnabled }, sessions }
}

export async function readAround(deps: HostedDeps, agents: readonly StoredAgent[]): Promise<Around> {
  const { db, paper } = deps
  const live = agents.flatMap(({ id, mode }) => (mode === 'live' ? [id] : []))
  const [standings, books, sums] = await Promise.all([
    readStandings(deps, agents),
    paper.bookNow(agents.flatMap(({ bookId }) => bookId ?? [])),
    readLiveSums(db, live),
  ])
  return { ...standings, books, ...sums }
}
