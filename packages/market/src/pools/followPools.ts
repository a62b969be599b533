import {
  type Address,
  DYNAMIC_FEE,
  hookEffectOf,
  launchpadsIn,
  type V4Pool,
  v4StateViewAbi,
} from '@pit/chain'
import type { Db } from '@pit/platform/db'
import { type Chunk, followChain, type Header, StartAgain } from '@pit/platform/follow'
import type { Job } from '@pit/platform/jobs'
import type { Logger } from '@pit/platform/logger'
import { askMulticall, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { isAlive } from '../tokens/depth.ts'
import { readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import { createEmptyPools } from './emptyPools.ts'
import {
  type AnyPool,
  type Applied,
  type BookListener,
  createPoolBook,
  type Emitters,
  MARKET_TOPICS,
  type PoolBook,
} from './poolBook.ts'
import { readLaunches } from './readLaunches.ts'

export interface FollowPoolsDeps {
  rpc: Rpc
  db: Db
  profile: ChainProfile
  logger: Logger
  /** Pools that stay in memory without liquidity too. */
  pinned: readonly string[]
  listener: BookListener & {
    /** Called after a block was applied. Must not throw: the block would be applied again. */
    onBlock(head: Header, touched: Set<AnyPool>): void
  }
}

export interface PoolsFollowed {
  book: PoolBook
  head(): Header | null
  catchUp(): Promise<void>
  follow: Job
  saveCheckpoint: Job
  close(): Promise<void>
}

const POLL_MS = 50
const CHECKPOINT_EVERY_MS = 10_000

const lower = (address: string | null) => (address?.toLowerCase() ?? null) as `0x${string}` | null

const emittersOf = ({ contracts, ...profile }: ChainProfile): Emitters => ({
  v2Factory: lower(contracts.v2_factory),
  v3Factory: lower(contracts.v3_factory),
  v4PoolManager: lower(contracts.v4_pool_manager),
  launchpads: launchpadsIn(profile),
})

const WHOLE_FEE_PIPS = 1_000_000
const hasDynamicFee = (pool: AnyPool): pool is V4Pool => pool.version === 'v4' && pool.key.fee === DYNAMIC_FEE
/** Pools whose dynamic fee is read with each block; reading more would delay blocks. */
const MAX_DYNAMIC = 256

/**
 * Keeps the state of every pool with liquidity equal to the chain's, block by block from the checkpoint on;
 * undoes reorgs. Pools without liquidity are rows of the store until a log gives them some.
 */
export async function followPools(deps: FollowPoolsDeps): Promise<PoolsFollowed> {
  const { rpc, db, profile, logger, listener } = deps
  const pinned = new Set(deps.pinned)
  const stateView = lower(profile.contracts.v4_state_view)
  const multicall3 = profile.contracts.multicall3 as Address
  const knownHooks = new Set(profile.known_hooks.map(({ address }) => address.toLowerCase()))
  const launchpads = launchpadsIn(profile)
  const dynamic = new Set<V4Pool>()
  /** The block of the book's state: set together with it, so that a reader of both sees one state. */
  let head: Header | null = null
  let changed = new Set<AnyPool>()
  let gone = new Set<string>()
  const empties = createEmptyPools({ db, rpc })
  /** A known hook may give what the pool itself has not. */
  const isHookServed = (pool: AnyPool) =>
    pool.version === 'v4' && knownHooks.has(pool.key.hooks) && hookEffectOf(pool.key) === 'amounts'
  const isKept = (pool: AnyPool) =>
    pool.version === 'curve' || isAlive(pool) || pinned.has(pool.id) || isHookServed(pool)
  const bookListener: BookListener = {
    onBorn: (pool) => {
      if (hasDynamicFee(pool)) {
        // The whole amount until the real fee is read: no quote is better than a wrong one.
        if (pool.lpFeePips === 0) pool.lpFeePips = WHOLE_FEE_PIPS
        // Anybody can open pools with an own hook; those are quoted by the chain or not at all.
        if (knownHooks.has(pool.key.hooks) && dynamic.size < MAX_DYNAMIC) dynamic.add(pool)
      }
      gone.delete(pool.id)
      listener.onBorn(pool)
    },
    onGone: (pool) => {
      // Unknown again: it may be another one by the time the pool comes back.
      if (hasDynamicFee(pool) && dynamic.delete(pool)) pool.lpFeePips = 0
      gone.add(pool.id)
      changed.delete(pool)
      listener.onGone(pool)
    },
  }
  const book = createPoolBook(emittersOf(profile), bookListener, isKept)
  /** A fee that cannot be read keeps its last value: it must not delay a block. */
  const readFees = async (pools: V4Pool[], block: number): Promise<Map<V4Pool, number>> => {
    if (!stateView || pools.length === 0) return new Map()
    return readDynamicFees({ rpc, multicall3, stateView }, pools, block).catch((error) => {
      logger.warn({ err: error, block }, 'dynamic fees were not read')
      return new Map()
    })
  }
  const setFees = (fees: Map<V4Pool, number>) => {
    for (const [pool, feePips] of fees) {
      if (pool.lpFeePips === feePips || !book.get(pool.id)) continue
      pool.lpFeePips = feePips
      changed.add(pool)
    }
  }
  let savedAt = -1
  /** Everything was read again since the last checkpoint. */
  let anew = false
  const floor = profile.first_block - 1
  const checkpoint = await readCheckpoint(db)
  if (checkpoint) {
    // Older checkpoints have pools without liquidity among the others.
    const empty = book.restore(checkpoint.block, checkpoint.pools)
    for (const { id } of empty) gone.add(id)
    empties.keep(empty.map((pool) => ({ pool, block: checkpoint.block, hash: checkpoint.hash })))
  }

  const follower = followChain({
    rpc,
    topics: MARKET_TOPICS,
    floor,
    ...(checkpoint ? { from: { number: checkpoint.block, hash: checkpoint.hash } } : {}),
    listener: {
      async onChunk(chunk: Chunk) {
        await empties.makeRoom()
        // Read before the logs are applied, so that no reader sees the block without its fees.
        const known = await readFees([...dynamic], chunk.head.number)
        const unknown = book.unknownIn(chunk)
        const awaking = unknown.length > 0 ? await empties.load(unknown, chunk.from) : []
        const launched = await readLaunches({ rpc, multicall3, launchpads, logger }, chunk)
        let applied: Applied
        try {
          applied = book.apply(chunk, [...awaking, ...launched])
        } catch (error) {
          // State and logs disagree, so a log was missed: nothing may be quoted from this state.
          logger.error({ err: error, block: chunk.head.number }, 'pool state lost its place; reading it anew')
          book.clear()
          empties.undoTo(floor)
          head = null
          anew = true
          throw new StartAgain('pool state lost its place', { cause: error })
        }
        const { touched, emptied } = applied
        head = chunk.head
        empties.keep(emptied)
        for (const pool of touched) if (book.get(pool.id) === pool) changed.add(pool)
        setFees(known)
        const born = [...dynamic].filter((pool) => !known.has(pool))
        if (born.length > 0) setFees(await readFees(born, chunk.head.number))
        listener.onBlock(chunk.head, touched)
      },
      onReorg(number) {
        head = null
        empties.undoTo(number)
        if (book.undoTo(number)) {
          logger.warn({ to: number }, 'the chain was reorganised')
          // Undone pools differ from the stored ones; writing all is cheaper than finding them.
          for (const pool of book.all()) changed.add(pool)
          return number
        }
        logger.error({ to: number }, 'the chain was reorganised deeper than is remembered; reading it anew')
        book.clear()
        empties.undoTo(floor)
        anew = true
        return floor
      },
    },
  })

  async function saveCheckpoint(): Promise<void> {
    if (head === null || head.number === savedAt) return
    const at = { block: head.number, hash: head.hash }
    const [written, removed, empty] = [changed, gone, empties.waiting()]
    changed = new Set()
    gone = new Set()
    try {
      await writeCheckpoint(db, at, { changed: written, gone: removed, empty, anew })
      empties.written(empty)
      savedAt = at.block
      anew = false
    } catch (error) {
      for (const pool of written) if (book.get(pool.id) === pool) changed.add(pool)
      for (const id of removed) if (!book.get(id)) gone.add(id)
      throw error
    }
  }

  let isWriter = false
  return {
    book,
    head: () => head,
    catchUp: follower.catchUp,
    follow: {
      name: 'follow pools',
      intervalMs: POLL_MS,
      run: (signal) => {
        // Catching up may take long and must not delay the end of the process.
        signal.addEventListener('abort', follower.stop)
        return follower.catchUp()
      },
    },
    saveCheckpoint: {
      name: 'save market checkpoint',
      intervalMs: CHECKPOINT_EVERY_MS,
      run: () => {
        isWriter = true
        return saveCheckpoint()
      },
    },
    close: async () => {
      await follower.stop()
      if (isWriter) await saveCheckpoint().catch(() => {})
    },
  }
}

/** A hook may change a dynamic fee at any time without a log. A pool that does not answer is left out. */
async function readDynamicFees(
  { rpc, multicall3, stateView }: { rpc: Rpc; multicall3: Address; stateView: Address },
  pools: readonly V4Pool[],
  block: number,
): Promise<Map<V4Pool, number>> {
  const slot0 = { abi: v4StateViewAbi, functionName: 'getSlot0' } as const
  const calls = pools.map(({ id }) => ({ to: stateView, data: encodeFunctionData({ ...slot0, args: [id] }) }))
  const answers = await readOne(rpc, askMulticall(multicall3, calls, { block }))
  const fees = new Map<V4Pool, number>()
  for (const [i, data] of answers.entries()) {
    if (data !== null) fees.set(pools[i]!, decodeFunctionResult({ ...slot0, data })[3])
  }
  return fees
}
