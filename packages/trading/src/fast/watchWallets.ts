import type { Address } from '@pit/chain'
import type { Market } from '@pit/market'
import type { Clock } from '@pit/platform/clock'
import type { Logger } from '@pit/platform/monitoring'
import type { Funds } from './facts.ts'
import type { ReadFunds } from './readFunds.ts'

/** Recent data of a wallet that traded fast or read the terms. */
export interface WalletHint {
  funds: Funds
  tierBps: number
}

export interface WalletWatch {
  /** Null without fresh data. A trade may pass on a hint, but is never refused on a hint alone. */
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

/** Refreshes balances, allowances and tiers of active wallets at each block, ahead of their trades. */
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
        // Trades meanwhile read for themselves and report the error.
        nextAtMs = clock.nowMs() + REST_AFTER_FAILURE_MS
        logger.debug({ err: error }, 'failed to refresh wallet data')
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
      // Deleted first, so that the map is ordered by last use.
      watched.delete(wallet)
      watched.set(wallet, { wantedAtMs: clock.nowMs(), hint })
      if (watched.size > MAX_WALLETS) watched.delete(watched.keys().next().value!)
    },
    close: stop,
  }
}
