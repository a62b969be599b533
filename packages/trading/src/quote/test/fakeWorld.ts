import {
  type Address,
  type CurvePool,
  changeLiquidity,
  createCrypto,
  createPoolIndex,
  type Hex,
  NATIVE,
  newV2Pool,
  newV3Pool,
  newV4Pool,
  type Pool,
  sqrtPriceAtTick,
  type V4Pool,
} from '@pit/chain'
import type { Mark, Tokens } from '@pit/market'
import { type ChainProfile, type CoreToken, priceE18Down, type RiskCode } from '@pit/protocol'
import type { TradeParams, TradeToken } from '../../types.ts'
import { createQuoter, type Quoter } from '../createQuoter.ts'
import type { QuoterDeps } from '../deps.ts'

/** A small market in memory: real pools and real math, everything else faked. */

export const crypto = await createCrypto()
export const at = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
export const ETH = NATIVE
export const [WETH, USDG, CBBTC, PARTNER, NVDA, SPY] = [0xe0, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5].map(at) as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
]
export const [JUNK, OTHER, STOCK, LAUNCHED] = [0xf0, 0xf1, 0xf2, 0xf3].map(at) as [
  Address,
  Address,
  Address,
  Address,
]
export const RECIPIENT = at(0xfee)
export const KNOWN_HOOK = at(0xa_00c0)
/** Its flags allow it to change amounts: only the chain can quote its pools. */
export const KNOWN_SKIMMER = at(0xb_0044)
export const UNKNOWN_SKIMMER = at(0xc_0044)
export const UNKNOWN_HOOK = at(0xd_00c0)
export const ETHER = 10n ** 18n
export const NOW_S = 1_800_000_000

const core = (symbol: string, address: Address, decimals: number, kind: CoreToken['kind'] = 'core') => ({
  symbol,
  name: symbol,
  address,
  decimals,
  kind,
  native: kind === 'native',
  feed: null,
})
export const profile = {
  contracts: { v4_quoter: at(0x9999) },
  core_tokens: [
    core('ETH', ETH, 18, 'native'),
    core('WETH', WETH, 18),
    core('USDG', USDG, 6),
    core('cbBTC', CBBTC, 8),
    core('PARTNER', PARTNER, 18),
    core('NVDA', NVDA, 18, 'stock'),
    core('SPY', SPY, 18, 'stock'),
  ],
  stocks: { issuer: 'robinhood', beacon: null },
  market_holidays: [],
  listed_stocks: [],
  pins: { reference_pools: {} },
  known_hooks: [
    { address: KNOWN_HOOK, name: 'Counting', changes_amounts: false },
    { address: KNOWN_SKIMMER, name: 'Skimming', changes_amounts: true },
  ],
  fee_recipient: RECIPIENT,
  vendors: { audit: null, gateway: null, aggregators: {} },
} as unknown as ChainProfile

let nextId = 0x9000
const newId = () => at(nextId++)
const sorted = (a: Address, b: Address): [Address, Address] => (a < b ? [a, b] : [b, a])

export function v2(a: Address, b: Address, reserveA: bigint, reserveB: bigint): Pool {
  const [token0, token1] = sorted(a, b)
  const pool = newV2Pool({ id: newId(), token0, token1 })
  const [reserve0, reserve1] = a === token0 ? [reserveA, reserveB] : [reserveB, reserveA]
  return Object.assign(pool, { reserve0, reserve1 })
}
/** One atom for one atom. */
export function v3(a: Address, b: Address, liquidity: bigint, feePips = 3000): Pool {
  const [token0, token1] = sorted(a, b)
  const pool = newV3Pool({ id: newId(), token0, token1, feePips, tickSpacing: 60 })
  pool.sqrtPriceX96 = sqrtPriceAtTick(0)
  changeLiquidity(pool, -60_000, 60_000, liquidity)
  return pool
}
export function v4(a: Address, b: Address, liquidity: bigint, hooks: Address = NATIVE, fee = 3000): V4Pool {
  const [currency0, currency1] = sorted(a, b)
  const key = { currency0, currency1, fee, tickSpacing: 60, hooks }
  const pool = newV4Pool(crypto.keccakText(`pool ${nextId++}`), key)
  pool.sqrtPriceX96 = sqrtPriceAtTick(0)
  changeLiquidity(pool, -60_000, 60_000, liquidity)
  return pool
}
/** ETH at 2,500 dollars, several million deep. */
export const ethUsdg = (depth = 1_000n) => v2(WETH, USDG, depth * ETHER, depth * 2_500n * 10n ** 6n)

export const curve = (over: Partial<CurvePool> = {}): CurvePool => ({
  version: 'curve',
  launchpad: 'pit',
  id: newId(),
  token: LAUNCHED,
  pair: ETH,
  x: 10n * ETHER,
  y: 1_000_000_000n * ETHER,
  yFloor: 200_000_000n * ETHER,
  saleSupply: 800_000_000n * ETHER,
  curveFeeBps: 100,
  creatorTaxBps: 100,
  snipeStartBps: 8_000,
  snipeSeconds: 20,
  launchedAtS: NOW_S - 3_600,
  graduated: false,
  ...over,
})

