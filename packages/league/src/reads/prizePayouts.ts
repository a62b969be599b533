import type { Sql } from '@pit/platform/db'
import { type Answer, BPS, LEAGUE } from '@pit/protocol'
import { priceUsd } from '../reserve/describe.ts'
import { allLedgers, type PayoutRow, payoutsOf, type WithdrawalRow, withdrawalsOf } from '../reserve/store.ts'
import { type LedgerRow, RULES } from '../rules/index.ts'
import { allSeasons, type SeasonRow } from '../season/store.ts'

type PrizePayout = Answer<'treasury'>['prize_payouts'][number]
type Token = Pick<PrizePayout, 'token' | 'symbol' | 'decimals'>

/** Paid prizes by season, for the treasury's record; none before the first was mined. */
export async function prizePayouts(
  sql: Sql,
  { address: token, symbol, decimals }: { address: string; symbol: string; decimals: number },
): Promise<PrizePayout[]> {
  const ledgers = (await allLedgers(sql)).filter(({ status }) => status === 'settled')
  const numbers = ledgers.map(({ season }) => season)
  const seasons = await allSeasons(sql)
  const payouts = await payoutsOf(sql, numbers)
  const withdrawals = await withdrawalsOf(sql, numbers)
  return composePayouts({ ledgers, seasons, payouts, withdrawals, token: { token, symbol, decimals } })
}

/**
 * Every settled season once anything was paid, newest first. A prize is in the reserve until its transfer is
 * mined: `after` is `before + added - paid`, and `before` is what the season before it left, at any moment.
 */
export function composePayouts({
  ledgers,
  seasons,
  payouts,
  withdrawals,
  token,
}: {
  ledgers: readonly LedgerRow[]
  seasons: readonly Pick<SeasonRow, 'number' | 'starts_at_s' | 'ends_at_s'>[]
  payouts: readonly PayoutRow[]
  withdrawals: readonly WithdrawalRow[]
  token: Token
}): PrizePayout[] {
  if (!payouts.some(isMined)) return []
  const spans = new Map(seasons.map((season) => [season.number, season]))
  const rows: PrizePayout[] = []
  let unpaid = 0n
  for (const ledger of [...ledgers].sort((a, b) => a.season - b.season)) {
    const { starts_at_s: start, ends_at_s: end } = spans.get(ledger.season)!
    const own = payouts.filter(({ season }) => season === ledger.season)
    const mined = own.filter(isMined)
    const paid = sumOf(mined)
    const before = BigInt(ledger.reserve_before ?? 0) + unpaid
    const added = BigInt(ledger.added ?? 0)
    unpaid += BigInt(ledger.paid_total) - paid
    rows.push({
      season: { id: ledger.season, start, end },
      ...token,
      stake: {
        gain: ledger.gain ?? '0',
        to_reserve: ledger.added ?? '0',
        kept_staked: ledger.kept_staked ?? '0',
      },
      cap: {
        usd: RULES.prizeCapUsd,
        partner_usd: priceUsd(ledger.partner_price_e18),
        partner: ledger.cap,
      },
      reserve: {
        before: String(before),
        added: String(added),
        ceiling: ledger.ceiling,
        payout: ledger.budget ?? '0',
        paid: String(paid),
        after: String(before + added - paid),
      },
      recipients: mined.map(describeRecipient),
      stake_withdrawal: describeWithdrawal(withdrawals.find(({ season }) => season === ledger.season)),
      distributor: distributorOf(mined),
      note: own.length > mined.length ? `${own.length - mined.length} more are planned` : null,
    })
  }
  return rows.reverse()
}

const isMined = ({ status }: PayoutRow): boolean => status === 'mined'

const sumOf = (payouts: readonly PayoutRow[]): bigint =>
  payouts.reduce((sum, { amount }) => sum + BigInt(amount), 0n)

const describeRecipient = (payout: PayoutRow): PrizePayout['recipients'][number] => ({
  rank: payout.place,
  agent: payout.agent_id,
  wallet: payout.recipient,
  share_bps: ((LEAGUE.splitPct[payout.place - 1] ?? 0) * BPS) / 100,
  amount: payout.amount,
  tx_hash: payout.tx_hash,
})

const describeWithdrawal = (row: WithdrawalRow | undefined): PrizePayout['stake_withdrawal'] =>
  row ? { tx_hash: row.tx_hash, amount: row.amount, note: row.note } : null

function distributorOf(mined: readonly PayoutRow[]): PrizePayout['distributor'] {
  const senders = new Set(mined.map(({ sender }) => sender))
  return senders.size === 1 ? ([...senders][0] ?? null) : null
}
