import type { Sql } from '@pit/platform/db'
import { fail, LEAGUE, PRACTICE_ASSETS, PRACTICE_QUOTE } from '@pit/protocol'
import type { HostedDeps } from '../deps.ts'
import type { HostedAgent } from '../types.ts'

/** Whether it is on the practice board, now or from the next season on. */
export const isEntrant = async (
  { isInLeague }: Pick<HostedDeps, 'isInLeague'>,
  sql: Sql,
  { id, mode }: Pick<HostedAgent, 'id' | 'mode'>,
): Promise<boolean> => mode !== 'live' && (await isInLeague(sql, id))

const ALLOWED: ReadonlySet<string> = new Set(PRACTICE_ASSETS.map((asset) => `${asset}/${PRACTICE_QUOTE}`))

/** An entrant must keep meeting the entry conditions while it is on the board. */
export async function checkPractice(
  deps: Pick<HostedDeps, 'isInLeague'>,
  sql: Sql,
  agent: Pick<HostedAgent, 'id' | 'mode' | 'pairs' | 'intervalS'>,
): Promise<void> {
  const strange = agent.pairs.find((pair) => !ALLOWED.has(pair))
  const isFast = agent.intervalS < LEAGUE.practiceMinIntervalS
  if ((strange === undefined && !isFast) || !(await isEntrant(deps, sql, agent))) return
  if (strange !== undefined) {
    fail('LEAGUE_PAIRS', {
      field: 'pairs',
      message: `The agent is on the practice board, which does not allow ${strange}.`,
    })
  }
  fail('LEAGUE_INTERVAL', { field: 'interval_s' })
}
