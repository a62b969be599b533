import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'

/** A token's stored mark of one minute. */
export interface MinuteMark {
  minuteS: number
  /** Dollars for one whole token, times 10^18. */
  priceE18: bigint
  source: string
  stale: boolean
}

/** One token at one time: its newest mark after `afterS` and not after `atS`. */
export interface MarkRequest {
  token: string
  afterS: number
  atS: number
}

/** Prices in the order of the requests, in one read; null without a mark. */
export async function pricesAt(sql: Sql, requests: readonly MarkRequest[]): Promise<(bigint | null)[]> {
  if (requests.length === 0) return []
  const rows = await sql.query<{ price_e18: string | null }>(
    `select (select price_e18 from marks where marks.token = given.token and minute_s <= given.at_s
         and minute_s > given.after_s order by minute_s desc limit 1) as price_e18
     from unnest($1::text[], $2::int8[], $3::int8[]) with ordinality as given (token, at_s, after_s, place)
     order by place`,
    [
      requests.map(({ token }) => token),
      requests.map(({ atS }) => atS),
      requests.map(({ afterS }) => afterS),
    ],
  )
  return rows.map(({ price_e18 }) => (price_e18 === null ? null : BigInt(price_e18)))
}

/** Each token's newest mark from `fromS` to before `beforeS`; a token without one is absent. */
export async function newestMarks(
  sql: Sql,
  tokens: readonly Address[],
  { fromS, beforeS }: { fromS: number; beforeS: number },
): Promise<Map<Address, MinuteMark>> {
  const rows = await sql.query<MarkRow & { token: Address }>(
    `select distinct on (token) token, minute_s, price_e18, source, stale from marks
     where token = any($1) and minute_s < $2 and minute_s >= $3
     order by token, minute_s desc`,
    [tokens, beforeS, fromS],
  )
  return new Map(rows.map((row) => [row.token, markOf(row)]))
}

/** A token's marks between two seconds, both included, oldest first. */
export async function marksBetween(
  sql: Sql,
  { token, fromS, toS, limit }: { token: string; fromS: number; toS: number; limit: number },
): Promise<MinuteMark[]> {
  const rows = await sql.query<MarkRow>(
    `select minute_s, price_e18, source, stale from marks
     where token = $1 and minute_s between $2 and $3 order by minute_s limit $4`,
    [token, fromS, toS, limit],
  )
  return rows.map(markOf)
}

/** A token's fresh marks of these minutes, in their order. */
export async function marksAt(sql: Sql, token: string, minutes: readonly number[]): Promise<MinuteMark[]> {
  const rows = await sql.query<MarkRow>(
    `select minute_s, price_e18, source, stale from marks
     where token = $1 and minute_s = any($2::int8[]) and not stale order by minute_s`,
    [token, minutes],
  )
  return rows.map(markOf)
}

/** Minutes and prices of a token, oldest first: two arrays, since there may be many thousands. */
export interface PriceSeries {
  minutes: number[]
  prices: bigint[]
}

/** Each token's marks after its own time, in one read; a token without any is absent. */
export async function marksAfter(
  sql: Sql,
  asks: readonly { token: Address; afterS: number }[],
): Promise<Map<Address, PriceSeries>> {
  const rows = await sql.query<{ token: Address; minutes: number[]; prices: string[] }>(
    `select m.token, array_agg(m.minute_s order by m.minute_s) as minutes,
       array_agg(m.price_e18::text order by m.minute_s) as prices
     from unnest($1::text[], $2::int8[]) as given (token, after_s)
     join marks m on m.token = given.token and m.minute_s > given.after_s
     group by m.token`,
    [asks.map(({ token }) => token), asks.map(({ afterS }) => afterS)],
  )
  return new Map(rows.map(({ token, minutes, prices }) => [token, { minutes, prices: prices.map(BigInt) }]))
}

/** Every token's marks after one time and up to another, oldest first. */
export async function allMarks(
  sql: Sql,
  { afterS, toS }: { afterS: number; toS: number },
): Promise<Map<string, Pick<MinuteMark, 'minuteS' | 'priceE18'>[]>> {
  const rows = await sql.query<{ token: string; minute_s: number; price_e18: string }>(
    // Token by token through its index; without the offset the planner joins a whole year.
    `with recursive named as (
       select min(token) as token from marks
       union all select (select min(token) from marks where token > named.token) from named
       where named.token is not null)
     select m.token, m.minute_s, m.price_e18 from named
     join lateral (select token, minute_s, price_e18 from marks
       where marks.token = named.token and minute_s > $1 and minute_s <= $2 offset 0) as m on true
     order by m.token, m.minute_s`,
    [afterS, toS],
  )
  const marks = new Map<string, Pick<MinuteMark, 'minuteS' | 'priceE18'>[]>()
  for (const { token, minute_s, price_e18 } of rows) {
    const tokenMarks = marks.get(token) ?? []
    if (tokenMarks.length === 0) marks.set(token, tokenMarks)
    tokenMarks.push({ minuteS: minute_s, priceE18: BigInt(price_e18) })
  }
  return marks
}

interface MarkRow {
  minute_s: number
  price_e18: string
  source: string
  stale: boolean
}

const markOf = ({ minute_s, price_e18, source, stale }: MarkRow): MinuteMark => ({
  minuteS: minute_s,
  priceE18: BigInt(price_e18),
  source,
  stale,
})
