import { agentNames, type BookRun, type FillMoves, fillsSince, readRuns } from '@pit/agents'
import type { Sql } from '@pit/platform/db'
import {
  type Answer,
  bpsDown,
  fixedText,
  LEAGUE,
  markPrice,
  NATIVE_TOKEN,
  usdOf,
  worthDown,
} from '@pit/protocol'
import { ENTRY_COLUMNS, type StoredEntry } from '../entries/store.ts'
import { groupBy } from '../rules/groupBy.ts'
import type { MarketRecord } from '../rules/index.ts'
import type { SeasonRow } from '../season/store.ts'

export type PracticeRow = Extract<Answer<'league.standings'>['rows'][number], { eligibility: null }> & {
  equity: number | null
}

interface BookRow extends StoredEntry {
  hosted_name: string | null
  run: BookRun
}

/** Balances, fills and drawdowns of all books in one read. */
async function readBooks(
  sql: Sql,
  season: number,
  untilMs: number,
): Promise<(BookRow & { book_id: number })[]> {
  const entries = await sql.query<StoredEntry & { book_id: number }>(
    `select ${ENTRY_COLUMNS}, p.book_id from league_practice_books p join league_entries e
     on e.id = p.entry_id
     where p.season = $1 order by e.id`,
    [season],
  )
  const runs = await readRuns(
    sql,
    entries.map(({ book_id }) => book_id),
    untilMs,
  )
  const names = await agentNames(
    sql,
    entries.flatMap(({ hosted_id }) => hosted_id ?? []),
  )
  return entries.flatMap((entry) => {
    const run = runs.get(entry.book_id)
    return run ? [{ ...entry, run, hosted_name: names.get(entry.hosted_id ?? '') ?? null }] : []
  })
}

/** The practice board: by profit, without rules or prizes. */
export async function practiceRows(
  sql: Sql,
  season: SeasonRow,
  { market, usdg, nowS }: { market: MarketRecord; usdg: string; nowS: number },
): Promise<PracticeRow[]> {
  const untilMs = season.ends_at_s * 1000
  const priceOf = (token: string) =>
    nowS < season.ends_at_s ? market.priceAt(token, nowS) : market.endMark(token).priceE18
  const books = await readBooks(sql, season.number, untilMs)
  const bookIds = books.map(({ book_id }) => book_id)
  // Fills of ticks that started in time and ended after the season are undone here.
  const late = nowS < season.ends_at_s ? [] : await fillsSince(sql, bookIds, untilMs)
  const lateOf = groupBy(late, ({ bookId }) => bookId)
  const valued = books.map((book) => {
    const held = withoutLate(book.run, lateOf.get(book.book_id) ?? [], usdg)
    return { book, equity: equityOf(held, market, priceOf) }
  })
  const left = ({ left_at_s }: BookRow) => left_at_s !== null && left_at_s < season.ends_at_s
  const profit = ({ book, equity }: (typeof valued)[number]) =>
    equity === null ? null : equity - book.run.startMicroUsd
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
      kind: book.kind === 'hosted' ? 'hosted' : 'account',
      label: labelOf(book),
      symbol: book.symbol,
      name: book.name,
      token: book.token === NATIVE_TOKEN ? null : book.token,
      owner: book.owner,
      equity: equity === null ? null : usdOf(equity),
      profit_usd: made === null ? null : usdOf(made),
      score: made === null ? null : fixedText(made, LEAGUE.scoreDecimals),
      return_pct: made === null ? null : Number(bpsDown(made, book.run.startMicroUsd)) / 100,
      max_dd_pct: book.run.maxDrawdownBps / 100,
      trades: book.run.fills,
      active_days: book.run.activeDays,
      left: left(book),
      live: season.state === 'open' && nowS < season.ends_at_s && !left(book),
      eligibility: null,
      place: null,
      prize_atoms: null,
    }
  })
}

function withoutLate(run: BookRun, late: readonly FillMoves[], usdg: string): Map<string, bigint> {
  const held = new Map<string, bigint>(run.held)
  const add = (token: string, atoms: bigint) => held.set(token, (held.get(token) ?? 0n) + atoms)
  for (const fill of late) {
    add(fill.tokenIn, fill.amountIn)
    add(fill.tokenOut, -fill.amountOut)
    add(usdg, fill.gasUsdgAtoms)
  }
  return held
}

/** Null while anything held has no mark. */
function equityOf(
  held: ReadonlyMap<string, bigint>,
  market: MarketRecord,
  priceOf: (token: string) => bigint | null,
): bigint | null {
  let sum = 0n
  for (const [token, atoms] of held) {
    if (atoms === 0n) continue
    const asset = market.assets.get(token)
    const price = asset ? priceOf(token) : null
    if (!asset || price === null) return null
    sum += worthDown(atoms, markPrice(price, asset.decimals))
  }
  return sum
}

const labelOf = ({ kind, wallet, hosted_name, hosted_id }: BookRow): string =>
  kind === 'hosted' ? (hosted_name ?? hosted_id ?? '') : `${wallet.slice(0, 6)}...${wallet.slice(-4)}`
