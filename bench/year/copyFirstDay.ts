import type { Db } from '@pit/platform/db'
import { AGENTS, agentId, BUSY, ORDINARY, SEASONS, type YearSize } from './size.ts'

const PAGE = 130
const FIRST_TOKENS = '(select address from tokens order by rank_usd desc, address limit 100)'

/** The newest rows of each owner before each of these ids. */
const pages = (
  table: string,
  column: string,
  owners: readonly string[],
  befores: readonly number[],
): string =>
  `id in (${owners
    .flatMap((owner) =>
      befores.map(
        (before) =>
          `(select id from ${table} where ${column} = ${owner} and id < ${Math.floor(before)}
            order by ${column}, id desc limit ${PAGE})`,
      ),
    )
    .join(' union all ')})`

/**
 * The empty store has the two requesting accounts, with their agents and one page of each list they request,
 * a hundred tokens, and the league's field with one decided season: both stores give the same answers, and
 * only one has a year of data.
 */
export async function copyFirstDay(year: Db, empty: Db, { trades }: YearSize): Promise<void> {
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
    ['sessions', `wallet in ${wallets}`],
    ['hosted_agents', `wallet in ${wallets}`],
    ['hosted_executors', `agent_id in ${agents}`],
    [
      'trades',
      pages(
        'trades',
        'wallet',
        [BUSY, ORDINARY].map((n) => `made.wallet(${n})`),
        [trades + 1, trades / 2],
      ),
    ],
    ['traded_tokens', `wallet in ${wallets}`],
    ['hosted_logs', pages('hosted_logs', 'agent_id', asking, [Number.MAX_SAFE_INTEGER])],
    ['ai_spend', pages('ai_spend', 'agent_id', asking, [Number.MAX_SAFE_INTEGER])],
    ['tokens', `address in ${FIRST_TOKENS}`],
    ['token_records', `address in ${FIRST_TOKENS}`],
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
        `insert into ${table} overriding system value select * from json_populate_recordset(null::${table},
          $1)`,
        [rows?.rows ?? '[]'],
      )
    })
  }
  await empty.exec('vacuum analyze')
}
