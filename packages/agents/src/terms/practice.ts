import type { Sql } from '@pit/platform/db'
import { fail, LEAGUE, PRACTICE_ASSETS, PRACTICE_QUOTE } from '@pit/protocol'
import type { HostedDeps } from '../deps.ts'
import type { HostedAgent } from '../types.ts'

/** Whether it plays the practice board, now or from the next season on. */
export const isEntrant = async (
  { isInLeague }: Pick<HostedDeps, 'isInLeague'>,
  sql: Sql,
  { id, mode }: Pick<HostedAgent, 'id' | 'mode'>,
): Promise<boolean> => mode !== 'live' && (await isInLeague(sql, id))

const ALLOWED: ReadonlySet<string> = new Set(PRACTICE_ASSETS.map((asset) => `${asset}/${PRACTICE_QUOTE}`))

/** What an agent had to be to enter, it has to stay: it leaves the board first, or changes something else. */
export async function checkPractice(
  deps: Pick<HostedDeps, 'isInLeague'>,
  sql: Sql,
  agent: Pick<HostedAgent, 'id' | 'mode' | 'pairs' | 'intervalS'>,
): Promise<void> {
  const strange = agent.pairs.find((pair) => !ALLOWED.has(pair))
  const isFast = agent.intervalS < LEAGUE.practiceMinIntervalS
  if ((strange === undefined && !isFast) || !(await isEntrant(deps, sql, agent))) return
  if (strange !== undefined) {
    fail('LEAGUE_PAIRS', { field: 'pairs', message: `It plays the practice board: no ${strange} there.` })
  }
  fail('LEAGUE_INTERVAL', { field: 'interval_s' })
}
