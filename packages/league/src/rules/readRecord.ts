import type { MinuteMark } from './marks.ts'
import { ENTRIES_PER_PART, type EntriesPart, type RecordSource, type SeasonPart } from './recordParts.ts'

/** A season's record with the data it is counted from, for an independent recount. */
export interface SeasonRecord extends Omit<SeasonPart, 'entries'>, EntriesPart {
  marks: Map<string, Pick<MinuteMark, 'minuteS' | 'priceE18'>[]>
}

/** A decided season's record with the marks of these tokens, or why there is none. */
export async function readRecord(
  source: RecordSource,
  number: number,
  tokens: readonly string[],
): Promise<SeasonRecord | { none: string }> {
  const season = await source.season(number)
  if ('none' in season) return season
  const { entries: count, ...head } = season
  const pages: EntriesPart[] = []
  for (let page = 0; page * ENTRIES_PER_PART < count; page++) pages.push(await source.entries(number, page))
  const marks: SeasonRecord['marks'] = new Map()
  for (const token of tokens) {
    const rows = await source.marks(number, token)
    marks.set(
      token,
      rows.map(([minuteS, priceE18]) => ({ minuteS, priceE18: BigInt(priceE18) })),
    )
  }
  return {
    ...head,
    entries: pages.flatMap(({ entries }) => entries),
    // Entries of one wallet on two pages share its trades.
    trades: [...new Map(pages.flatMap(({ trades }) => trades).map((trade) => [trade.id, trade])).values()],
    balances: pages.flatMap(({ balances }) => balances),
    funders: pages.flatMap(({ funders }) => funders),
    marks,
  }
}
