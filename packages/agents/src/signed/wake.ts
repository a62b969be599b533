import type { Db } from '@pit/platform/db'
import { tickBy } from './applyVerdicts.ts'
import type { RoundMark } from './missedRounds.ts'

/** Orders whose trigger this round meets, by an index of their prices. $1 token, $2 price, $3 time of the round. */
const ARMED = `agent_id, id from signed_orders where not ended and met_rounds is null and watched_from_s is not null
  and watched_from_s < $3 and trigger_token = $1`
export const CROSSED = `select ${ARMED} and below_e18 is not null and below_e18 >= $2::numeric
  union all select ${ARMED} and above_e18 is not null and above_e18 <= $2::numeric`
const BELOW_PEAK = `select ${ARMED} and trigger_kind = 'trailing' and peak_e18 < $2::numeric`

/**
 * Stores which triggers a new round meets and the new peaks of trailing ones, and lets the agents of the
 * former tick at once. Returns whether any does. A round met by several processes is stored once; a trailing
 * trigger is met only by a round later than its peak.
 */
export async function meetRound(db: Db, mark: RoundMark, nowMs: number): Promise<boolean> {
  if (mark.staleWhy === 'frozen') return false
  const round = mark.roundId?.toString() ?? null
  const values = [mark.token, mark.priceE18.toString(), mark.updatedAtS, round]
  return db.transaction(async (sql) => {
    if (round !== null) {
      await sql.query(
        `with risen as (${BELOW_PEAK})
         update signed_orders o set peak_e18 = $2::numeric, peak_round = $4,
           below_e18 = div($2::numeric * (10000 - o.trail_bps), 10000)
         from risen r where o.agent_id = r.agent_id and o.id = r.id`,
        values,
      )
    }
    const met = await sql.query<{ agent_id: string }>(
      `with crossed as (${CROSSED})
       update signed_orders o set met_rounds = case when $4::text is null then '{}'
         when o.trigger_kind = 'trailing' then array[o.peak_round, $4] else array[$4] end
       from crossed c where o.agent_id = c.agent_id and o.id = c.id and o.met_rounds is null
         and (o.trigger_kind <> 'trailing' or o.peak_round::numeric < $4::text::numeric)
       returning o.agent_id`,
      values,
    )
    if (met.length === 0) return false
    return tickBy(sql, [...new Set(met.map(({ agent_id }) => agent_id))], nowMs)
  })
}
