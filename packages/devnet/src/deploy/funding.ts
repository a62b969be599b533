import type { Address } from 'viem'
import type { Acts } from './acts.ts'
import type { Assets, CoreSymbol } from './coreTokens.ts'

/** Balances of each test account besides its 10,000 ETH, in whole tokens. */
const HOLDINGS: Partial<Record<CoreSymbol, bigint>> = {
  USDG: 1_000_000n,
  WETH: 100n,
  cbBTC: 10n,
  PARTNER: 100_000n,
  NVDA: 500n,
  SPY: 200n,
  AAPL: 100n,
  TSLA: 100n,
  MSFT: 100n,
}
export const ACCOUNT_ETH_WEI = 10_000n * 10n ** 18n

export function queueFunding(acts: Acts, assets: Assets, accounts: Address[]): void {
  for (const account of accounts) {
    for (const [symbol, whole] of Object.entries(HOLDINGS)) {
      const { address, decimals } = assets[symbol as CoreSymbol]
      acts.call('USDG', address, 'transfer', [account, whole * 10n ** BigInt(decimals)], 75_000n)
    }
  }
}
