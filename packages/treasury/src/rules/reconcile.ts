import type { Address } from '@pit/chain'
import type { EthBy } from '../types.ts'

/**
 * Fees of the ledger and the amounts that arrived in the same transactions or blocks. `arrived` is null if
 * only the ledger is available: for a token whose transfers are not read, and for ETH in unreadable blocks.
 */
export interface Match {
  token: Address
  ledger: bigint
  trades: number
  arrived: bigint | null
  /** Number of transfers, shown for amounts without a trade in the ledger. */
  transfers: number
}

export interface TokenReconciled {
  token: Address
  /** Fees of trades in the ledger. */
  ledger: bigint
  /** The part of it that arrived on chain. */
  received: bigint
  trades: number
  /** Amounts on chain beyond the ledger. */
  outside: bigint
  outsideTrades: number
}

export interface Reconciled {
  tokens: TokenReconciled[]
  eth: EthBy
  counts: { agrees: number; outside_ledger: number; differences: number }
  /** Fees booked after the row of their blocks: that row already counts them as outside. */
  late: number
}

/**
 * Compares the ledger with the chain. Of the amount on chain, the part in the ledger is received and the rest
 * is outside. If less arrived than was booked, there is a difference, and the missing part is not received.
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
    // Balances do not show which of several trades fell short: it counts as one.
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
