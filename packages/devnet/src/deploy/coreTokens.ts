import { type Address, encodeFunctionData, zeroAddress } from 'viem'
import type { Artifacts } from '../compile.ts'
import { type Acts, artifactOf } from './acts.ts'
import type { Asset } from './amounts.ts'

/** Initial price of an asset in micro-dollars. */
const PRICES_MICRO_USD = {
  ETH: 2_500_000_000n,
  USDG: 1_000_000n,
  cbBTC: 65_000_000_000n,
  PARTNER: 800_000n,
  NVDA: 180_000_000n,
  SPY: 600_000_000n,
  AAPL: 230_000_000n,
  TSLA: 350_000_000n,
  MSFT: 480_000_000n,
  GOOGL: 200_000_000n,
  AMZN: 220_000_000n,
} as const

export const STOCKS = [
  { symbol: 'NVDA', name: 'NVIDIA', core: true },
  { symbol: 'SPY', name: 'SPDR S&P 500 ETF', core: true },
  { symbol: 'AAPL', name: 'Apple', core: false },
  { symbol: 'TSLA', name: 'Tesla', core: false },
  { symbol: 'MSFT', name: 'Microsoft', core: false },
  { symbol: 'GOOGL', name: 'Alphabet Class A', core: false },
  { symbol: 'AMZN', name: 'Amazon', core: false },
] as const

/** A stock token whose multiplier is not one, so that code cannot assume it is. */
const SPLIT_STOCK = { symbol: 'TSLA', multiplier: 1_020_000_000_000_000_000n } as const

export type CoreSymbol = keyof typeof PRICES_MICRO_USD | 'WETH'
export type Assets = Record<CoreSymbol, Asset>

export interface CoreTokens {
  assets: Assets
  stock_beacon: Address
}

/** Token amounts the builder needs to provide liquidity. */
const BUILDER_HOLDS = 1_000_000_000n

/** Queues core and stock tokens, all issued by the builder, and mints the builder its supply of them. */
export function queueCoreTokens(artifacts: Artifacts, acts: Acts, weth: Address): CoreTokens {
  const issue = (contract: string, target: Address, decimals: number) =>
    acts.call(contract, target, 'mint', [acts.builder, BUILDER_HOLDS * 10n ** BigInt(decimals)], 120_000n)

  const addresses: Partial<Record<CoreSymbol, Address>> = { ETH: zeroAddress, WETH: weth }
  const decimals: Partial<Record<CoreSymbol, number>> = { USDG: 6, cbBTC: 8 }
  for (const [symbol, contract] of [
    ['USDG', 'USDG'],
    ['cbBTC', 'CbBTC'],
    ['PARTNER', 'Partner'],
  ] as const) {
    addresses[symbol] = acts.deploy(contract)
    issue(contract, addresses[symbol], decimals[symbol] ?? 18)
  }

  const implementation = acts.deploy('StockToken')
  const stock_beacon = acts.deploy('AccessControlsRegistry', [implementation])
  for (const { symbol, name } of STOCKS) {
    const initialization = encodeFunctionData({
      abi: artifactOf(artifacts, 'StockToken').abi,
      functionName: 'initialize',
      args: [name, symbol, stock_beacon, acts.builder],
    })
    addresses[symbol] = acts.deploy('StockProxy', [stock_beacon, initialization])
    issue('StockToken', addresses[symbol], 18)
  }
  const split = [SPLIT_STOCK.multiplier, 1n]
  acts.call('StockToken', addresses[SPLIT_STOCK.symbol]!, 'setUIMultiplier', split, 120_000n)

  const asset = (symbol: CoreSymbol): Asset => ({
    symbol,
    address: addresses[symbol]!,
    decimals: decimals[symbol] ?? 18,
    priceMicroUsd: PRICES_MICRO_USD[symbol === 'WETH' ? 'ETH' : symbol],
  })
  const symbols = [...Object.keys(PRICES_MICRO_USD), 'WETH'] as CoreSymbol[]
  return {
    assets: Object.fromEntries(symbols.map((symbol) => [symbol, asset(symbol)])) as Assets,
    stock_beacon,
  }
}
