import { type Address, type CurvePool, NATIVE } from '@pit/chain'
import type { PlanHop } from '@pit/plans'
import { type CoreSymbol, feeOf } from '@pit/protocol'
import type { TradeAddresses } from '../src/plan/addresses.ts'
import type { BuildableRoute } from '../src/plan/chooseRoute.ts'
import type { BuildRequest } from '../src/plan/spending.ts'
import type { TradeQuote, TradeToken, WalletState } from '../src/types.ts'

export type Flags = TradeToken['record']['flags']

/** Made-up trades for the pure planning rules. */
export const address = (digit: string): Address => `0x${digit.repeat(40)}`

export const WALLET = address('a')
export const RECIPIENT = address('f')
export const ROUTER = address('7')
export const PERMIT2 = address('8')
export const WETH = address('9')
export const DELEGATOR = address('d')
export const NOW_S = 1_800_000_000

export const TRADE_ADDRESSES: TradeAddresses = {
  chainId: 4663,
  permit2: PERMIT2,
  router: ROUTER,
  weth: WETH,
  layout: '2.1.0',
  delegator: DELEGATOR,
  namesFor: (tokens) => (token) => tokens.find((one) => one.address === token),
}

export function token(
  symbol: string,
  at: Address,
  {
    decimals = 18,
    core = null,
    flags = {},
    tier = 'C',
    impactCapBps = 1_000,
    stock = false,
  }: {
    decimals?: number
    core?: CoreSymbol | null
    flags?: Partial<Flags>
    tier?: 'A' | 'B' | 'C'
    impactCapBps?: number
    stock?: boolean
  } = {},
): TradeToken {
  return {
    address: at,
    symbol,
    decimals,
    core,
    stock,
    mark: undefined,
    record: {
      address: at,
      symbol,
      name: symbol,
      decimals,
      kind: core ? 'core' : 'erc20',
      stock_beacon: stock,
      tier: core ? 'A' : tier,
      tradable: true,
      blocked_reason: null,
      venues: [],
      reference: { source: 'none' },
      liquidity_usd: null,
      creator_tax_bps: null,
      curve_fee_bps: null,
      multiplier: null,
      flags: flags as Flags,
      risks: [],
      limits: { max_price_impact_bps: impactCapBps } as TradeToken['record']['limits'],
      warnings: [],
      screened_at: null,
      screen_status: core ? 'CORE' : 'SCREENED',
    },
  }
}

export const ETH = token('ETH', NATIVE, { core: 'ETH' })
export const USDG = token('USDG', address('1'), { core: 'USDG', decimals: 6 })
export const MEME = token('MEME', address('2'))
export const STOCK = token('NVDA', address('3'), { core: 'NVDA', stock: true })

const hop = (version: 'v2' | 'v3', tokenIn: Address, tokenOut: Address): PlanHop => {
  const ends = { pool: address('e'), tokenIn, tokenOut }
  return version === 'v2' ? { version, ...ends } : { version, ...ends, feePips: 500 }
}

interface Wanted {
  tokenIn?: TradeToken
  tokenOut?: TradeToken
  amountIn?: bigint
  amountOut?: bigint
  feeBps?: number
  feeSide?: 'input' | 'output'
  /** Pools of one leg, or a curve. */
  way?: 'v2' | 'v3' | CurvePool
  quote?: Partial<TradeQuote>
  request?: Partial<TradeQuote['request']>
  route?: Partial<BuildableRoute>
}

/** 100 dollars of USDG for a token, fee 50 bps of the input, unless overridden. */
export function quoteOf(params: Wanted = {}): { quote: TradeQuote; route: BuildableRoute } {
  const { tokenIn = USDG, tokenOut = MEME, amountIn = 100_000_000n, amountOut = 50n * 10n ** 18n } = params
  const { feeBps = 50, feeSide = 'input', way = 'v3' } = params
  const swapIn = amountIn - (feeSide === 'input' ? feeOf(amountIn, feeBps) : 0n)
  // Pools hold WETH, not ETH.
  const inPool = (end: TradeToken): Address => (end.address === NATIVE ? WETH : end.address)
  const route: BuildableRoute = {
    id: '0x01',
    venue: typeof way === 'string' ? 'venue_pool' : 'venue_curve',
    label: 'a route',
    way:
      typeof way === 'string'
        ? { kind: 'pools', legs: [{ hops: [hop(way, inPool(tokenIn), inPool(tokenOut))], amountIn: swapIn }] }
        : { kind: 'curve', curve: way, side: way.token === tokenOut.address ? 'buy' : 'sell' },
    quotedBy: 'memory',
    amountOut,
    gas: 200_000,
    gasUsd: 0.01,
    vsMidBps: null,
    totalBps: null,
    impactBps: null,
    guardBps: null,
    risks: [],
    ...params.route,
  }
  const quote: TradeQuote = {
    request: {
      wallet: WALLET,
      tokenIn: tokenIn.symbol,
      tokenOut: tokenOut.symbol,
      venues: ['venue_pool', 'venue_curve'],
      shield: false,
      policies: null,
      fast: false,
      admit: async () => {},
      ...params.request,
    },
    block: 100,
    blockTimeS: NOW_S,
    tokenIn,
    tokenOut,
    amountIn,
    notionalMicroUsd: 100_000_000n,
    swapIn,
    fee: {
      bps: feeBps,
      class: 'other',
      tier: feeBps,
      side: feeSide,
      token: feeSide === 'input' ? tokenIn.address : tokenOut.address,
      recipient: RECIPIENT,
    },
    slippageBps: 100,
    slippageCapBps: 1_000,
    routes: [route],
    failed: [],
    candidates: 1,
    mid: null,
    midDue: false,
    gasPriceWei: 10_000_000n,
    ethUsd: 3_000,
    risks: [],
    audits: [],
    timings: {},
    ...params.quote,
  }
  return { quote, route }
}

export function walletState(over: Partial<WalletState> = {}): WalletState {
  return {
    wallet: WALLET,
    block: 100,
    nonce: 7,
    minedNonce: 7,
    balanceWei: 10n ** 18n,
    balanceIn: 10n ** 12n,
    allowance: 0n,
    permit: { amount: 0n, expirationS: 0, nonce: 3 },
    curveAllowance: 0n,
    delegatedTo: null,
    hasOtherCode: false,
    stocks: [],
    blockedParties: [],
    ...over,
  }
}

export function buildParams(params: Wanted = {}, over: Partial<BuildRequest> = {}): BuildRequest {
  const { quote, route } = quoteOf(params)
  return {
    quote,
    route,
    wallet: walletState(),
    approval: { mode: 'budget', budgetUsd: 250, permitMode: 'signature', permitScope: 'trade' },
    permit: { kind: 'asked' },
    curveFeeMode: 'auto',
    nowS: NOW_S,
    ...over,
  }
}

/** A curve against ETH (or another pair) that sells MEME. */
export const curveOf = (pair: Address = NATIVE): CurvePool => ({
  version: 'curve',
  launchpad: 'pit',
  id: address('c'),
  token: MEME.address,
  pair,
  x: 10n ** 18n,
  y: 10n ** 27n,
  yFloor: 10n ** 26n,
  saleSupply: 9n * 10n ** 26n,
  curveFeeBps: 100,
  creatorTaxBps: 0,
  snipeStartBps: 0,
  snipeSeconds: 0,
  launchedAtS: NOW_S - 1_000,
  graduated: false,
})
