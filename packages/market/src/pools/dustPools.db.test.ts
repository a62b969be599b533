import { NATIVE } from '@pit/chain'
import type { Job } from '@pit/platform/jobs'
import { createLogger } from '@pit/platform/monitoring'
import { BARE_PROFILE } from '@pit/platform/test/bareProfile'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { withDb } from '@pit/platform/test/withStore'
import type { ChainProfile } from '@pit/protocol'
import { beforeEach, expect, it } from 'vitest'
import { comparePools } from '../../test/comparePools.ts'
import { heapBytes } from '../../test/heapBytes.ts'
import { chainOf, initialize, liquidity, MANAGER, poolId, type TestChain } from '../../test/logChain.ts'
import { CONTRACTS, createSyntheticChain, LAUNCHPADS } from '../../test/syntheticChain.ts'
import { followPools } from './followPools.ts'
import { createPoolValue, type PoolValue } from './poolBound.ts'

// A million by hand:
// DUST_POOLS=1000000 npx vitest run --project db packages/market/src/pools/dustPools.db.test.ts -t memory
const DUST_POOLS = Number(process.env['DUST_POOLS'] ?? 4_000)
/** A million dust pools meet the bound of a real process. */
const MAX_POOLS = Math.ceil(DUST_POOLS / 20)
const PER_BLOCK = 100
/** Fifty megabytes for what is remembered of the last blocks, and four kilobytes a pool. */
const MAX_GROWTH_BYTES = 50_000_000 + 4_000 * MAX_POOLS

const logger = createLogger({ level: 'silent' })
const ETH = { symbol: 'ETH', address: NATIVE, decimals: 18, native: true, feed: {} }
const PROFILE = {
  ...BARE_PROFILE,
  core_tokens: [ETH],
  contracts: { ...BARE_PROFILE.contracts, v4_pool_manager: MANAGER },
} as unknown as ChainProfile
/** About 3% of it is ETH on either side of the price: 90 dollars at 3,000 an ETH. */
const REAL = 10n ** 18n

