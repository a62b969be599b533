import { dollarsOf, RULES } from '@pit/league'
import type { Answer } from '@pit/protocol'
import type { CountedLedger, LedgerRow, PayoutRow, WithdrawalRow } from './store.ts'

export type LedgerAnswer = NonNullable<Answer<'league.season'>['ledger']>

/** Dollars of a price, to the millionth. */
const priceUsd = (priceE18: string | null): number | null =>
  priceE18 === null ? null : dollarsOf(BigInt(priceE18) / 10n ** 12n)

export const describeLedger = (row: LedgerRow): LedgerAnswer => ({
  reserve_before: row.reserve_before,
  gain: row.gain,
  half_gain: row.half_gain,
  added: row.added,
  kept_staked: row.kept_staked,
  cap: row.cap,
  ceiling: row.ceiling,
  reserve: row.reserve,
  budget: row.budget,
  shares: row.shares,
  paid: row.paid,
  paid_total: row.paid_total,
  reserve_after: row.reserve_after,
  cap_usd: RULES.prizeCapUsd,
  partner_usd: priceUsd(row.partner_price_e18),
  mark_ts: row.mark_at_s,
  mark_source: row.mark_source,
  status: row.status,
})

/** The same of one that was only counted. */
export const rowOf = (season: number, counted: CountedLedger): LedgerRow => {
  const { ledger } = counted
  const text = (value: bigint | null | undefined) => value?.toString() ?? null
  return {
    season,
    status: ledger ? 'provisional' : 'incomplete',
    why: counted.why,
    reserve_before: text(counted.reserveBefore),
    gain: text(counted.gain),
    half_gain: text(ledger?.halfGain),
    added: text(ledger?.added),
    kept_staked: text(ledger?.keptStaked),
    cap: text(ledger?.cap),
    ceiling: text(ledger?.ceiling),
    reserve: text(ledger?.reserve),
    budget: text(ledger?.budget),
    shares: (ledger?.shares ?? []).map(String),
    paid: (ledger?.paid ?? []).map(String),
    paid_total: String(ledger?.paidTotal ?? 0n),
    reserve_after: text(ledger?.reserveAfter),
    partner_price_e18: text(counted.partnerPriceE18),
    mark_at_s: counted.markAtS,
    mark_source: counted.markSource,
  }
}

export const describePayout = (row: PayoutRow): Answer<'league.season'>['payouts'][number] => ({
  place: row.place,
  entry_id: row.entry_id,
  agent_id: row.agent_id,
  recipient: row.recipient,
  amount: row.amount,
  status: row.status,
  tx_hash: row.tx_hash,
})

export const describeWithdrawal = (row: WithdrawalRow | undefined): Answer<'league.season'>['withdrawal'] =>
  row ? { tx_hash: row.tx_hash, amount: row.amount, ts: row.at_s, note: row.note } : null
