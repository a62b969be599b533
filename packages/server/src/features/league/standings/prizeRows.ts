import { type JudgedSeason, judgeSeason, scoreRow } from '@pit/league'
import { type Answer, NATIVE_TOKEN } from '@pit/protocol'
import type { StoredEntry } from '../entries/store.ts'
import type { SeasonRow } from '../season/store.ts'
import type { SeasonEntry } from './facts.ts'

export type PrizeRow = Extract<Answer<'league.standings'>['rows'][number], { wallet: string }>

/** What an entry's row says whatever it traded. Label, symbol and name are other people's text. */
const entryPart = (entry: StoredEntry, live: boolean) => ({
  entry_id: entry.id,
  agent_id: entry.agent_id,
  board: 'prize' as const,
  kind: 'wallet' as const,
  label: entry.name || entry.symbol || `Agent ${entry.agent_id}`,
  symbol: entry.symbol,
  name: entry.name,
  token: entry.token === NATIVE_TOKEN ? null : entry.token,
  owner: entry.owner,
  wallet: entry.wallet,
  live,
})

/** The rows of a season that is not decided, in rank order, with how they were judged. */
export function prizeRows(
  entries: readonly SeasonEntry[],
  season: SeasonRow,
  { amounts, nowS }: { amounts: readonly bigint[]; nowS: number },
): { rows: PrizeRow[]; judged: JudgedSeason } {
  const ended = nowS >= season.ends_at_s
  const judged = judgeSeason(
    entries.map(({ record }) => record),
    ended ? 'ended' : 'running',
  )
  const byId = new Map(entries.map((each) => [each.entry.id, each]))
  const rows = judged.rows.map((row) => {
    const { entry, record } = byId.get(row.entryId)!
    const { left } = record.facts
    return {
      ...entryPart(entry, season.state === 'open' && !ended && !left),
      ...scoreRow(record.numbers, row, { amounts, checkedAtS: nowS }),
      valued_at: Math.min(season.valued_at_s === null ? nowS : season.ends_at_s, season.ends_at_s),
      left,
    }
  })
  return { rows, judged }
}