withDb('pools with dust', (db) => {
  beforeEach(() =>
    db.exec('delete from pools; delete from market_cursor; delete from known_pools; delete from pool_marks'),
  )
  const DOLLARS = createPoolValue(PROFILE, () => ({ priceE18: 3_000n * 10n ** 18n }))
  async function open(
    { rpc }: Pick<TestChain, 'rpc'>,
    maxPools: number,
    { profile = PROFILE, value = DOLLARS }: { profile?: ChainProfile; value?: PoolValue } = {},
  ) {
    const listener = { onBorn() {}, onGone() {}, onBlock() {} }
    const pools = await followPools({ rpc, db, profile, logger, pinned: [], value, maxPools, listener })
    const run = (job: Job) => job.run(new AbortController().signal)
    return {
      book: pools.book,
      size: pools.book.size,
      has: (n: number) => pools.book.get(poolId(n)) !== undefined,
      follow: () => run(pools.follow),
      save: () => run(pools.saveCheckpoint),
    }
  }
  const stored = async () =>
    (await db.query<{ count: number }>('select count(*)::int4 as count from pools'))[0]!.count
  const dust = (n: number) => [initialize(n), liquidity(n, 1n)]

  it(`stay under the bound in memory, ${DUST_POOLS} of them, and evict no real pool`, {
    timeout: 3_600_000,
  }, async () => {
    const flood = Math.ceil(DUST_POOLS / PER_BLOCK)
    const real = [DUST_POOLS + 1, DUST_POOLS + 2, DUST_POOLS + 3]
    const chain = chainOf((number) => {
      if (number === 0 || number > flood + 1) return []
      if (number === 1) return real.slice(0, 2).flatMap((n) => [initialize(n), liquidity(n, REAL)])
      return Array.from({ length: PER_BLOCK }, (_, i) => dust((number - 2) * PER_BLOCK + i)).flat()
    })
    const world = await open(chain, MAX_POOLS)
    const before = heapBytes()
    const startedMs = performance.now()
    chain.growTo(flood + 1)
    await world.follow()
    const tookS = (performance.now() - startedMs) / 1_000
    // A real pool enters in the middle of the flood, and an evicted one returns with its liquidity.
    const evicted = DUST_POOLS - 1
    expect(world.has(evicted)).toBe(false)
    chain.mine(initialize(real[2]!), liquidity(real[2]!, REAL), liquidity(evicted, REAL))
    await world.follow()
    await world.save()
    const grown = heapBytes() - before
    console.log(
      `${DUST_POOLS} dust pools on ${db.engine}: ${world.size()} in memory of at most ${MAX_POOLS}, heap ` +
        `${(grown / 1e6).toFixed(1)} MB more, followed in ${tookS.toFixed(1)} s`,
    )
    expect([...real, evicted].map(world.has)).toEqual([true, true, true, true])
    expect(world.size()).toBeLessThanOrEqual(MAX_POOLS)
    expect(grown).toBeLessThan(MAX_GROWTH_BYTES)
    expect(await stored()).toBe(world.size())
    const restarted = await open(chain, MAX_POOLS)
    expect([restarted.size(), restarted.has(evicted)]).toEqual([world.size(), true])
  })

  it('leave with their liquidity gone, and return when a reorg gives it back', async () => {
    const chain = chainOf(() => [])
    const world = await open(chain, 10)
    chain.mine(initialize(1), liquidity(1, REAL))
    await world.follow()
    chain.mine(...Array.from({ length: 9 }, (_, i) => dust(10 + i)).flat())
    await world.follow()
    // Pool 1 falls to dust, is the first to have entered and stays; the newest dust leaves.
    chain.mine(liquidity(1, 1n - REAL), ...dust(20))
    await world.follow()
    expect([world.size(), world.has(1), world.has(20), world.has(18)]).toEqual([9, true, false, false])
    chain.forkAt(2)
    chain.mine(liquidity(20, 1n))
    await world.follow()
    expect([world.size(), world.has(18), world.has(20)]).toEqual([10, true, false])
  })

  it('never outrank an older pool by touching their own', async () => {
    const chain = chainOf(() => [])
    const world = await open(chain, 10)
    chain.mine(...dust(1), ...dust(2))
    for (let n = 10; n < 40; n++) chain.mine(...dust(n), liquidity(10, 1n))
    await world.follow()
    expect([world.has(1), world.has(2), world.has(39)]).toEqual([true, true, false])
    expect(world.size()).toBeLessThanOrEqual(10)
  })

  it('return with a state read from the chain when a long-forgotten one has money', async () => {
    const chain = createSyntheticChain({ blocks: 25_000, pools: 2_000, live: 150 })
    const rpc = rpcOf(async (method, params) => chain.answer(method, params))
    const contracts = { ...BARE_PROFILE.contracts, ...CONTRACTS }
    const profile = { ...BARE_PROFILE, contracts, launchpads: LAUNCHPADS } as unknown as ChainProfile
    const rich = new Set<string>()
    const world = await open({ rpc }, 50, { profile, value: { usdOf: ({ id }) => (rich.has(id) ? 500 : 0) } })
    await world.follow()
    expect(world.size()).toBeLessThanOrEqual(50)
    expect(chain.livePools()).toBeGreaterThan(100)
    const outside = [...chain.livingAt(chain.head())].filter(({ id }) => !world.book.get(id))
    for (const { id } of outside) rich.add(id)
    const returned = () => [...world.book.all()].filter(({ id }) => rich.has(id))
    for (let blocks = 0; blocks < 20; blocks++) {
      chain.mine()
      await world.follow()
    }
    expect(returned().length).toBeGreaterThan(0)
    expect(world.size()).toBeLessThanOrEqual(50)
    const living = [...chain.livingAt(chain.head())].filter(({ id }) => world.book.get(id))
    expect(comparePools(world.book.all(), living).differing).toEqual([])
  })
})
