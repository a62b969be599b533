import { type Answer, rescaleDown, usdOf } from '@pit/protocol'
import { type LedgerRow, ledgerTexts, RULES } from '../rules/index.ts'
import type { CountedLedger, PayoutRow, WithdrawalRow } from './store.ts'

export type LedgerAnswer = NonNullable<Answer<'league.season'>['ledger']>

/** Dollars of a price, to the millionth. */
export const priceUsd = (priceE18: string | bigint | null): number | null =>
  priceE18 === null ? null : usdOf(rescaleDown(BigInt(priceE18), 18, 6))

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
  mark_diverges: row.mark_diverges,
  status: row.status,
})

const UNCOUNTED = {
  half_gain: null,
  added: null,
  kept_staked: null,
  cap: null,
  ceiling: null,
  reserve: null,
  budget: null,
  shares: [],
  paid: [],
  paid_total: '0',
  reserve_after: null,
}

/** The row of a ledger that is counted but not stored. */
export const rowOf = (season: number, counted: CountedLedger): LedgerRow => {
  const { ledger, reserveBefore, gain, partnerPriceE18 } = counted
  return {
    season,
    status: ledger ? 'provisional' : 'incomplete',
    why: counted.why,
    reserve_before: reserveBefore?.toString() ?? null,
    gain: gain?.toString() ?? null,
    ...(ledger ? ledgerTexts(ledger) : UNCOUNTED),
    partner_price_e18: partnerPriceE18?.toString() ?? null,
    mark_at_s: counted.markAtS,
    mark_source: counted.markSource,
    mark_diverges: counted.markDiverges,
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
