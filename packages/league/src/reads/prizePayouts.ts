import type { Sql } from '@pit/platform/db'
import { type Answer, BPS, LEAGUE } from '@pit/protocol'
import { priceUsd } from '../reserve/describe.ts'
import { allLedgers, payoutsOf, withdrawalsOf } from '../reserve/store.ts'
import { RULES } from '../rules/index.ts'
import { allSeasons } from '../season/store.ts'

type PrizePayout = Answer<'treasury'>['prize_payouts'][number]

/** What prizes were paid, season by season, for the treasury's record; none before the first was mined. */
export async function prizePayouts(
  sql: Sql,
  token: { address: string; symbol: string; decimals: number },
): Promise<PrizePayout[]> {
  const ledgers = (await allLedgers(sql)).filter(({ status }) => status === 'settled')
  const seasons = new Map((await allSeasons(sql)).map((row) => [row.number, row]))
  const numbers = ledgers.map(({ season }) => season)
  const payouts = await payoutsOf(sql, numbers)
  const withdrawals = new Map((await withdrawalsOf(sql, numbers)).map((row) => [row.season, row]))
  return ledgers.flatMap((row): PrizePayout[] => {
    const own = payouts.filter(({ season }) => season === row.season)
    const mined = own.filter(({ status }) => status === 'mined')
    const season = seasons.get(row.season)
    if (mined.length === 0 || !season) return []
    const withdrawal = withdrawals.get(row.season)
    const senders = new Set(mined.map(({ sender }) => sender))
    const paid = mined.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
    const open = own.length - mined.length
    return [
      {
        season: { id: row.season, start: season.starts_at_s, end: season.ends_at_s },
        token: token.address,
        symbol: token.symbol,
        decimals: token.decimals,
        stake: { gain: row.gain ?? '0', to_reserve: row.added ?? '0', kept_staked: row.kept_staked ?? '0' },
        cap: {
          usd: RULES.prizeCapUsd,
          partner_usd: priceUsd(row.partner_price_e18),
          partner: row.cap,
        },
        reserve: {
          before: row.reserve_before ?? '0',
          added: row.added ?? '0',
          ceiling: row.ceiling,
          payout: row.budget ?? '0',
          paid: String(paid),
          after: row.reserve_after ?? '0',
        },
        recipients: mined.map((payout) => ({
          rank: payout.place,
          agent: payout.agent_id,
          wallet: payout.recipient,
          share_bps: ((LEAGUE.splitPct[payout.place - 1] ?? 0) * BPS) / 100,
          amount: payout.amount,
          tx_hash: payout.tx_hash,
        })),
        stake_withdrawal: withdrawal
          ? { tx_hash: withdrawal.tx_hash, amount: withdrawal.amount, note: withdrawal.note }
          : null,
        distributor: senders.size === 1 ? ([...senders][0] ?? null) : null,
        note: open > 0 ? `${open} more are planned` : null,
      },
    ]
  })
}
