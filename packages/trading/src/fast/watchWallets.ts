import type { Address } from '@pit/chain'
import type { Market } from '@pit/market'
import type { Clock } from '@pit/platform/clock'
import type { Logger } from '@pit/platform/logger'
import type { Funds } from './facts.ts'
import type { ReadFunds } from './readFunds.ts'

/** What is known of a wallet that traded fast, or asked for the terms, a moment ago. */
export interface WalletHint {
  funds: Funds
  tierBps: number
}

export interface WalletWatch {
  /** Null when nothing fresh is known. Good enough to pass by; a refusal is never by a hint alone. */
  hint(wallet: Address): WalletHint | null
  /** Keeps a wallet's data fresh for a while. */
  want(wallet: Address): void
  close(): void
}

const WARM_MS = 60_000
const MAX_WALLETS = 64
const REFRESH_EVERY_MS = 250
const HINT_MAX_AGE_MS = 1_500
const REST_AFTER_FAILURE_MS = 2_000

interface Watched {
  wantedAtMs: number
  hint: WalletHint | null
}

/** Reads balances, allowances and tiers of active wallets again with each block, ahead of their trades. */
export function watchWallets({
  market,
  clock,
  logger,
  readFunds,
  tierBps,
}: {
  market: Pick<Market, 'onBlock'>
  clock: Clock
  logger: Pick<Logger, 'debug'>
  readFunds: ReadFunds
  tierBps(wallet: Address): Promise<number>
}): WalletWatch {
  const watched = new Map<Address, Watched>()
  let nextAtMs = 0
  let underWay = false

  async function refresh(): Promise<void> {
    const wallets = [...watched.keys()]
    const [funds, tiers] = await Promise.all([readFunds(wallets), Promise.all(wallets.map(tierBps))])
    for (const [i, wallet] of wallets.entries()) {
      const entry = watched.get(wallet)
      if (entry) entry.hint = { funds: funds[i]!, tierBps: tiers[i]! }
    }
  }

  function refreshSoon(): void {
    const nowMs = clock.nowMs()
    for (const [wallet, { wantedAtMs }] of watched) {
      if (nowMs - wantedAtMs > WARM_MS) watched.delete(wallet)
    }
    if (underWay || watched.size === 0 || nowMs < nextAtMs) return
    underWay = true
    nextAtMs = nowMs + REFRESH_EVERY_MS
    refresh()
      .catch((error: unknown) => {
        // Whoever trades meanwhile reads for itself, and is told what is wrong.
        nextAtMs = clock.nowMs() + REST_AFTER_FAILURE_MS
        logger.debug({ err: error }, 'wallets could not be kept warm')
      })
      .finally(() => {
        underWay = false
      })
  }
  const stop = market.onBlock(refreshSoon)

  return {
    hint(wallet) {
      const hint = watched.get(wallet)?.hint ?? null
      if (hint === null) return null
      const ageMs = clock.nowMs() - hint.funds.readAtMs
      return ageMs >= 0 && ageMs <= HINT_MAX_AGE_MS ? hint : null
    },
    want(wallet) {
      const hint = watched.get(wallet)?.hint ?? null
      // Deleted first, so that the map's order is by who was wanted last.
      watched.delete(wallet)
      watched.set(wallet, { wantedAtMs: clock.nowMs(), hint })
      if (watched.size > MAX_WALLETS) watched.delete(watched.keys().next().value!)
    },
    close: stop,
  }
}
