import type { Db } from '@pit/platform/db'
import { AGENTS, agentId, BUSY, ORDINARY, SEASONS } from './size.ts'

/**
 * The empty store still knows the two accounts that ask, with their agents, and the league's field with one
 * decided season: so both stores have the same to answer, and only one has a year behind it.
 */
export async function copyFirstDay(year: Db, empty: Db): Promise<void> {
  const wallets = `(made.wallet(${BUSY}), made.wallet(${ORDINARY}))`
  const agents = `(select id from hosted_agents where wallet in ${wallets})`
  const asking = Object.values(AGENTS).map((n) => `'${agentId(n)}'`)
  const books = `(select book_id from hosted_agents where wallet in ${wallets} or id in (${asking}))`
  const played = `(select book_id from league_practice_books where season = ${SEASONS})`
  const tables: [string, string][] = [
    ['accounts', `wallet in ${wallets}`],
    ['api_keys', `wallet in ${wallets} and expires_at_s > extract(epoch from now())`],
    ['paper_books', `id in ${books} or id in ${played}`],
    ['paper_balances', `book_id in ${books} or book_id in ${played}`],
    ['sessions', `id in (select session_id from hosted_agents where wallet in ${wallets})`],
    ['hosted_agents', `wallet in ${wallets}`],
    ['hosted_executors', `agent_id in ${agents}`],
    ['league_start', 'true'],
    ['league_seasons', `number >= ${SEASONS - 1}`],
    ['league_entries', 'true'],
    ['league_owners', 'true'],
    ['league_funders', 'true'],
    ['league_transfer_scans', 'true'],
    ['league_books', `season = ${SEASONS}`],
    ['league_practice_books', `season = ${SEASONS}`],
    ['league_standings', `season = ${SEASONS - 1}`],
    ['league_ledger', `season = ${SEASONS - 1}`],
    ['league_payouts', `season = ${SEASONS - 1}`],
  ]
  for (const [table, where] of tables) {
    const [rows] = await year.query<{ rows: string | null }>(
      `select json_agg(t)::text as rows from ${table} t where ${where}`,
    )
    await empty.transaction(async (sql) => {
      await sql.query('set local session_replication_role = replica')
      await sql.query(
        `insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, $1)`,
        [rows?.rows ?? '[]'],
      )
    })
  }
  await empty.exec('vacuum analyze')
}
