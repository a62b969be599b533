import { type Address, zeroAddress } from 'viem'
import type { Acts } from './acts.ts'
import type { Assets } from './coreTokens.ts'
import type { Exchanges } from './exchanges.ts'
import { cloneAddress } from './longTail.ts'

/** The second launchpad, modelled on the real chain's leading one. */
export interface PonsAt {
  factory: Address
  graduator: Address
  curveCode: Address
}

/** A token it launched, and its curve's progress. */
export interface PonsToken {
  address: Address
  symbol: string
  curve: Address
  pair: PonsPair
  creatorTaxBps: number
  /** Of what it takes to graduate, in hundredths. */
  raised: number
  graduated: boolean
}

/** Pairs of a launch, with the virtual quote and the quote to raise: always two to five. */
export const PONS_PAIRS = {
  ETH: { phantom: 1_680_000_000_000_000_000n, threshold: 4_200_000_000_000_000_000n },
  USDG: { phantom: 3_236_000_000n, threshold: 8_090_000_000n },
  NVDA: { phantom: 18_000_000_000_000_000_000n, threshold: 45_000_000_000_000_000_000n },
} as const
export type PonsPair = keyof typeof PONS_PAIRS
/** Duration after a launch, from 99%. */
export const PONS_SNIPE_S = 3

const LAUNCHES: readonly Pick<PonsToken, 'symbol' | 'pair' | 'creatorTaxBps' | 'raised'>[] = [
  { symbol: 'PNEW', pair: 'ETH', creatorTaxBps: 0, raised: 0 },
  { symbol: 'PETH', pair: 'ETH', creatorTaxBps: 0, raised: 35 },
  { symbol: 'PTAX', pair: 'ETH', creatorTaxBps: 500, raised: 20 },
  { symbol: 'PUSD', pair: 'USDG', creatorTaxBps: 100, raised: 40 },
  { symbol: 'PNVDA', pair: 'NVDA', creatorTaxBps: 0, raised: 30 },
  { symbol: 'PLAST', pair: 'ETH', creatorTaxBps: 200, raised: 98 },
  { symbol: 'PGETH', pair: 'ETH', creatorTaxBps: 0, raised: 100 },
  { symbol: 'PGUSD', pair: 'USDG', creatorTaxBps: 300, raised: 100 },
]

const pairAddress = (assets: Assets, pair: PonsPair): Address =>
  pair === 'ETH' ? zeroAddress : assets[pair].address

export function queuePons(
  acts: Acts,
  world: { assets: Assets; exchanges: Exchanges; hook: Address; tokenCode: Address; treasury: Address },
): PonsAt {
  const { assets, exchanges, hook, tokenCode, treasury } = world
  const graduator = acts.deploy('PonsGraduator', [exchanges.v4_pool_manager, hook])
  const curveCode = acts.deploy('PonsCurve')
  const factory = acts.deploy('PonsFactory', [tokenCode, curveCode, graduator, treasury])
  acts.call('PonsHook', hook, 'setGraduator', [graduator], 60_000n)
  for (const [pair, { phantom, threshold }] of Object.entries(PONS_PAIRS)) {
    const args = [pairAddress(assets, pair as PonsPair), phantom, threshold]
    acts.call('PonsFactory', factory, 'setPairTokenEconomics', args, 120_000n)
  }
  return { factory, graduator, curveCode }
}

/** Queues the launches; their buys follow by `queuePonsBuys`, in a later block. */
export function queuePonsLaunches(
  acts: Acts,
  world: { assets: Assets; tokenCode: Address; at: PonsAt; creators: readonly Address[] },
): PonsToken[] {
  const { assets, tokenCode, at, creators } = world
  return LAUNCHES.map((launch, index) => {
    const { symbol, pair, creatorTaxBps, raised } = launch
    const params = {
      name: `Pons ${symbol}`,
      symbol,
      creatorFeeRecipient: creators[index % creators.length]!,
      creatorTaxBps,
      // Buybacks change reserves without a trade: one curve has them.
      buybackEnabled: symbol === 'PTAX',
    }
    acts.call(
      'PonsFactory',
      at.factory,
      'launchToken',
      [params, 0n, pairAddress(assets, pair), []],
      1_600_000n,
    )
    return {
      ...launch,
      address: cloneAddress(at.factory, tokenCode, BigInt(index)),
      curve: cloneAddress(at.factory, at.curveCode, BigInt(index)),
      graduated: raised === 100,
    }
  })
}

/** Fee and tax are deducted, so the buy is increased until the curve has raised its part. */
const grossFor = (net: bigint, { creatorTaxBps }: Pick<PonsToken, 'creatorTaxBps'>): bigint =>
  (net * 10_000n) / BigInt(9_900 - creatorTaxBps) + 2n

export function queuePonsBuys(acts: Acts, assets: Assets, tokens: readonly PonsToken[]): void {
  for (const token of tokens) {
    if (token.raised === 0) continue
    const { pair, curve, raised } = token
    const net = (PONS_PAIRS[pair].threshold * BigInt(raised)) / 100n
    // A little more than the target graduates it; the rest is refunded.
    const spend = token.graduated ? grossFor((net * 11n) / 10n, token) : grossFor(net, token)
    const quote = pairAddress(assets, pair)
    if (quote !== zeroAddress) acts.call('USDG', quote, 'approve', [curve, spend], 80_000n)
    const gas = token.graduated ? 2_500_000n : 400_000n
    const value = quote === zeroAddress ? spend : 0n
    acts.call('PonsCurve', curve, 'buy', [spend, 0n, acts.builder], gas, value)
  }
}
