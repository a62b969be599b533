import type { Sql } from '@pit/platform/db'
import { type Answer, NATIVE_TOKEN } from '@pit/protocol'
import { groupBy } from '../books/groupBy.ts'
import { ENTRY_COLUMNS, type StoredEntry } from '../entries/store.ts'
import { DAY_S, dollarsOf, type MarketRecord, percentOf, scoreText, worth } from '../rules/index.ts'
import type { SeasonRow } from '../season/store.ts'

export type PracticeRow = Extract<Answer<'league.standings'>['rows'][number], { eligibility: null }> & {
  equity: number | null
}

interface BookRow extends StoredEntry {
  hosted_name: string | null
  start_micro_usd: number
  tokens: string[]
  atoms: string[]
  fills: number
  active_days: number
  max_dd_bps: number
}

/** Balances, fills and how deep each fell, all books in one read. */
const BOOKS = `select ${ENTRY_COLUMNS}, h.name as hosted_name, b.start_micro_usd,
    coalesce(held.tokens, '{}') as tokens, coalesce(held.atoms, '{}') as atoms,
    coalesce(f.fills, 0) as fills, coalesce(f.active_days, 0) as active_days, coalesce(d.max_dd_bps, 0) as max_dd_bps
  from league_practice_books p join league_entries e on e.id = p.entry_id join paper_books b on b.id = p.book_id
  left join hosted_agents h on h.id = e.hosted_id
  left join lateral (
    select array_agg(token order by token) as tokens, array_agg(x.atoms::text order by token) as atoms
    from paper_balances x where x.book_id = b.id and x.atoms > 0) held on true
  left join lateral (
    select count(*)::int4 as fills, count(distinct filled_at_ms / 1000 / ${DAY_S})::int4 as active_days
    from paper_fills y where y.book_id = b.id and y.filled_at_ms < $2) f on true
  left join lateral (
    select max((peak - micro_usd) * 10000 / peak)::int4 as max_dd_bps
    from (select micro_usd, greatest(max(micro_usd) over (order by minute_s), b.start_micro_usd) as peak
          from paper_equity z where z.book_id = b.id) seen) d on true
  where p.season = $1 order by e.id`

/** What a tick filled that had begun in time and ended after the season: it is undone here. */
const LATE = `select p.entry_id, f.token_in, f.token_out, f.amount_in, f.amount_out, f.gas_usdg_atoms
  from league_practice_books p join paper_fills f on f.book_id = p.book_id
  where p.season = $1 and f.filled_at_ms >= $2`

interface LateFill {
  entry_id: number
  token_in: string
  token_out: string
  amount_in: string
  amount_out: string
  gas_usdg_atoms: string
}

/** The practice board: by profit, without rules or prizes. */
export async function practiceRows(
  sql: Sql,
  season: SeasonRow,
  { market, usdg, atS, nowS }: { market: MarketRecord; usdg: string; atS: number; nowS: number },
): Promise<PracticeRow[]> {
  const untilMs = season.ends_at_s * 1000
  const books = await sql.query<BookRow>(BOOKS, [season.number, untilMs])
  const late = nowS < season.ends_at_s ? [] : await sql.query<LateFill>(LATE, [season.number, untilMs])
  const lateOf = groupBy(late, ({ entry_id }) => entry_id)
  const valued = books.map((book) => {
    const held = withoutLate(book, lateOf.get(book.id) ?? [], usdg)
    return { book, equity: equityOf(held, market, atS) }
  })
  const left = ({ left_at_s }: BookRow) => left_at_s !== null && left_at_s < season.ends_at_s
  const profit = ({ book, equity }: (typeof valued)[number]) =>
    equity === null ? null : equity - BigInt(book.start_micro_usd)
  const group = (one: (typeof valued)[number]) => (one.equity === null ? 2 : left(one.book) ? 1 : 0)
  valued.sort((a, b) => {
    if (group(a) !== group(b)) return group(a) - group(b)
    const [x, y] = [profit(a) ?? 0n, profit(b) ?? 0n]
    return x === y ? a.book.id - b.book.id : x > y ? -1 : 1
  })
  return valued.map((one, i) => {
    const { book, equity } = one
    const made = profit(one)
    return {
      rank: i + 1,
      entry_id: book.id,
      agent_id: book.agent_id,
      board: 'practice',
      kind: book.kind,
      label: labelOf(book),
      symbol: book.symbol,
      name: book.name,
      token: book.token === NATIVE_TOKEN ? null : book.token,
      owner: book.owner,
      equity: equity === null ? null : dollarsOf(equity),
      profit_usd: made === null ? null : dollarsOf(made),
      score: made === null ? null : scoreText(made),
      return_pct: made === null ? null : percentOf(floorBps(made, BigInt(book.start_micro_usd))),
      max_dd_pct: percentOf(book.max_dd_bps),
      trades: book.fills,
      active_days: book.active_days,
      left: left(book),
      live: season.state === 'open' && nowS < season.ends_at_s && !left(book),
      eligibility: null,
      place: null,
      prize_atoms: null,
    }
  })
}

function withoutLate(book: BookRow, late: readonly LateFill[], usdg: string): Map<string, bigint> {
  const held = new Map(book.tokens.map((token, i) => [token, BigInt(book.atoms[i]!)]))
  const add = (token: string, atoms: bigint) => held.set(token, (held.get(token) ?? 0n) + atoms)
  for (const fill of late) {
    add(fill.token_in, BigInt(fill.amount_in))
    add(fill.token_out, -BigInt(fill.amount_out))
    add(usdg, BigInt(fill.gas_usdg_atoms))
  }
  return held
}

/** Null while anything held has no mark. */
function equityOf(held: ReadonlyMap<string, bigint>, market: MarketRecord, atS: number): bigint | null {
  let sum = 0n
  for (const [token, atoms] of held) {
    if (atoms === 0n) continue
    const asset = market.assets.get(token)
    const price = asset ? market.priceAt(token, atS) : null
    if (!asset || price === null) return null
    sum += worth(atoms, asset.decimals, price)
  }
  return sum
}

function floorBps(part: bigint, of: bigint): number {
  const scaled = part * 10_000n
  const cut = scaled / of
  return Number(scaled < 0n && scaled % of !== 0n ? cut - 1n : cut)
}

const labelOf = ({ kind, wallet, hosted_name, hosted_id }: BookRow): string =>
  kind === 'hosted' ? (hosted_name ?? hosted_id ?? '') : `${wallet.slice(0, 6)}...${wallet.slice(-4)}`
