import type { Sql } from '@pit/platform/db'
import { type LedgerTrade, relayedIdsAfter, tradesByIds } from '@pit/relay'
import { groupBy } from '../rules/groupBy.ts'
import type { BookTrade, SeasonSpan, StoredBook } from '../rules/index.ts'

/** A page of entrants' relayed trades, and the id to continue after; null at the end. */
export interface RelayedPage {
  trades: LedgerTrade[]
  next: number | null
}

const IDS_PER_QUERY = 20_000

/** Entrants' relayed trades that no season has taken, in the order they were relayed. */
export async function relayedAfter(sql: Sql, afterId: number, limit: number): Promise<RelayedPage> {
  const rows = await sql.query<{ wallet: string }>(
    `select distinct wallet from league_entries where board = 'prize'`,
  )
  const wallets = rows.map(({ wallet }) => wallet)
  const untaken: number[] = []
  let isEnd = wallets.length === 0
  // The first read is one page; if most of it was taken before, the next reads cover many ids.
  for (let after = afterId, atOnce = limit + 1; !isEnd && untaken.length <= limit; atOnce = IDS_PER_QUERY) {
    const ids = await relayedIdsAfter(sql, { wallets, afterId: after, limit: atOnce })
    untaken.push(...(await neverTaken(sql, ids)))
    isEnd = ids.length < atOnce
    after = ids.at(-1) ?? after
  }
  const page = untaken.slice(0, limit)
  const next = untaken.length > limit ? page.at(-1)! : null
  return { trades: await tradesByIds(sql, page), next }
}

