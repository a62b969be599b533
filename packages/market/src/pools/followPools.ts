import { type Chunk, followChain, type Header, type Place } from '@pit/platform/follow'
import type { Job } from '@pit/platform/jobs'
import { headerIn } from '@pit/platform/reads'
import { countedTokens, createPendingSwaps, swapsIn } from '../candles/swapVolumes.ts'
import { applyChunk, isEmptyBlock } from './applyChunk.ts'
import { createPoolCheck } from './checkPools.ts'
import { readCheckpoint } from './checkpoint.ts'
import type { BookListener, PoolBook } from './poolBook.ts'
import { type AnyPool, createLogReader, MARKET_TOPICS } from './poolLogs.ts'
import { createPoolMemory, type PoolMemoryDeps } from './poolMemory.ts'
import { createAllPoolsReader } from './readAllPools.ts'
import { createSavedPools } from './savedPools.ts'
import { undoReorg } from './undoReorg.ts'

export interface FollowPoolsDeps extends PoolMemoryDeps {
  listener: BookListener & {
    /**
     * Called after a block, or several, were applied; `isEmpty`: they changed no state. Must not throw: they would be
     * applied again.
     */
    onBlock(head: Header, touched: Set<AnyPool>, isEmpty: boolean): void
  }
}

export interface PoolsFollowed {
  book: PoolBook
  head(): Header | null
  catchUp(): Promise<void>
  follow: Job
  check: Job
  saveCheckpoint: Job
  close(): Promise<void>
}

const POLL_MS = 50
/** Poll interval while the node announces new blocks: only for missed announcements. */
const POLL_SUBSCRIBED_MS = 1_000
/** An idle process has no subscription. Nodes keep the states of the last 128 blocks, over twice as many. */
const POLL_IDLE_MS = 5_000
const CHECKPOINT_EVERY_MS = 10_000
/** Also while blocks seem empty: a node that omits logs makes them seem so. */
const CHECK_EVERY_MS = 5_000
const CHECK_IDLE_MS = 30_000
/** About half an hour: further behind, reading states is faster than reading every swap. */
const MAX_BEHIND = 20_000

/**
 * Keeps the state of pools with liquidity equal to the chain's, block by block from the checkpoint on; undoes
 * reorgs. Other pools, and the thinnest beyond the bound, are stored rows until a log names them.
 */
export async function followPools(deps: FollowPoolsDeps): Promise<PoolsFollowed> {
  const { rpc, db, profile, logger, listener } = deps
  const ending = new AbortController()
  const floor: Place = { number: profile.first_block - 1, hash: null }
  const memory = createPoolMemory(deps)
  const swaps = createPendingSwaps()
  const saved = createSavedPools({ db, memory, swaps })
  const readLog = createLogReader(memory.emitters)
  const countedFor = countedTokens(profile)
  const swapsOf = (chunk: Chunk) =>
    swapsIn(chunk, { readLog, pool: memory.book.get, countedFor, before: memory.head() })
  const allPools = createAllPoolsReader({
    rpc,
    db,
    logger,
    memory,
    saved,
    floor,
    maxBehind: MAX_BEHIND,
    signal: ending.signal,
  })

  async function restore(): Promise<Place> {
    const checkpoint = await readCheckpoint(db)
    if (!checkpoint) return floor
    const { block: number, hash, pools, ahead, sweep } = checkpoint
    memory.wakingPools.expect(ahead)
    if (sweep) {
      allPools.resume({ number, hash }, sweep)
      return floor
    }
    memory.book.restore(number, pools)
    saved.startAt(number)
    return { number, hash }
  }

  let announced: Header | null = null
  const follower = followChain({
    rpc,
    topics: MARKET_TOPICS,
    from: await restore(),
    maxBehind: MAX_BEHIND,
    announced() {
      const header = announced
      announced = null
      return header
    },
    listener: {
      async onChunk(chunk, options) {
        const swapped = swapsOf(chunk)
        const touched = await applyChunk({ rpc, logger, memory }, chunk, options)
        swaps.add(swapped)
        listener.onBlock(chunk.head, touched, isEmptyBlock(chunk))
      },
      onReorg: async (fork) => {
        const place = (await undoReorg({ rpc, db, logger, memory, saved }, fork)) ?? floor
        swaps.dropAfter(place.number)
        return place
      },
      onFar: allPools.read,
    },
  })
  const stop = (): Promise<void> => {
    ending.abort()
    return follower.stop()
  }

  const { onHead } = rpc
  let isWriter = false
  return {
    book: memory.book,
    head: memory.head,
    catchUp: follower.catchUp,
    follow: {
      name: 'follow pools',
      intervalMs: () => (rpc.hearsHeads?.() ? POLL_SUBSCRIBED_MS : POLL_MS),
      idleMs: POLL_IDLE_MS,
      ...(onHead && {
        wakeOn: (wake) =>
          onHead((json) => {
            announced = typeof json === 'object' && json !== null ? (headerIn({ ...json }) ?? null) : null
            wake()
          }),
      }),
      run: (signal) => {
        // Catching up may take long and must not delay the end of the process.
        signal.addEventListener('abort', stop)
        return follower.catchUp()
      },
    },
    check: {
      name: 'check pools',
      intervalMs: CHECK_EVERY_MS,
      idleMs: CHECK_IDLE_MS,
      firstAfterMs: CHECK_EVERY_MS,
      run: createPoolCheck({ rpc, logger, memory }),
    },
    saveCheckpoint: {
      name: 'save market checkpoint',
      intervalMs: CHECKPOINT_EVERY_MS,
      run: () => {
        isWriter = true
        return saved.save()
      },
    },
    close: async () => {
      await stop()
      if (isWriter) await saved.save().catch(() => {})
    },
  }
}
