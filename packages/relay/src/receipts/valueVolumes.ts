import type { Sql } from '@pit/platform/db'
import type { ChainProfile } from '@pit/protocol'
import { lower } from '../deps.ts'

const AT_ONCE = 500
/** A minute's mark is written in its first seconds; only after this is an earlier one taken instead. */
const MARK_DUE_S = 120
const MARK_MAX_AGE_S = 3_600
/** A trade without a mark by then counts no volume, nor does one whose token can have no mark. */
const GIVE_UP_S = 7_200

/** The divisor from atoms times an e18 price to micro-dollars, for each token with marks. */
export function volumeScales(profile: ChainProfile): Map<string, bigint> {
  const tokens = [...profile.core_tokens, ...profile.listed_stocks]
  return new Map(tokens.map(({ address, decimals }) => [lower(address), 10n ** BigInt(decimals + 12)]))
}

/**
 * Values mined trades by the mark of their minute, rounded down: the amount of the side that counts, actual
 * where the receipt showed it; one that delivered nothing counts nothing. A trade whose fee travelled apart
 * counts once that fee is mined. Looks at one page from an id on, since those that wait for a mark may be
 * many; answers how many it valued and where to go on, zero for the start.
 */
export async function valueVolumes(
  sql: Sql,
  scales: ReadonlyMap<string, bigint>,
  nowS: number,
  { after = 0, atOnce = AT_ONCE }: { after?: number; atOnce?: number } = {},
): Promise<{ valued: number; next: number }> {
  const [page] = await sql.query<{ valued: number; seen: number; last: number | null }>(
    `with unvalued as (
       select id, volume_token, mined_at_s, fee_apart, fee_tx_hash,
         case when amount_out is null then 0 when volume_token = token_in then amount_in else amount_out end as atoms
       from trades where status = 'mined' and volume_token is not null and volume_micro_usd is null and id > $4
       order by id limit $5),
     priced as (
       select u.id, case when not u.fee_apart or fee.status = 'mined'
           then div(u.atoms * found.price_e18, scale.by::numeric) end as volume,
         scale.by is null or u.mined_at_s < $3::int8 - ${GIVE_UP_S} as hopeless
       from unvalued u
       left join unnest($1::text[], $2::text[]) as scale (token, by) on scale.token = u.volume_token
       left join lateral (
         select price_e18 from marks
         where marks.token = u.volume_token and marks.minute_s <= u.mined_at_s
           and marks.minute_s > u.mined_at_s - ${MARK_MAX_AGE_S}
           and (marks.minute_s > u.mined_at_s - 60 or u.mined_at_s < $3::int8 - ${MARK_DUE_S})
         order by marks.minute_s desc limit 1) as found on true
       left join trades fee on u.fee_apart and fee.tx_hash = u.fee_tx_hash),
     valued as (
       update trades t set volume_micro_usd = coalesce(priced.volume, 0) from priced
       where t.id = priced.id and (priced.volume is not null or priced.hopeless)
         and t.status = 'mined' and t.volume_micro_usd is null returning 1)
     select (select count(*) from valued)::int4 as valued, count(*)::int4 as seen, max(id) as last from unvalued`,
    [[...scales.keys()], [...scales.values()].map(String), nowS, after, atOnce],
  )
  const { valued = 0, seen = 0, last = null } = page ?? {}
  return { valued, next: seen === atOnce && last !== null ? last : 0 }
}
