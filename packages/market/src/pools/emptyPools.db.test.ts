import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Address, createCrypto, type Hex, NATIVE, TOPIC } from '@pit/chain'
import type { ChainLog } from '@pit/platform/follow'
import type { Job } from '@pit/platform/jobs'
import { createLogger } from '@pit/platform/logger'
import { BARE_PROFILE } from '@pit/platform/test/bareProfile'
import { createManualClock } from '@pit/platform/test/manualClock'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { withDb } from '@pit/platform/test/withStore'
import type { ChainProfile } from '@pit/protocol'
import { encodeAbiParameters, pad, toHex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { keepRegistry } from '../tokens/keepRegistry.ts'
import type { Registry } from '../tokens/registry.ts'
import { openMarket } from './openMarket.ts'

// A million by hand:
// SPAM_POOLS=1000000 npx vitest run --project db packages/market/src/pools/emptyPools.db.test.ts -t memory
const SPAM_POOLS = Number(process.env['SPAM_POOLS'] ?? 6_000)
const MAX_GROWTH_BYTES = 50_000_000
const PER_BLOCK = 10

const MANAGER: Address = `0x${'a4'.repeat(20)}`
const ROOT = 1n << 96n
const DYNAMIC_FEE = 0x800000
const HOOK: Address = `0x${'00'.repeat(18)}0080`
const word = (n: number | bigint): Hex => toHex(n, { size: 32 })
const token = (n: number): Address => toHex(0xaa_0000_0000n + BigInt(n), { size: 20 })
const poolId = (n: number): Hex => word(0xbb_0000_0000n + BigInt(n))
const words = (types: string[], values: unknown[]) =>
  encodeAbiParameters(
    types.map((type) => ({ type })),
    values,
  )
type Said = Pick<ChainLog, 'topics' | 'data'>
const initialize = (n: number, root = ROOT, fee = 3_000, hooks: Address = NATIVE): Said => ({
  topics: [TOPIC.v4Initialize, poolId(n), pad(NATIVE), pad(token(n))],
  data: words(['uint24', 'int24', 'address', 'uint160', 'int24'], [fee, 60, hooks, root, 0]),
})
const liquidity = (n: number, delta: bigint): Said => ({
  topics: [TOPIC.v4ModifyLiquidity, poolId(n), pad(MANAGER)],
  data: words(['int24', 'int24', 'int256', 'bytes32'], [-600, 600, delta, word(0)]),
})
const swap = (n: number, root: bigint): Said => ({
  topics: [TOPIC.v4Swap, poolId(n), pad(MANAGER)],
  data: words(['int128', 'int128', 'uint160', 'uint128', 'int24', 'uint24'], [0n, 0n, root, 0n, 7, 3_000]),
})

/** A chain whose blocks say what the pool manager logged in them. */
function chainOf(said: (number: number) => Said[]) {
  let [head, fork, forkedAt] = [0, 0, Number.POSITIVE_INFINITY]
  const own = new Map<number, Said[]>()
  const hashOf = (number: number): Hex =>
    word(BigInt(number + 1) + (number > forkedAt ? BigInt(fork) << 64n : 0n))
  const header = (number: number) =>
    number > head
      ? null
      : { number: toHex(number), hash: hashOf(number), parentHash: hashOf(number - 1), timestamp: '0x1' }
  const logs = (number: number) =>
    (own.get(number) ?? said(number)).map((log, i) => ({
      ...log,
      address: MANAGER,
      blockNumber: toHex(number),
      blockHash: hashOf(number),
      transactionHash: word(1),
      logIndex: toHex(i),
    }))
  return {
    rpc: rpcOf(async (method, [first]) => {
      if (method === 'eth_getBlockByNumber') return header(first === 'latest' ? head : Number(first))
      if (method !== 'eth_getLogs') throw new Error(`nobody answers ${method}`)
      const where = first as { blockHash?: Hex; fromBlock: Hex; toBlock: Hex }
      const number = Number(BigInt(where.blockHash ?? 0) & 0xffff_ffff_ffffn) - 1
      if (where.blockHash) return hashOf(number) === where.blockHash ? logs(number) : []
      const [from, to] = [Number(where.fromBlock), Number(where.toBlock)]
      return Array.from({ length: to - from + 1 }, (_, i) => logs(from + i)).flat()
    }),
    mine(...more: Said[]) {
      head += 1
      own.set(head, more)
    },
    growTo(number: number) {
      head = number
    },
    /** Other blocks from here on. */
    forkAt(number: number) {
      fork += 1
      forkedAt = number
      head = number
      for (const known of own.keys()) if (known > number) own.delete(known)
    },
  }
}
type TestChain = ReturnType<typeof chainOf>

const crypto = await createCrypto()
const logger = createLogger({ level: 'silent' })
const PROFILE = {
  ...BARE_PROFILE,
  contracts: { ...BARE_PROFILE.contracts, v4_pool_manager: MANAGER },
} as ChainProfile

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const heapBytes = () => {
  collect()
  return process.memoryUsage().heapUsed
}

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

  it(`take no memory, ${SPAM_POOLS} of them, and hold up no screen`, { timeout: 3_600_000 }, async () => {
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

    it('leave memory with their liquidity, and are known for a while', async () => {
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

    it('with a fee that is unknown until it is read, where a hook sets it', async () => {
      const chain = quiet()
      const world = await open(chain)
      chain.mine(initialize(1, ROOT, DYNAMIC_FEE, HOOK))
      chain.mine(liquidity(1, 5n))
      await world.follow()
      expect(world.pool(1)).toMatchObject({ lpFeePips: 1_000_000, key: { fee: DYNAMIC_FEE, hooks: HOOK } })
    })
  })

  describe('after a reorg', () => {
    it('stand as the new chain has them, written or not', async () => {
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
