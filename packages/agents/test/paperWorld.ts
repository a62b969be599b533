import {
  type Address,
  createCrypto,
  createPoolIndex,
  NATIVE,
  newV2Pool,
  type Pool,
  type V2Pool,
} from '@pit/chain'
import { openHistory } from '@pit/history'
import type { Mark } from '@pit/market'
import { systemClock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import { BARE_NUMBERS } from '@pit/platform/test/bareProfile'
import { type ChainProfile, isPitError, type RiskCode } from '@pit/protocol'
import { createQuoter, type QuoterDeps } from '@pit/trading/internal/quote/index'
import { openPaper } from '../src/paper/index.ts'

/** Paper trading on a real store and the real quoter, with a small test-owned market of real pools. */

export const START_MS = 1_800_000_000_000
export const at = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
export const ETH = NATIVE
export const TOKENS = { WETH: at(0xe0), USDG: at(0xe1), cbBTC: at(0xe2), PARTNER: at(0xe3), NVDA: at(0xe4) }
export const JUNK = at(0xf0)
export const WALLET = at(0xa1)
export const ETHER = 10n ** 18n
export const USD = 10n ** 6n

const core = (symbol: string, address: Address, decimals: number, kind = 'core') => ({
  symbol,
  name: symbol,
  address,
  decimals,
  kind,
  native: kind === 'native',
  feed: ['USDG', 'PARTNER'].includes(symbol)
    ? null
    : {
        address: at(0xfeed),
        decimals: 8,
        heartbeat_s: 60,
        deviation_bps: 50,
        session: kind === 'stock' ? 'stock' : 'always',
      },
})
export const PROFILE = {
  ...BARE_NUMBERS,
  kind: 'devnet',
  chain_id: 4663,
  contracts: { v4_quoter: null, permit2: at(0x22) },
  core_tokens: [
    core('ETH', ETH, 18, 'native'),
    core('WETH', TOKENS.WETH, 18),
    core('USDG', TOKENS.USDG, 6),
    core('cbBTC', TOKENS.cbBTC, 8),
    core('PARTNER', TOKENS.PARTNER, 18),
    core('NVDA', TOKENS.NVDA, 18, 'stock'),
  ],
  stocks: { issuer: 'robinhood', beacon: null },
  market_holidays: [],
  listed_stocks: [],
  pins: {
    reference_pools: Object.fromEntries(
      ['ETH', 'cbBTC', 'NVDA'].map((symbol, i) => [symbol, [{ version: 'v2', address: at(0x9000 + i) }]]),
    ),
  },
  known_hooks: [],
  fee_recipient: at(0xfee),
  vendors: { audit: null, gateway: null, aggregators: {} },
} as unknown as ChainProfile

const crypto = await createCrypto()
let poolIds = 0xa000
/** Pools of core assets against USDG are the profile's reference pools. */
const POOL_IDS = new Map([
  [TOKENS.WETH, at(0x9000)],
  [TOKENS.cbBTC, at(0x9001)],
  [TOKENS.NVDA, at(0x9002)],
])
export function pool(a: Address, b: Address, reserveA: bigint, reserveB: bigint): V2Pool {
  const [token0, token1] = a < b ? [a, b] : [b, a]
  const [reserve0, reserve1] = a === token0 ? [reserveA, reserveB] : [reserveB, reserveA]
  const id = (b === TOKENS.USDG && POOL_IDS.get(a)) || at(poolIds++)
  return Object.assign(newV2Pool({ id, token0, token1 }), { reserve0, reserve1 })
}
export const usd = (dollars: number, more: Partial<Mark> = {}): Mark => ({
  token: ETH,
  symbol: 'X',
  priceE18: BigInt(Math.round(dollars * 1e6)) * 10n ** 12n,
  source: 'oracle_feed',
  block: 7,
  readAtS: START_MS / 1_000,
  updatedAtS: START_MS / 1_000 - 3,
  stale: false,
  ...more,
})

export function openTestPaper(db: Db, { pools = deepPools() }: { pools?: Pool[] } = {}) {
  const index = createPoolIndex({ weth: TOKENS.WETH, hubs: [TOKENS.WETH, TOKENS.USDG, TOKENS.PARTNER] })
  for (const one of pools) index.add(one)
  // Stands still until a test moves it; polling loops do not actually wait.
  const clock = {
    ms: START_MS,
    nowMs: () => clock.ms,
    sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 20), signal),
  }
  const marks = new Map<Address, Mark>([
    [ETH, usd(2_500)],
    [TOKENS.WETH, usd(2_500)],
    [TOKENS.USDG, usd(1, { source: 'fixed' })],
    [TOKENS.cbBTC, usd(60_000)],
  ])
  const world = {
    tierBps: 25,
    baseFeeWei: 10_000_000n,
    risks: new Map<string, { code: RiskCode; severity: 'severe' | 'info'; message: string }[]>(),
  }
  const market = {
    head: () => ({
      number: 7,
      hash: '0x01',
      parentHash: '0x00',
      timestampS: Math.floor(clock.ms / 1_000),
      baseFeeWei: world.baseFeeWei,
    }),
    index,
    curveOf: () => undefined,
    stocks: { multiplier: () => null, isBarred: () => false },
    mark: (token: Address) => marks.get(token),
  }
  const recordOf = (address: string, more: object) => ({
    address,
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
    flags: {},
    risks: world.risks.get(address) ?? [],
    limits: {},
    warnings: [],
    ...more,
  })
  const quoter = createQuoter({
    market,
    tokens: {
      get: async (address: Address) => recordOf(address, {}),
      assertUnchanged: async () => {},
      readAudit: async () => ({
        audit: { verdict: 'verified', url: null, source: 'audit', checked_at: 0 },
        findings: [],
      }),
      coreBySymbol: (symbol: string) => {
        const token = PROFILE.core_tokens.find((one) => one.symbol === symbol)!
        const { address, decimals } = token
        return recordOf(address, { symbol, decimals, kind: 'core', stock_beacon: token.kind === 'stock' })
      },
    },
    rpc: { request: async () => null, batch: async () => [] },
    profile: PROFILE,
    clock,
    crypto,
    logger: { warn: () => {}, info: () => {}, error: () => {} },
    tierBps: async () => world.tierBps,
  } as unknown as QuoterDeps)
  const paper = openPaper({
    ...{ db, clock, profile: PROFILE, market },
    history: openHistory({ db, clock }),
    quoteTrade: quoter.quoteTrade,
  })
  return { ...paper, clock, marks, world, index, market, quoteTrade: quoter.quoteTrade }
}

/** ETH at 2,500 USD, cbBTC at 60,000 USD, several millions deep; and an unknown token. */
export const deepPools = (): Pool[] => [
  pool(TOKENS.WETH, TOKENS.USDG, 1_000n * ETHER, 2_500_000n * USD),
  pool(TOKENS.cbBTC, TOKENS.USDG, 50n * 10n ** 8n, 3_000_000n * USD),
  pool(JUNK, TOKENS.WETH, 1_000_000n * ETHER, 100n * ETHER),
]

export const TERMS = { acceptRisks: [], shield: false, policies: null }

/** The error code of a refusal. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'was not refused',
    (error: unknown) => {
      if (isPitError(error)) return error.code
      throw error
    },
  )