async function neverTaken(sql: Sql, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const rows = await sql.query<{ id: number }>(
    `select id from unnest($1::int8[]) as given (id)
     where not exists (select 1 from league_trades l where l.trade_id = given.id)
       and not exists (select 1 from league_late x where x.trade_id = given.id)
     order by id`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

/** The chain's clock may be behind ours: a trade relayed just after the end may be mined before it. */
const CLOCKS_APART_S = 60
const WAITING_PAGE = 2_000

/** Whether a trade that may count in a season is not taken yet: not final, or not processed. */
export async function waitsFor(
  sql: Sql,
  { number, startsAtS, endsAtS }: SeasonSpan,
  afterId: number,
): Promise<boolean> {
  const entrants = await sql.query<{ wallet: string; left_at_s: number | null }>(
    `select e.wallet, e.left_at_s from league_books b join league_entries e on e.id = b.entry_id
     where b.season = $1`,
    [number],
  )
  const leaving = groupBy(entrants, ({ wallet }) => wallet)
  const mayCount = ({ wallet, settled, status, minedAtS, createdAtMs }: LedgerTrade): boolean => {
    const entries = leaving.get(wallet) ?? []
    if (entries.length === 0 || createdAtMs >= (endsAtS + CLOCKS_APART_S) * 1_000) return false
    if (!settled) return true
    if ((status !== 'mined' && status !== 'reverted') || minedAtS === null) return false
    const isIn = minedAtS >= startsAtS && minedAtS < endsAtS
    return isIn && entries.some(({ left_at_s }) => left_at_s === null || minedAtS < left_at_s)
  }
  for (let after: number | null = afterId; after !== null; ) {
    const page: RelayedPage = await relayedAfter(sql, after, WAITING_PAGE)
    if (page.trades.some(mayCount)) return true
    after = page.next
  }
  return false
}

export async function readCursor(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ after_id: number }>('select after_id from league_cursor')
  return row?.after_id ?? 0
}

/** Only moves forward, so a slower worker changes nothing. */
export async function moveCursor(sql: Sql, afterId: number): Promise<void> {
  await sql.query(
    `insert into league_cursor (after_id) values ($1)
     on conflict (only_one) do update set after_id = greatest(league_cursor.after_id, excluded.after_id)`,
    [afterId],
  )
}

/** A wallet's entry in a season that has a book. */
export interface BookKey {
  season: number
  entry_id: number
  wallet: string
  token: string
  left_at_s: number | null
  state: string
}

export const booksOfWallets = (
  sql: Sql,
  wallets: readonly string[],
  seasons: readonly number[],
): Promise<BookKey[]> =>
  sql.query<BookKey>(
    `select b.season, b.entry_id, e.wallet, e.token, e.left_at_s, s.state
     from league_entries e join league_books b on b.entry_id = e.id join league_seasons s
     on s.number = b.season
     where e.wallet = any($1::text[]) and b.season = any($2::int4[]) and e.board = 'prize'`,
    [wallets, seasons],
  )

export async function countBooks(sql: Sql, season: number): Promise<number> {
  const [row] = await sql.query<{ books: number }>(
    'select count(*)::int4 as books from league_books where season = $1',
    [season],
  )
  return row!.books
}

export const participantTokens = async (sql: Sql, season: number): Promise<string[]> => {
  const rows = await sql.query<{ token: string }>(
    `select distinct e.token from league_books b join league_entries e on e.id = b.entry_id
     where b.season = $1`,
    [season],
  )
  return rows.map(({ token }) => token)
}

/** A transaction as it is taken into a season. */
export interface TakenTrade extends BookTrade {
  season: number
  entryId: number
  participant: 'own' | 'other' | null
}

/** Returns the ids that were inserted. */
export async function insertTaken(sql: Sql, trades: readonly TakenTrade[]): Promise<Set<number>> {
  if (trades.length === 0) return new Set()
  const column = <T>(read: (trade: TakenTrade) => T): T[] => trades.map(read)
  const rows = await sql.query<{ trade_id: number }>(
    `insert into league_trades (trade_id, season, entry_id, mined_at_s, block, token_in, token_out, amount_in,
       amount_out, gas_wei, participant)
     select trade_id, season, entry_id, mined_at_s, block, token_in, token_out, amount_in::numeric,
       amount_out::numeric, gas_wei::numeric, participant
     from unnest($1::int8[], $2::int4[], $3::int8[], $4::int8[], $5::int8[], $6::text[], $7::text[],
     $8::text[],
         $9::text[], $10::text[], $11::text[])
       as given (trade_id, season, entry_id, mined_at_s, block, token_in, token_out, amount_in, amount_out,
         gas_wei, participant)
     on conflict (trade_id) do nothing returning trade_id`,
    [
      column(({ id }) => id),
      column(({ season }) => season),
      column(({ entryId }) => entryId),
      column(({ minedAtS }) => minedAtS),
      column(({ block }) => block),
      column(({ swap }) => swap?.tokenIn ?? null),
      column(({ swap }) => swap?.tokenOut ?? null),
      column(({ swap }) => swap?.amountIn.toString() ?? null),
      column(({ swap }) => swap?.amountOut.toString() ?? null),
      column(({ gasWei }) => gasWei?.toString() ?? null),
      column(({ participant }) => participant),
    ],
  )
  return new Set(rows.map(({ trade_id }) => trade_id))
}

/** Records trades that came too late, so that a recomputation of the season excludes them too. */
export async function insertLate(
  sql: Sql,
  late: readonly { id: number; season: number }[],
  nowS: number,
): Promise<void> {
  if (late.length === 0) return
  await sql.query(
    `insert into league_late (trade_id, season, refused_at_s)
     select trade_id, season, $3 from unnest($1::int8[], $2::int4[]) as given (trade_id, season)
     on conflict do nothing`,
    [late.map(({ id }) => id), late.map(({ season }) => season), nowS],
  )
}

interface TakenRow {
  trade_id: number
  entry_id: number
  mined_at_s: number
  block: number
  token_in: string | null
  token_out: string | null
  amount_in: string | null
  amount_out: string | null
  gas_wei: string | null
}

/** All trades of one book. */
export async function tradesOfBook(sql: Sql, season: number, entryId: number): Promise<BookTrade[]> {
  const rows = await sql.query<TakenRow>(
    `select trade_id, entry_id, mined_at_s, block, token_in, token_out, amount_in, amount_out, gas_wei
     from league_trades where season = $1 and entry_id = $2 order by mined_at_s, block, trade_id`,
    [season, entryId],
  )
  return rows.map(tradeOf)
}

const tradeOf = (row: TakenRow): BookTrade => ({
  id: row.trade_id,
  minedAtS: row.mined_at_s,
  block: row.block,
  swap:
    row.token_in === null
      ? null
      : {
          tokenIn: row.token_in,
          tokenOut: row.token_out!,
          amountIn: BigInt(row.amount_in!),
          amountOut: BigInt(row.amount_out!),
        },
  gasWei: row.gas_wei === null ? null : BigInt(row.gas_wei),
})

export interface BookRow {
  season: number
  entry_id: number
  book: StoredBook
}

/** Locked in one order, so that two workers wait for each other instead of deadlocking. */
export const lockBooks = (sql: Sql, season: number, entryIds: readonly number[]): Promise<BookRow[]> =>
  sql.query<BookRow>(
    `select season, entry_id, book from league_books where season = $1 and entry_id = any($2::int8[])
     order by entry_id for update`,
    [season, entryIds],
  )

export async function saveBooks(
  sql: Sql,
  season: number,
  books: readonly { entryId: number; book: StoredBook }[],
): Promise<void> {
  if (books.length === 0) return
  await sql.query(
    `update league_books b set book = given.book::jsonb
     from unnest($2::int8[], $3::text[]) as given (entry_id, book)
     where b.season = $1 and b.entry_id = given.entry_id`,
    [season, books.map(({ entryId }) => entryId), books.map(({ book }) => JSON.stringify(book))],
  )
}
