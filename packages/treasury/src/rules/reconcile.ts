import type { Address } from '@pit/chain'
import type { EthBy } from '../types.ts'

/**
 * Fees of the ledger beside what arrived by the same transactions, or in the same blocks. `arrived` is null
 * where only the ledger can say: of a token whose transfers are not read, and of ETH in blocks that nobody
 * could read.
 */
export interface Match {
  token: Address
  ledger: bigint
  trades: number
  arrived: bigint | null
  /** How many transfers brought it: the count shown for what no trade of the ledger explains. */
  transfers: number
}

export interface TokenReconciled {
  token: Address
  /** What the ledger says came in by trades. */
  ledger: bigint
  /** What of it the chain shows. */
  received: bigint
  trades: number
  /** What the chain shows beyond the ledger. */
  outside: bigint
  outsideTrades: number
}

export interface Reconciled {
  tokens: TokenReconciled[]
  eth: EthBy
  counts: { agrees: number; outside_ledger: number; differences: number }
  /** Booked after their blocks' row was recorded: what they brought is in that row already, as outside. */
  late: number
}

/**
 * Holds the ledger against the chain. What the chain shows is what came in: the part that the ledger explains
 * is received, the rest outside. Where less arrived than was booked there is a difference, and what did not
 * arrive is not received.
 */
export function reconcile({
  matches,
  eth,
  late,
}: {
  matches: readonly Match[]
  eth: EthBy
  late: number
}): Reconciled {
  const byToken = new Map<Address, TokenReconciled>()
  const counts = { agrees: 0, outside_ledger: 0, differences: 0 }
  for (const { token, ledger, trades, arrived, transfers } of matches) {
    const sums = byToken.get(token) ?? {
      token,
      ledger: 0n,
      received: 0n,
      trades: 0,
      outside: 0n,
      outsideTrades: 0,
    }
    byToken.set(token, sums)
    const missing = arrived !== null && arrived < ledger ? ledger - arrived : 0n
    sums.ledger += ledger
    sums.received += ledger - missing
    sums.trades += trades
    // Which of several trades fell short, balances do not say: it counts as one.
    const short = missing > 0n ? 1 : 0
    counts.differences += short
    counts.agrees += Math.max(0, trades - short)
    if (arrived === null || arrived <= ledger) continue
    const strangers = trades === 0 ? transfers : 1
    sums.outside += arrived - ledger
    sums.outsideTrades += strangers
    counts.outside_ledger += strangers
  }
  const tokens = [...byToken.values()].sort((a, b) => (a.token < b.token ? -1 : 1))
  return { tokens, eth, counts, late }
}
