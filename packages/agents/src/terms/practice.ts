import type { Sql } from '@pit/platform/db'
import { fail, LEAGUE, PRACTICE_ASSETS, PRACTICE_QUOTE } from '@pit/protocol'
import type { HostedAgent } from '../types.ts'

/** Whether it plays the practice board, now or from the next season on. */
export async function isEntrant(sql: Sql, { id, mode }: Pick<HostedAgent, 'id' | 'mode'>): Promise<boolean> {
  if (mode === 'live') return false
  const rows = await sql.query('select 1 from league_entries where hosted_id = $1 and left_at_s is null', [
    id,
  ])
  return rows.length > 0
}

const ALLOWED: ReadonlySet<string> = new Set(PRACTICE_ASSETS.map((asset) => `${asset}/${PRACTICE_QUOTE}`))

/** What an agent had to be to enter, it has to stay: it leaves the board first, or changes something else. */
export async function checkPractice(
  sql: Sql,
  agent: Pick<HostedAgent, 'id' | 'mode' | 'pairs' | 'intervalS'>,
): Promise<void> {
  const strange = agent.pairs.find((pair) => !ALLOWED.has(pair))
  const isFast = agent.intervalS < LEAGUE.practiceMinIntervalS
  if ((strange === undefined && !isFast) || !(await isEntrant(sql, agent))) return
  if (strange !== undefined) {
    fail('LEAGUE_PAIRS', { field: 'pairs', message: `It plays the practice board: no ${strange} there.` })
  }
  fail('LEAGUE_INTERVAL', { field: 'interval_s' })
}
