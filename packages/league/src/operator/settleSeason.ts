import type { Sql } from '@pit/platform/db'
import { type ChainProfile, stakingRegistryOf } from '@pit/protocol'
import { assetsOf } from '../books/assets.ts'
import { createMarkBook } from '../books/marks.ts'
import { flagListed, type Listing } from '../reserve/flagListed.ts'
import { type PayoutRow, payoutsOf } from '../reserve/store.ts'
import { readLedger } from '../rules/index.ts'
import { fixLedger, hasOpenBefore, planPayouts } from '../season/decideSeason.ts'
import { lockSeason } from '../season/store.ts'
import { LeagueRefused } from './refused.ts'

export interface Settlement extends Listing {
  season: number
  profile: ChainProfile
  atS: number
  /** USD per whole platform-linked token, times 10^18, if no mark was read at the season's end. */
  partnerPriceE18?: bigint
  /** The stake's gain over the season in atoms, if it could not be read. */
  gain?: bigint
}

/** Fixes the ledger of a decided season; returns the payouts. */
export async function settleSeason(sql: Sql, request: Settlement): Promise<PayoutRow[]> {
  const { season, profile, atS } = request
  const row = await lockSeason(sql, season)
  if (!row) throw new LeagueRefused(`season ${season} does not exist`)
  if (row.state !== 'decided') throw new LeagueRefused(`season ${season} is ${row.state}, not decided`)
  if (await hasOpenBefore(sql, season))
    throw new LeagueRefused('an earlier season is not settled: settle it first')
  const assets = assetsOf(profile)
  const reserveOn = stakingRegistryOf(profile) !== null && profile.league.platform_agent_id !== null
  const storedLedger = await readLedger(sql, season)
  const overrides = { gain: request.gain ?? null, partnerPriceE18: request.partnerPriceE18 ?? null }
  if (
    storedLedger?.status === 'provisional' &&
    (overrides.gain !== null || overrides.partnerPriceE18 !== null)
  )
    throw new LeagueRefused('the ledger is complete: gain and price are taken from the record')
  const counted = await planPayouts(
    { marks: createMarkBook(assets), assets, reserveOn },
    sql,
    row,
    atS,
    overrides,
  )
  if (counted && !counted.ledger) throw new LeagueRefused(`the ledger is incomplete: ${counted.why}`)
  await fixLedger(sql, season, atS)
  await flagListed(sql, request)
  return payoutsOf(sql, [season])
}
