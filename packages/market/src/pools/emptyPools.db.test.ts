import { type Address, createCrypto, NATIVE } from '@pit/chain'
import type { Job } from '@pit/platform/jobs'
import { createLogger } from '@pit/platform/monitoring'
import { BARE_PROFILE } from '@pit/platform/test/bareProfile'
import { createManualClock } from '@pit/platform/test/manualClock'
import { withDb } from '@pit/platform/test/withStore'
import type { ChainProfile } from '@pit/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { heapBytes } from '../../test/heapBytes.ts'
import {
  chainOf,
  DYNAMIC_FEE,
  HOOK,
  initialize,
  liquidity,
  MANAGER,
  poolId,
  ROOT,
  swap,
  type TestChain,
  token,
} from '../../test/logChain.ts'
import { keepRegistry } from '../tokens/keepRegistry.ts'
import type { Registry } from '../tokens/registry.ts'
import { openMarket } from './openMarket.ts'

// A million by hand:
// SPAM_POOLS=1000000 npx vitest run --project db packages/market/src/pools/emptyPools.db.test.ts -t memory
const SPAM_POOLS = Number(process.env['SPAM_POOLS'] ?? 6_000)
const MAX_GROWTH_BYTES = 50_000_000
const PER_BLOCK = 10

const crypto = await createCrypto()
const logger = createLogger({ level: 'silent' })
const PROFILE = {
  ...BARE_PROFILE,
  contracts: { ...BARE_PROFILE.contracts, v4_pool_manager: MANAGER },
} as ChainProfile

withDb('pools without liquidity', (db) => {
  beforeEach(() =>
    db.exec('delete from pools; delete from market_cursor; delete from known_pools; delete from pool_marks'),
  )
  const run = (job: Job) => job.run(new AbortController().signal)

  async function open({ rpc }: TestChain) {
    const clock = createManualClock(1_000_000)
    const market = await openMarket({ rpc, db, clock, crypto, profile: PROFILE, logger })
    const [follow] = market.jobs.everywhere as [Job]
    const [save] = market.jobs.worker as [Job]
    return {
      market,
      follow: () => run(follow),
      save: () => run(save),
      pool: (n: number) => market.index.get(poolId(n)),
    }
  }
  const quiet = () => chainOf(() => [])
  const alive = (root: bigint, liquidity: bigint) => ({ sqrtPriceX96: root, liquidity, lpFeePips: 3_000 })

  it(`take no memory (${SPAM_POOLS} pools) and delay no screen`, { timeout: 3_600_000 }, async () => {
    const spam = Math.ceil(SPAM_POOLS / PER_BLOCK)
    const real = SPAM_POOLS + 1
    const chain = chainOf((number) => {
      if (number === 0 || number > spam) return []
      return Array.from({ length: PER_BLOCK }, (_, i) => initialize((number - 1) * PER_BLOCK + i))
    })
    const { market, follow, save } = await open(chain)
    const queued: Address[] = []
    const registry = {
      coreAddresses: new Set([NATIVE]),
      screening: { later: (one: Address) => queued.push(one), isRunning: () => false },
    } as unknown as Registry
    const deps = { db, market, logger, clock: createManualClock(1_000_000) }
    const [refresh] = keepRegistry(deps as never, registry) as [Job & { wakeOn(): () => void }]
    const stop = refresh.wakeOn()
    const before = heapBytes()
    const startedMs = performance.now()
    chain.growTo(spam)
    await follow()
    const tookS = (performance.now() - startedMs) / 1_000
    chain.mine(initialize(real), liquidity(real, 5n))
    await follow()
    await save()
    const grown = heapBytes() - before
    const screenMs = performance.now()
    await run(refresh)
    const waitedMs = performance.now() - screenMs
    console.log(
      `${SPAM_POOLS} empty pools on ${db.engine}: heap ${(grown / 1e6).toFixed(1)} MB more, followed in ` +
        `${tookS.toFixed(1)} s; a real token was queued in ${waitedMs.toFixed(1)} ms, as ${queued.length}`,
    )
    expect(market.poolCount()).toBe(1)
    expect(grown).toBeLessThan(MAX_GROWTH_BYTES)
    expect(queued).toEqual([token(real)])
    expect(waitedMs).toBeLessThan(1_000)
    const [rows] = await db.query<{ count: number }>('select count(*)::int4 as count from known_pools')
    expect(rows!.count).toBe(spam * PER_BLOCK + 1)
    stop()
    expect((await open(chain)).market.poolCount()).toBe(1)
  })

  describe('come alive', () => {
    it('with the price they had', async () => {
      const chain = quiet()
      const world = await open(chain)
      chain.mine(initialize(1, ROOT * 2n), initialize(2, ROOT * 3n))
      chain.mine(liquidity(1, 5n))
      await world.follow()
      expect(world.pool(1)).toMatchObject(alive(ROOT * 2n, 5n))
      expect(world.pool(2)).toBeUndefined()
      await world.save()
      // A swap moves the price of a pool that has nothing to give.
      chain.mine(swap(2, ROOT * 7n))
      chain.mine(liquidity(2, 6n))
      await world.follow()
      expect(world.pool(2)).toMatchObject(alive(ROOT * 7n, 6n))
    })

    it('leave memory with their liquidity, and are cached for a while', async () => {
      const chain = quiet()
      const world = await open(chain)
      chain.mine(initialize(1), liquidity(1, 5n))
      await world.follow()
      await world.save()
      chain.mine(liquidity(1, -5n))
      await world.follow()
      expect([world.market.poolCount(), world.pool(1)]).toEqual([0, undefined])
      expect(world.market.pool(poolId(1))).toMatchObject({ id: poolId(1), liquidity: 0n })
      await world.save()
      expect(await db.query('select id from pools')).toEqual([])
      chain.mine(liquidity(1, 8n))
      await world.follow()
      expect(world.pool(1)).toMatchObject(alive(ROOT, 8n))
    })

    it('with an unknown fee until it is read, if a hook sets it', async () => {
      const chain = quiet()
      const world = await open(chain)
      chain.mine(initialize(1, ROOT, DYNAMIC_FEE, HOOK))
      chain.mine(liquidity(1, 5n))
      await world.follow()
      expect(world.pool(1)).toMatchObject({ lpFeePips: 1_000_000, key: { fee: DYNAMIC_FEE, hooks: HOOK } })
    })
  })

  describe('after a reorg', () => {
    it('match the new chain, stored or not', async () => {
      for (const saves of [false, true]) {
        const chain = quiet()
        const world = await open(chain)
        chain.mine(initialize(1), liquidity(1, 5n))
        await world.follow()
        chain.mine(initialize(2, ROOT * 2n), liquidity(1, -5n))
        await world.follow()
        if (saves) await world.save()
        chain.forkAt(1)
        chain.mine(swap(1, ROOT * 5n))
        chain.mine(initialize(2, ROOT * 3n))
        await world.follow()
        expect(world.pool(1)).toMatchObject({ sqrtPriceX96: ROOT * 5n })
        if (saves) await world.save()
        chain.mine(liquidity(2, 6n))
        await world.follow()
        expect(world.pool(2)).toMatchObject(alive(ROOT * 3n, 6n))
        await world.save()
        const again = await open(chain)
        expect(again.pool(2)).toMatchObject(alive(ROOT * 3n, 6n))
        await db.exec(
          'delete from pools; delete from market_cursor; delete from known_pools; delete from pool_marks',
        )
      }
    })
  })
})
