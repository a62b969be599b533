import type { Sql } from '@pit/platform/db'
import { gainOver } from '../chain/readStakes.ts'
import { countLedger, type MarketRecord, type SeasonSpan } from '../rules/index.ts'
import type { CountedLedger } from './store.ts'

/** Values an operator supplies if the record lacks them. */
export interface LedgerOverrides {
  gain: bigint | null
  partnerPriceE18: bigint | null
}
const NO_OVERRIDES: LedgerOverrides = { gain: null, partnerPriceE18: null }

/** A season's ledger: from the reserve before it, the stake's gain and the token's median of its last day. */
export async function countSeason(
  sql: Sql,
  span: SeasonSpan,
  {
    placesWon,
    partner,
    market,
    overrides = NO_OVERRIDES,
  }: {
    placesWon: number
    partner: string | null
    /** With the marks of the season's end. */
    market: MarketRecord
    overrides?: LedgerOverrides
  },
): Promise<CountedLedger> {
  const before = await reserveBefore(sql, span.number)
  const gain = (await gainOver(sql, span)) ?? overrides.gain
  const end = partner === null ? null : market.endMark(partner)
  const mark = end?.priceE18 ?? null
  const partnerPriceE18 = mark ?? overrides.partnerPriceE18
  const inputs = {
    reserveBefore: before.atoms,
    gain,
    partnerPriceE18,
    markAtS: partnerPriceE18 === null ? null : span.endsAtS,
    markDiverges: mark === null ? null : end!.diverges,
    markSource: partnerPriceE18 === null ? null : mark === null ? ('manual' as const) : ('marks' as const),
  }
  const lacking =
    before.why ??
    (gain === null ? 'the stake at the season’s start or end has not been read' : null) ??
    (partnerPriceE18 === null ? 'the platform-linked token had no mark on the season’s last day' : null)
  if (lacking !== null || before.atoms === null || gain === null || partnerPriceE18 === null)
    return { ...inputs, why: lacking, ledger: null }
  const ledger = countLedger({ reserveBefore: before.atoms, gain, partnerPriceE18, placesWon })
  return { ...inputs, why: null, ledger }
}

/** The reserve before a season, or the reason it is unknown. */
export type ReserveBefore =
  | { status: 'known'; atoms: bigint; why: null }
  | { status: 'undecided' | 'incomplete'; atoms: null; why: string }

/** The reserve left by earlier seasons; zero before the first. A missed season changes nothing. */
export async function reserveBefore(sql: Sql, number: number): Promise<ReserveBefore> {
  const [open] = await sql.query<{ number: number }>(
    `select number from league_seasons where number < $1 and state in ('open', 'closing', 'provisional')
     order by number limit 1`,
    [number],
  )
  if (open) return { status: 'undecided', atoms: null, why: `season ${open.number} is not decided yet` }
  const [last] = await sql.query<{ season: number; reserve_after: string | null }>(
    'select season, reserve_after from league_ledger where season < $1 order by season desc limit 1',
    [number],
  )
  if (!last) return { status: 'known', atoms: 0n, why: null }
  if (last.reserve_after === null)
    return { status: 'incomplete', atoms: null, why: `the ledger of season ${last.season} is incomplete` }
  return { status: 'known', atoms: BigInt(last.reserve_after), why: null }
}
