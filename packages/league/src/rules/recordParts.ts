import type { Copying } from './copies.ts'
import type { EntryFacts, Review } from './eligibility.ts'
import type { Party } from './party.ts'
import type { Outcome } from './places.ts'
import type { LedgerRow, StakeRow } from './record.ts'
import type { ScoredRow } from './scoreRow.ts'
import type { SeasonSpan } from './seasons.ts'

/** A season's record and the data it is counted from, in parts that are plain JSON. */

/** Atoms by token as decimal text; null for one that could not be read. */
export type StoredBalances = Record<string, string | null>

export interface StoredOutcome {
  eligible_agents: number
  eligible_owners: number
  active_clusters: number
  pays: boolean
  why: string | null
}

/** A season's outcome as stored and as answered. */
export const outcomeFields = (outcome: Outcome): StoredOutcome => ({
  eligible_agents: outcome.eligibleAgents,
  eligible_owners: outcome.eligibleOwners,
  active_clusters: outcome.activeClusters,
  pays: outcome.pays,
  why: outcome.why,
})

export interface RecordedEntry {
  id: number
  wallet: string
  token: string
  left_at_s: number | null
  /** The row as it was recorded. */
  row: ScoredRow & { entry_id: number }
  facts: Omit<EntryFacts, 'ended'> & {
    party: Omit<Party, 'entryId'>
    copying: Copying | null
    reviews: Review[]
  }
}

export interface RawTrade {
  id: number
  wallet: string
  kind: string
  status: string
  token_in: string | null
  token_out: string | null
  amount_in: string | null
  amount_out: string | null
  tx_hash: string
  mined_at_s: number
  block: number
  /** Gas cost as the league booked it; null if unknown. */
  gas_wei: string | null
  taken: boolean
}

export interface RecordedBalances {
  entry_id: number
  at_s: number
  balances: StoredBalances
}

/** Who first funded an address, in which block; by a core token if it is named. */
export interface RecordedFunder {
  address: string
  funder: string
  block: number
  token: string | null
}

export interface SeasonPart {
  span: SeasonSpan
  decidedAtS: number
  rulesVersion: number
  outcome: StoredOutcome | null
  entries: number
  /** Full hours with the block at which wallets were looked at. */
  samples: { at_s: number; block: number | null }[]
  ledger: LedgerRow | null
  /** The reserve after the last ledger before it. */
  reserveBefore: string
  stakes: { start: StakeRow | null; end: StakeRow | null }
}

/** A page of entries in rank order, with the data stored for each of them. */
export interface EntriesPart {
  entries: RecordedEntry[]
  trades: RawTrade[]
  balances: RecordedBalances[]
  funders: RecordedFunder[]
}

/** Minutes and dollars for a whole token, times 10^18. */
export type MarksPart = [minuteS: number, priceE18: string][]

/** Reads the parts from a store, or from a server that serves them. */
export interface RecordSource {
  season(number: number): Promise<SeasonPart | { none: string }>
  entries(number: number, page: number): Promise<EntriesPart>
  marks(number: number, token: string): Promise<MarksPart>
}

/** Bounds a part: each entry has a balance an hour. */
export const ENTRIES_PER_PART = 100
