import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { markPrice, priceUsdOf, worthDown } from '@pit/protocol'
import type { Bar, Minute } from './bars.ts'
import type { SwapVolume } from './swapVolumes.ts'

/** Adds swapped atoms to their minutes; in the transaction that stores up to which block they are counted. */
export async function addVolumes(sql: Sql, swaps: readonly SwapVolume[]): Promise<void> {
  if (swaps.length === 0) return
  await sql.query(
    `insert into pool_volumes as v (token, minute_s, atoms)
     select token, minute_s, sum(atoms::numeric) from unnest($1::text[], $2::int8[], $3::text[])
       as given (token, minute_s, atoms) group by token, minute_s order by token, minute_s
     on conflict (token, minute_s) do update set atoms = v.atoms + excluded.atoms`,
    [
      swaps.map(({ token }) => token),
      swaps.map(({ minuteS }) => minuteS),
      swaps.map(({ atoms }) => atoms.toString()),
    ],
  )
}

export interface CandleToken {
  address: Address
  decimals: number
}

/** Minutes with a fresh mark from `fromS` to before `beforeS`, oldest first. */
export async function readMinutes(
  sql: Sql,
  { address, decimals }: CandleToken,
  { fromS, beforeS }: { fromS: number; beforeS: number },
): Promise<Minute[]> {
  const rows = await sql.query<{
    minute_s: number
    price_e18: string
    atoms: string | null
    since_s: number
  }>(
    `select m.minute_s, m.price_e18, v.atoms,
       (select min(minute_s) from pool_volumes where token = $1) as since_s
     from marks m left join pool_volumes v
       on v.token = $1 and v.minute_s = m.minute_s and v.minute_s >= $2 and v.minute_s < $3
     where m.token = $1 and m.minute_s >= $2 and m.minute_s < $3 and not m.stale order by m.minute_s`,
    [address, fromS, beforeS],
  )
  return rows.map(({ minute_s: minuteS, price_e18, atoms, since_s: sinceS }) => {
    const priceE18 = BigInt(price_e18)
    const isCounted = sinceS !== null && minuteS >= sinceS
    const microUsd = worthDown(BigInt(atoms ?? 0), markPrice(priceE18, decimals))
    return { minuteS, price: priceUsdOf(priceE18), volumeMicroUsd: isCounted ? Number(microUsd) : null }
  })
}

interface BarRow extends Omit<Bar, 'startS' | 'volumeMicroUsd'> {
  start_s: number
  volume_micro_usd: number | null
}

/** Stored bars that start from `fromS` to before `beforeS`, oldest first. */
export async function readBars(
  sql: Sql,
  token: string,
  { intervalS, fromS, beforeS }: { intervalS: number; fromS: number; beforeS: number },
): Promise<Bar[]> {
  const rows = await sql.query<BarRow>(
    `select start_s, open, high, low, close, volume_micro_usd from candles
     where token = $1 and interval_s = $2 and start_s >= $3 and start_s < $4 order by start_s`,
    [token, intervalS, fromS, beforeS],
  )
  return rows.map(({ start_s: startS, volume_micro_usd: volumeMicroUsd, ...prices }) => ({
    startS,
    ...prices,
    volumeMicroUsd,
  }))
}

/** The first writer of a bar sets it. */
export async function writeBars(
  sql: Sql,
  token: string,
  intervalS: number,
  bars: readonly Bar[],
): Promise<void> {
  if (bars.length === 0) return
  await sql.query(
    `insert into candles (token, interval_s, start_s, open, high, low, close, volume_micro_usd)
     select $1, $2, * from unnest($3::int8[], $4::float8[], $5::float8[], $6::float8[], $7::float8[], $8::int8[])
     on conflict do nothing`,
    [
      token,
      intervalS,
      bars.map(({ startS }) => startS),
      bars.map(({ open }) => open),
      bars.map(({ high }) => high),
      bars.map(({ low }) => low),
      bars.map(({ close }) => close),
      bars.map(({ volumeMicroUsd }) => volumeMicroUsd),
    ],
  )
}

/** Up to when a token's candles are stored; at first the start of its marks, and null without any. */
export async function readCursor(sql: Sql, token: string): Promise<number | null> {
  const [row] = await sql.query<{ closed_to_s: number | null }>(
    `select coalesce((select closed_to_s from candle_cursors where token = $1),
       (select min(minute_s) from marks where token = $1)) as closed_to_s`,
    [token],
  )
  return row?.closed_to_s ?? null
}

export async function moveCursor(sql: Sql, token: string, closedToS: number): Promise<void> {
  await sql.query(
    `insert into candle_cursors (token, closed_to_s) values ($1, $2)
     on conflict (token) do update set closed_to_s = greatest(candle_cursors.closed_to_s, excluded.closed_to_s)`,
    [token, closedToS],
  )
}

const SWEEP_AT_ONCE = 5_000

/** Deletes a token's old bars of an interval, and its old minute volumes. */
export async function sweepCandles(
  sql: Sql,
  token: string,
  {
    intervalS,
    barsBeforeS,
    volumesBeforeS,
  }: { intervalS: number; barsBeforeS: number; volumesBeforeS: number },
): Promise<void> {
  await sql.query(
    `delete from candles where token = $1 and interval_s = $2 and start_s = any (array(
       select start_s from candles where token = $1 and interval_s = $2 and start_s < $3
       order by start_s limit $4))`,
    [token, intervalS, barsBeforeS, SWEEP_AT_ONCE],
  )
  await sql.query(
    `delete from pool_volumes where token = $1 and minute_s = any (array(
       select minute_s from pool_volumes where token = $1 and minute_s < $2 order by minute_s limit $3))`,
    [token, volumesBeforeS, SWEEP_AT_ONCE],
  )
}
