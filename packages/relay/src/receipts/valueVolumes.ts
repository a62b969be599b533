import { pricesAt } from '@pit/market'
import type { Sql } from '@pit/platform/db'
import { type ChainProfile, lower, markPrice } from '@pit/protocol'

const AT_ONCE = 500
/** A minute's mark is written in its first seconds; only after this an earlier one is used. */
const MARK_DUE_S = 120
const MARK_MAX_AGE_S = 3_600
const MINUTE_S = 60
/** A trade without a mark by then has no volume, nor does one whose token has no marks. */
const GIVE_UP_S = 7_200

/** Divisor from atoms × e18 price to micro-dollars, for each token with marks. */
export function volumeScales(profile: ChainProfile): Map<string, bigint> {
  const tokens = [...profile.core_tokens, ...profile.listed_stocks]
  return new Map(tokens.map(({ address, decimals }) => [lower(address), markPrice(1n, decimals).den]))
}

/**
 * Values mined trades at the mark of their minute, rounded down: the amount of the counting side, actual if the
 * receipt showed it; a trade that delivered nothing counts zero. A trade with a separate fee counts once that
 * fee is mined. Processes one page from an id on, since many trades may wait for a mark; returns how many it
 * valued and where to continue, zero for the start.
 */
export async function valueVolumes(
  sql: Sql,
  scales: ReadonlyMap<string, bigint>,
  nowS: number,
  { after = 0, atOnce = AT_ONCE }: { after?: number; atOnce?: number } = {},
): Promise<{ valued: number; next: number }> {
  const page = await sql.query<{ id: number; volume_token: string; mined_at_s: number }>(
    `select id, volume_token, mined_at_s from trades
     where status = 'mined' and volume_token is not null and volume_micro_usd is null and id > $1
     order by id limit $2`,
    [after, atOnce],
  )
  const prices = await pricesAt(
    sql,
    page.map(({ volume_token, mined_at_s }) => ({
      token: volume_token,
      atS: mined_at_s,
      afterS: mined_at_s - (mined_at_s < nowS - MARK_DUE_S ? MARK_MAX_AGE_S : MINUTE_S),
    })),
  )
  const valued = page.length === 0 ? 0 : await writeVolumes(sql, scales, nowS, page, prices)
  return { valued, next: page.length === atOnce ? page.at(-1)!.id : 0 }
}

/** Checks the current rows: a trade whose block changed since its price was read waits for the next round. */
async function writeVolumes(
  sql: Sql,
  scales: ReadonlyMap<string, bigint>,
  nowS: number,
  page: readonly { id: number; volume_token: string; mined_at_s: number }[],
  prices: readonly (bigint | null)[],
): Promise<number> {
  const written = await sql.query(
    `update trades t set volume_micro_usd = coalesce(priced.volume, 0)
     from (
       select u.id, given.hopeless, case when not u.fee_apart or fee.status = 'mined'
           then div(case when u.amount_out is null then 0 when u.volume_token = u.token_in then u.amount_in
               else u.amount_out end * given.price_e18::numeric, given.scale::numeric) end as volume
       from unnest($1::int8[], $2::int8[], $3::text[], $4::text[], $5::boolean[])
         as given (id, mined_at_s, price_e18, scale, hopeless)
       join trades u on u.id = given.id and u.mined_at_s = given.mined_at_s
       left join trades fee on u.fee_apart and fee.tx_hash = u.fee_tx_hash) as priced
     where t.id = priced.id and (priced.volume is not null or priced.hopeless)
       and t.status = 'mined' and t.volume_micro_usd is null returning 1`,
    [
      page.map(({ id }) => id),
      page.map(({ mined_at_s }) => mined_at_s),
      prices.map((price) => price?.toString() ?? null),
      page.map(({ volume_token }) => scales.get(volume_token)?.toString() ?? null),
      page.map(({ volume_token, mined_at_s }) => !scales.has(volume_token) || mined_at_s < nowS - GIVE_UP_S),
    ],
  )
  return written.length
}