type Record = TradeToken['record']
export const record = (token: Address, over: Partial<Record> = {}): Record => ({
  address: token,
  symbol: 'JUNK',
  name: 'Junk',
  decimals: 18,
  kind: 'erc20',
  stock_beacon: false,
  tier: 'C',
  tradable: true,
  blocked_reason: null,
  venues: [],
  reference: { source: 'none', address: null, price_usd: null, read_at: null },
  liquidity_usd: null,
  creator_tax_bps: null,
  curve_fee_bps: null,
  multiplier: null,
  flags: {} as Record['flags'],
  risks: [],
  limits: {} as Record['limits'],
  warnings: [],
  screened_at: NOW_S,
  screen_status: 'CACHED',
  ...over,
})
export const risk = (code: RiskCode, severity: 'severe' | 'info') => ({ code, severity, message: code })
export const reference = (price_usd: number, source: Record['reference']['source'] = 'twap') => ({
  source,
  address: null,
  price_usd,
  read_at: NOW_S - 5,
})

export const usd = (dollars: number, over: Partial<Mark> = {}): Mark => ({
  token: ETH,
  symbol: 'X',
  priceE18: priceE18Down(dollars),
  source: 'oracle_feed',
  block: 7,
  readAtS: NOW_S,
  updatedAtS: NOW_S - 3,
  stale: false,
  ...over,
})
const MARKS: [Address, Mark][] = [
  [ETH, usd(2_500)],
  [WETH, usd(2_500)],
  [USDG, usd(1, { source: 'fixed' })],
]

export interface World {
  deps: QuoterDeps
  quoter: Quoter
  time: { nowMs: number }
  marks: Map<Address, Mark>
  records: Map<Address, Record | Error>
  index: QuoterDeps['market']['index']
  /** Calls made, by target. */
  calls: string[]
}

export interface WorldOptions {
  /** Pools blocked by the stock issuer. */
  barred?: ReadonlySet<string>
  pools?: Pool[]
  curves?: CurvePool[]
  batch?: QuoterDeps['rpc']['batch']
  profile?: Partial<ChainProfile>
  readAudit?: Tokens['readAudit']
  tierBps?: QuoterDeps['tierBps']
  head?: ReturnType<QuoterDeps['market']['head']>
  assertUnchanged?: Tokens['assertUnchanged']
}

export const HEAD = {
  number: 7,
  hash: '0x01' as Hex,
  parentHash: '0x00' as Hex,
  timestampS: NOW_S,
  baseFeeWei: 10_000_000n,
}

export function openWorld(options: WorldOptions = {}): World {
  const index = createPoolIndex({ weth: WETH, hubs: [WETH, USDG, PARTNER] })
  for (const pool of options.pools ?? []) index.add(pool)
  const curves = new Map((options.curves ?? []).map((one) => [one.token, one]))
  const marks = new Map(MARKS)
  const records = new Map<Address, Record | Error>()
  const time = { nowMs: NOW_S * 1_000 }
  const calls: string[] = []
  const world = { ...profile, ...options.profile } as ChainProfile
  const deps: QuoterDeps = {
    market: {
      head: () => (options.head === undefined ? HEAD : options.head),
      index,
      curveOf: (token) => curves.get(token),
      mark: (token) => marks.get(token),
      stocks: { multiplier: () => null, isBarred: ({ id }) => options.barred?.has(id) ?? false },
    },
    tokens: {
      coreBySymbol: (symbol) => {
        calls.push(`core ${symbol}`)
        const token = world.core_tokens.find((one) => one.symbol === symbol)
        const address = token?.address as Address | undefined
        const existing = address && records.get(address)
        if (existing && !(existing instanceof Error)) return existing as ReturnType<Tokens['coreBySymbol']>
        return (
          address &&
          ({
            ...record(address, {
              symbol,
              kind: 'core',
              stock_beacon: token!.kind === 'stock',
              screen_status: 'CORE',
              decimals: token!.decimals,
            }),
          } as ReturnType<Tokens['coreBySymbol']>)
        )
      },
      get: async (token, admit) => {
        calls.push(`get ${token}`)
        const existing = records.get(token)
        if (existing instanceof Error) throw existing
        if (!existing) await admit()
        return existing ?? record(token)
      },
      assertUnchanged: async (token) => {
        calls.push(`unchanged ${token}`)
        await options.assertUnchanged?.(token)
      },
      readAudit: async (token) => {
        calls.push(`audit ${token}`)
        return (
          options.readAudit?.(token) ??
          Promise.resolve({
            audit: { verdict: 'verified', url: null, source: 'audit', checked_at: NOW_S },
            findings: [],
          })
        )
      },
    },
    rpc: {
      batch: async (requests, batchOptions) => {
        calls.push(`batch of ${requests.length}`)
        return options.batch ? options.batch(requests, batchOptions) : []
      },
    },
    profile: world,
    clock: { nowMs: () => time.nowMs },
    crypto,
    logger: { warn: () => {} },
    vendorKeys: {},
    tierBps: async (wallet) => {
      calls.push('tier')
      return options.tierBps ? options.tierBps(wallet) : 25
    },
  }
  return { deps, quoter: createQuoter(deps), time, marks, records, index, calls }
}

export const tradeParams = (over: Partial<TradeParams> = {}): TradeParams => ({
  wallet: null,
  tokenIn: 'ETH',
  tokenOut: 'USDG',
  venues: ['venue_pool', 'venue_curve'],
  shield: false,
  policies: null,
  fast: false,
  admit: async () => {},
  ...('amountIn' in over ? {} : { notionalUsd: 1_000 }),
  ...over,
})

/** Code and field of a refusal. */
export async function refused(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work
  } catch (error) {
    const { code, extras } = error as { code?: string; extras?: { field?: string } }
    if (code === undefined) throw error
    return extras?.field === undefined ? code : [code, extras.field]
  }
}
