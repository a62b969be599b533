import { createCrypto, createPoolIndex, type Hex, newV2Pool, type Pool } from '@pit/chain'
import { createLogger } from '@pit/platform/monitoring'
import { createManualClock } from '@pit/platform/test/manualClock'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { type ChainProfile, isPitError } from '@pit/protocol'
import { Registry as MetricsRegistry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import type { TokenDeps } from './deps.ts'
import type { TokenReading } from './reading.ts'
import { createRegistry } from './registry.ts'

const crypto = await createCrypto()
const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as const
const word = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`
const [TOKEN, FIRST, SECOND, WETH] = [address(0xee), address(0xf1), address(0xf2), address(0x77)]
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
const CODE: Record<string, Hex> = { [TOKEN]: '0x6001', [FIRST]: '0x6002', [SECOND]: '0x6003' }

const READING = {
  address: TOKEN,
  symbol: 'UPGR',
  name: 'Upgradeable',
  decimals: 18,
  textFaults: [],
  code: {
    codeHash: '0x',
    proxy: {
      kind: 'implementation',
      at: TOKEN,
      implementation: FIRST,
      implementationHash: crypto.keccak256('0x6002'),
    },
    stockBeacon: false,
    powers: [],
    bridged: false,
  },
  trial: { status: 'no_route' },
  screenedAtS: 1_800_000_000,
} as unknown as TokenReading

function open(
  stored: TokenReading | null = READING,
  pools: Pool[] = [],
  head: object | null = { number: 1, timestampS: 1_800_000_000, baseFeeWei: 1n },
) {
  const methods: string[] = []
  let implementation = 0xf1
  const index = createPoolIndex({ weth: WETH, hubs: [WETH] })
  for (const pool of pools) index.add(pool)
  const deps = {
    db: {
      query: async () =>
        stored
          ? [
              {
                reading: stored,
                record: { address: TOKEN, tier: 'B', screened_at: 1, screen_status: 'SCREENED' },
              },
            ]
          : [],
      transaction: async (run: (sql: object) => unknown) => run({ query: async () => [] }),
    },
    rpc: rpcOf(async (method, [first, slot]) => {
      methods.push(method)
      if (method === 'eth_getStorageAt') return word(slot === IMPLEMENTATION_SLOT ? implementation : 0)
      if (method === 'eth_getCode') return CODE[first as string] ?? '0x'
      throw new Error(`unexpected ${method}`)
    }),
    clock: createManualClock(1_800_000_000_000),
    crypto,
    logger: createLogger({ level: 'silent' }),
    metrics: { registry: new MetricsRegistry() },
    profile: {
      core_tokens: [
        {
          symbol: 'WETH',
          name: 'Wrapped Ether',
          address: WETH,
          decimals: 18,
          kind: 'core',
          native: false,
          feed: null,
        },
      ],
      listed_stocks: [],
      known_hooks: [],
      pins: { partner_usdg: null },
      contracts: { universal_router: null, weth: WETH, v4_pool_manager: null },
      stocks: { issuer: 'robinhood', beacon: null },
    } as unknown as ChainProfile,
    market: {
      head: () => head,
      index,
      curveOf: () => undefined,
      stocks: { multiplier: () => null, isBarred: () => false },
      mark: (token: string) =>
        token === WETH
          ? { priceE18: 2_500n * 10n ** 18n, source: 'oracle_feed', updatedAtS: 1, stale: false }
          : undefined,
    },
    randomBytes: (size: number) => new Uint8Array(size).fill(7),
    isAgentToken: async () => false,
  } as unknown as TokenDeps
  const registry = createRegistry(deps, async () => {})
  return {
    registry,
    asked: methods,
    upgrade: () => {
      implementation = 0xf2
    },
  }
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'passed',
    (error) => (isPitError(error) ? `${error.code} ${error.status}` : String(error)),
  )

describe('a proxy', () => {
  it('with changed code stops a trade and is screened again', async () => {
    const { registry, upgrade, asked } = open()
    expect(await codeOf(registry.assertUnchanged(TOKEN))).toBe('passed')
    upgrade()
    const before = asked.length
    expect(await codeOf(registry.assertUnchanged(TOKEN))).toBe('TOKEN_CHANGED 409')
    expect(registry.screening.isRunning(TOKEN) || asked.length > before + 5).toBe(true)
    await registry.screening.close()
  })
  it('is the only kind that needs a read: core assets, clones and unknown tokens do not', async () => {
    const clone = {
      ...READING,
      code: { ...READING.code, proxy: { ...READING.code.proxy!, kind: 'clone' as const } },
    }
    for (const stored of [clone, null]) {
      const { registry, asked } = open(stored)
      expect(await codeOf(registry.assertUnchanged(TOKEN))).toBe('passed')
      expect(await codeOf(registry.assertUnchanged(WETH))).toBe('passed')
      expect(asked).toEqual([])
    }
  })
})

describe('a record', () => {
  const pool = Object.assign(newV2Pool({ id: address(0x55), token0: WETH, token1: TOKEN }), {
    reserve0: 24n * 10n ** 18n,
    reserve1: 240_000n * 10n ** 18n,
  })
  it('reflects the current market', async () => {
    const tried = {
      ...READING,
      trial: {
        status: 'done',
        pool: 'x',
        buyTaxBps: 0,
        transfer: { ok: true, taxBps: 0 },
        sell: { ok: true, taxBps: 0 },
        hookTakeBps: 0,
        balanceLies: false,
        rebased: false,
      },
    } as TokenReading
    const { record } = (await open(tried, [pool]).registry.find(TOKEN))!
    expect(record).toMatchObject({
      tier: 'B',
      tradable: true,
      liquidity_usd: 120_000,
      reference: { source: 'spot', address: address(0x55), price_usd: 0.25 },
      venues: [{ protocol: 'v2', pair: WETH, fee: 3_000, liquidity_usd: 120_000 }],
      screen_status: 'SCREENED',
    })
    expect((await open(tried).registry.find(TOKEN))!.record).toMatchObject({
      tier: 'blocked',
      blocked_reason: 'NO_ROUTE',
    })
  })
  it('of a token screened without a route is untried once it has one', async () => {
    const { record } = (await open(READING, [pool]).registry.find(TOKEN))!
    expect(record).toMatchObject({ screen_status: 'UNSCREENED', screened_at: null })
    expect(record.risks[0]!.code).toBe('UNSCREENED')
  })
  it('with an unread beacon slot is screened again before it is returned', async () => {
    const tried = {
      ...READING,
      trial: { status: 'buy_failed', pool: 'x', paused: false, hooked: false, why: 'x' },
    }
    const screensOf = async (stockBeacon: boolean | null) => {
      const stored = { ...tried, code: { ...READING.code, stockBeacon } } as TokenReading
      const { registry, asked } = open(stored, [pool])
      await codeOf(registry.get(TOKEN, async () => {}))
      await registry.screening.close()
      // A screen simulates the token's calls, which this chain does not support.
      return asked.filter((method) => method === 'eth_simulateV1').length
    }
    expect(await screensOf(false)).toBe(0)
    expect(await screensOf(null)).toBe(1)
  })
  it('is the stored one while the market is not loaded', async () => {
    const { registry } = open(READING, [], null)
    expect((await registry.find(TOKEN))!.record.tier).toBe('B')
    expect(await codeOf(open(null, [], null).registry.get(TOKEN, async () => {}))).toBe(
      'SCREEN_UNAVAILABLE 503',
    )
  })
})
