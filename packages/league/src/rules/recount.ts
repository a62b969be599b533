import type { ChainProfile } from '@pit/protocol'
import { firstDifference } from './difference.ts'
import type { SeasonRecord } from './readRecord.ts'
import { type ChainFacts, rebuildSeason } from './rebuildSeason.ts'

/** The first difference between the record and the chain or the rules. */
export interface Difference {
  path: string
  recorded: unknown
  rebuilt: unknown
}

/** Gas as the record has it. */
export const asRecorded: ChainFacts = {
  gasOf: ({ gas_wei }) => (gas_wei === null ? null : BigInt(gas_wei)),
}

/** Recomputes a season and compares it with its record. */
export function recountSeason(
  record: SeasonRecord,
  profile: ChainProfile,
  chain: ChainFacts = asRecorded,
): { trades: number; difference: Difference | null } {
  const rebuilt = rebuildSeason(record, profile, chain)
  return { trades: rebuilt.trades, difference: recordDifference(record, rebuilt) }
}

function recordDifference(
  record: SeasonRecord,
  rebuilt: ReturnType<typeof rebuildSeason>,
): Difference | null {
  const rows = record.entries.map(({ row }, i) => counted(row, rebuilt.rows[i] ?? {}))
  return (
    firstDifference({ outcome: record.outcome }, { outcome: rebuilt.outcome }) ??
    firstDifference({ rows }, { rows: rebuilt.rows }) ??
    (rebuilt.ledger &&
      firstDifference({ ledger: counted(record.ledger ?? {}, rebuilt.ledger) }, { ledger: rebuilt.ledger }))
  )
}

/** The compared fields of a recorded row: names and addresses come from the registry. */
const counted = (row: object, like: object): object =>
  Object.fromEntries(Object.keys(like).map((key) => [key, (row as Record<string, unknown>)[key]]))

/** Compares published standings with the record. Prizes are part of the ledger, which is compared separately. */
export function publishedDifference(
  rows: readonly object[],
  { entries }: Pick<SeasonRecord, 'entries'>,
): Difference | null {
  const withoutPrize = (row: object) => ({ ...row, prize_atoms: null })
  return firstDifference(
    { published: rows.map(withoutPrize) },
    { published: entries.map(({ row }) => withoutPrize(row)) },
  )
}
