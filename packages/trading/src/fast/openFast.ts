import type { Address } from '@pit/chain'
import type { Market } from '@pit/market'
import type { Logger } from '@pit/platform/monitoring'
import { type ChainProfile, fail, stockSessionOf } from '@pit/protocol'
import type { FastFee } from './facts.ts'
import { type FastDeps, type FastTrade, type FastTradeRequest, fastTrade } from './fastTrade.ts'
import { feeOfWallet } from './gather.ts'
import { createFundsReader } from './readFunds.ts'
import { openTable, type PinnedTable } from './table.ts'
import { watchWallets } from './watchWallets.ts'

export type FastOptions = Omit<FastDeps, 'pinned' | 'watch' | 'readFunds' | 'market' | 'stockSession'> & {
  market: Pick<Market, 'head' | 'index' | 'mark' | 'pool' | 'onBlock'>
  profile: ChainProfile
  logger: Pick<Logger, 'debug'>
  /** Opt-in; off if nothing is relayed. */
  enabled: boolean
}

/** Everything a client needs to build a trade, except its own amounts. */
export interface FastTerms {
  enabled: boolean
  fee: Pick<FastFee, 'tier' | 'bps'> & { recipient: Address | null }
  baseFeeWei: bigint | null
  stocksOpen: boolean
  nowMs: number
}

export interface Fast {
  /** Opted in, and the chain has routes for it. */
  enabled: boolean
  pinned: Pick<PinnedTable, 'table' | 'sha256'>
  /** Maximum gas limit × fee cap. */
  maxCostWei: string
  tradeFast(request: FastTradeRequest): Promise<FastTrade>
  readTerms(request: { wallet: Address; shield: boolean }): Promise<FastTerms>
  close(): void
}

/** Fast mode: one call from signed bytes to the sequencer, on routes that both sides have pinned. */
export function openFast(options: FastOptions): Fast {
  const { market, clock, account, rpc, profile, logger } = options
  const pinned = openTable(profile, options.crypto)
  const { addresses } = pinned
  const stockSession = stockSessionOf(profile)
  const enabled = options.enabled && addresses !== null && pinned.routes.size > 0
  const readFunds = createFundsReader({ rpc, profile, pinned, nowMs: clock.nowMs })
  const watch = watchWallets({ market, clock, logger, readFunds, tierBps: account.tierBps })
  const deps = addresses && { ...options, pinned: { ...pinned, addresses }, watch, readFunds, stockSession }
  const closes = [...pinned.routes.values()].some(
    ({ tokenIn, tokenOut }) => tokenIn.hasHours || tokenOut.hasHours,
  )
  return {
    enabled,
    pinned,
    maxCostWei: profile.limits.fast.max_cost_wei,
    tradeFast: (request) => (deps === null ? fail('FAST_DISABLED') : fastTrade(deps, request)),
    async readTerms({ wallet, shield }) {
      // A caller that reads the terms is about to trade.
      if (enabled) watch.want(wallet)
      const tierBps = await account.tierBps(wallet)
      const nowMs = clock.nowMs()
      return {
        enabled,
        fee:
          addresses === null
            ? { tier: tierBps, bps: tierBps, recipient: null }
            : feeOfWallet(tierBps, shield, null, addresses.feeRecipient),
        baseFeeWei: market.head()?.baseFeeWei ?? null,
        stocksOpen: !closes || stockSession(nowMs),
        nowMs,
      }
    },
    close: watch.close,
  }
}
