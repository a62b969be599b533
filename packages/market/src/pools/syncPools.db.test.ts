import { createCrypto } from '@pit/chain'
import type { Job } from '@pit/platform/jobs'
import { createLogger } from '@pit/platform/monitoring'
import { type Rpc, RpcError } from '@pit/platform/rpc'
import { BARE_PROFILE } from '@pit/platform/test/bareProfile'
import { createManualClock } from '@pit/platform/test/manualClock'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { withDb } from '@pit/platform/test/withStore'
import type { ChainProfile } from '@pit/protocol'
import { beforeEach, expect, it } from 'vitest'
import { comparePools } from '../../test/comparePools.ts'
import {
  CONTRACTS,
  createSyntheticChain,
  LAUNCHPADS,
  type SyntheticChain,
} from '../../test/syntheticChain.ts'
import { openMarket } from './openMarket.ts'

// A small piece of what bench/sync.ts does at full size: a chain that is too long to read log by log.

const SIZE = { blocks: 60_000, pools: 6_000, live: 150, maxLogs: 1_000 }
const crypto = await createCrypto()
const logger = createLogger({ level: 'silent' })
const PROFILE = {
  ...BARE_PROFILE,
  contracts: { ...BARE_PROFILE.contracts, ...CONTRACTS },
  launchpads: LAUNCHPADS,
} as ChainProfile

interface Range {
  from: number
  to: number
}

/** A node of the chain that records requests, and fails or proceeds on command. */
interface TestNode {
  /** Ranges of creation logs that were answered. */
  ranges: Range[]
  calls: number
  before(method: string): void
  rpc: Rpc
}
function nodeOf(chain: SyntheticChain): TestNode {
  const node: TestNode = {
    ranges: [],
    calls: 0,
    before: () => {},
    rpc: rpcOf(async (method, params) => {
      node.before(method)
      const answer = chain.answer(method, params)
      if (method === 'eth_call') node.calls += 1
      if (method !== 'eth_getLogs') return answer
      const { address, fromBlock, toBlock } = params[0] as Record<string, string>
      if (address) node.ranges.push({ from: Number(fromBlock), to: Number(toBlock) })
      return answer
    }),
  }
  return node
}

withDb('pools of a long chain', (db) => {
  beforeEach(() =>
    db.exec('delete from pools; delete from market_cursor; delete from known_pools; delete from pool_marks'),
  )
  const run = (job: Job) => job.run(new AbortController().signal)

  async function open({ rpc }: TestNode) {
    const clock = createManualClock(1_000_000)
    const market = await openMarket({ rpc, db, clock, crypto, profile: PROFILE, logger })
    const [follow] = market.jobs.everywhere as [Job]
    const [save] = market.jobs.worker as [Job]
    return { market, follow: () => run(follow), save: () => run(save) }
  }
  type World = Awaited<ReturnType<typeof open>>
  function expectEqual({ market }: World, chain: SyntheticChain) {
    const head = market.head()?.number
    expect(head).toBe(chain.head())
    const { compared, differing } = comparePools(market.pools(), chain.livingAt(head!))
    expect(differing).toEqual([])
    expect(compared).toBeGreaterThanOrEqual(chain.livePools())
  }

  it('are found by their creation and read at different blocks while the chain advances', async () => {
    const chain = createSyntheticChain(SIZE)
    const node = nodeOf(chain)
    // It trades, wakes pools and makes new ones all the while.
    node.before = (method) => void (method === 'eth_call' && chain.mine(3))
    const world = await open(node)
    await world.follow()
    node.before = () => {}
    await world.follow()
    expect(chain.head()).toBeGreaterThan(SIZE.blocks + 50)
    expectEqual(world, chain)
    for (let blocks = 0; blocks < 40; blocks++) {
      chain.mine()
      await world.follow()
    }
    expectEqual(world, chain)
    const [rows] = await db.query<{ count: number }>('select count(*)::int4 as count from known_pools')
    expect(rows!.count).toBeGreaterThanOrEqual(SIZE.pools)
    expect(world.market.poolCount()).toBeLessThan(SIZE.pools / 10)
  })

  it('are neither found nor read twice after a crash', async () => {
    const chain = createSyntheticChain(SIZE)
    const node = nodeOf(chain)
    const gone = () => {
      throw new Error('the process ended')
    }
    // First while pools are found, then while states are read.
    for (const [method, after] of [
      ['eth_getLogs', 6],
      ['eth_call', 30],
    ] as const) {
      let left: number = after
      node.before = (asked) => void (asked === method && left-- <= 0 && gone())
      await expect((await open(node)).follow()).rejects.toThrow('the process ended')
    }
    const before = node.calls
    node.before = () => {}
    const world = await open(node)
    chain.mine(20)
    await world.follow()
    expectEqual(world, chain)
    const sorted = node.ranges.sort((a, b) => a.from - b.from)
    for (const [i, { to }] of sorted.entries())
      if (sorted[i + 1]) expect(sorted[i + 1]!.from).toBeGreaterThan(to)
    expect(node.calls).toBeGreaterThan(before)

    // A sweep that was never interrupted.
    await db.exec('delete from pools; delete from market_cursor')
    const whole = nodeOf(chain)
    await (await open(whole)).follow()
    expect(node.calls).toBeLessThan(whole.calls * 1.5)
  })

  it('continue from the checkpoint, by logs if near and by states if far', async () => {
    const chain = createSyntheticChain(SIZE)
    const first = await open(nodeOf(chain))
    await first.follow()
    chain.mine(30)
    await first.follow()
    await first.save()

    chain.mine(500)
    const near = nodeOf(chain)
    const second = await open(near)
    await second.follow()
    expectEqual(second, chain)
    expect(near.ranges).toEqual([])
    await second.save()
    const savedAt = chain.head()

    chain.mine(25_000)
    const far = nodeOf(chain)
    const third = await open(far)
    await third.follow()
    expectEqual(third, chain)
    expect(Math.min(...far.ranges.map(({ from }) => from))).toBe(savedAt + 1)
  })

  it('are read again after a reorg beyond the undo history, and no others', async () => {
    const chain = createSyntheticChain(SIZE)
    const node = nodeOf(chain)
    const first = await open(node)
    await first.follow()
    chain.mine(600)
    await first.follow()
    await first.save()
    const second = await open(node)
    // The checkpoint is no longer canonical: continue at the last mark before it.
    chain.forkAt(SIZE.blocks + 50)
    chain.mine(700)
    node.calls = 0
    await second.follow()
    expectEqual(second, chain)
    chain.mine(10)
    await second.follow()
    expectEqual(second, chain)
    await second.save()
    const third = await open(node)
    chain.mine(5)
    await third.follow()
    expectEqual(third, chain)
  })

  it('survive missing states, rate limits and size limits of a node', async () => {
    const chain = createSyntheticChain({ ...SIZE, pools: 1_000, live: 100, stateBlocks: 60 })
    const node = nodeOf(chain)
    let requests = 0
    node.before = (method) => {
      if (method !== 'eth_call' && method !== 'eth_getLogs') return
      requests += 1
      if (method === 'eth_call' && requests % 4 === 0) chain.mine(requests === 12 ? 100 : 6)
      if (requests % 25 === 0) throw new RpcError(method, 429, 'slow down', undefined)
    }
    const world = await open(node)
    for (let tries = 0; tries < 60 && world.market.head()?.number !== chain.head(); tries++)
      await world.follow().catch(() => {})
    node.before = () => {}
    await world.follow()
    for (let blocks = 0; blocks < 12; blocks++) {
      chain.mine()
      await world.follow()
    }
    expectEqual(world, chain)
  })
})
