import type { Sql } from '@pit/platform/db'
import type { ChainProfile } from '@pit/protocol'
import { lower } from '../deps.ts'

const AT_ONCE = 500
/** A minute's mark is written in its first seconds; only after this is an earlier one taken instead. */
const MARK_DUE_S = 120
const MARK_MAX_AGE_S = 3_600
/** Without a mark by then there will be none: the trade counts nothing. So does one whose token can have none. */
const GIVE_UP_S = 7_200

/** Of every token that can have a mark: what its atoms and a price of 10^18 are divided by for micro-dollars. */
export function volumeScales(profile: ChainProfile): Map<string, bigint> {
  const tokens = [...profile.core_tokens, ...profile.listed_stocks]
  return new Map(tokens.map(({ address, decimals }) => [lower(address), 10n ** BigInt(decimals + 12)]))
}

/**
 * Values mined trades by the mark of their minute, rounded down: the amount of the side that counts, actual where the
 * receipt showed it. A trade whose fee travelled apart counts once that fee is mined. Answers how many it valued.
 */
export async function valueVolumes(
  sql: Sql,
  scales: ReadonlyMap<string, bigint>,
  nowS: number,
): Promise<number> {
  const valued = await sql.query(
    `with unvalued as (
       select id, volume_token, mined_at_s, fee_apart, fee_tx_hash,
         case when volume_token = token_in then amount_in else coalesce(amount_out, amount_out_min) end as atoms
       from trades where status = 'mined' and volume_token is not null and volume_micro_usd is null),
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
     due as (select id, coalesce(volume, 0) as volume from priced where volume is not null or hopeless
       order by id limit ${AT_ONCE})
     update trades t set volume_micro_usd = due.volume from due
     where t.id = due.id and t.status = 'mined' and t.volume_micro_usd is null returning 1`,
    [[...scales.keys()], [...scales.values()].map(String), nowS],
  )
  return valued.length
}
