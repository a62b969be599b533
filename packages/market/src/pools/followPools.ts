import { randomUUID } from 'node:crypto'
import { type Address, hookEffectOf, type V4Pool } from '@pit/chain'
import type { Db } from '@pit/platform/db'
import { type Chunk, followChain, type Header, type Place } from '@pit/platform/follow'
import type { Job } from '@pit/platform/jobs'
import type { Logger } from '@pit/platform/monitoring'
import { askHeader, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import { isAlive } from '../tokens/depth.ts'
import { createCallAll } from './callAll.ts'
import { beginSweep, type Checkpoint, endSweep, readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import { discoverPools, lastMark } from './discoverPools.ts'
import { createDynamicFees } from './dynamicFees.ts'
import { createEmptyPools } from './emptyPools.ts'
import { createKnownPools } from './knownPools.ts'
import { type Applied, type BookListener, createPoolBook, type PoolBook } from './poolBook.ts'
import { createPoolBound, type PoolValue } from './poolBound.ts'
import { type AnyPool, emittersOf, MARKET_TOPICS } from './poolLogs.ts'
import { readLaunches } from './readLaunches.ts'
import { createStateReader } from './readStates.ts'
import { sweepPools } from './sweepPools.ts'
import { createWakingPools } from './wakePools.ts'

export interface FollowPoolsDeps {
  rpc: Rpc
  db: Db
  profile: ChainProfile
  logger: Logger
  /** Pools that stay in memory without liquidity too. */
  pinned: readonly string[]
  value: PoolValue
  /** Maximum number of pools in memory; default if absent. */
  maxPools?: number
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
  check: Job
  saveCheckpoint: Job
  close(): Promise<void>
}

const POLL_MS = 50
/** Poll interval while the node announces new blocks: only for missed announcements. */
const POLL_SUBSCRIBED_MS = 1_000
const CHECKPOINT_EVERY_MS = 10_000
/** Pools checked per request; twenty thousand pools take about eight minutes. */
const CHECKED_AT_ONCE = 200
const CHECK_EVERY_MS = 5_000
/** About half an hour: further behind, reading states is faster than reading every swap. */
const MAX_BEHIND = 20_000

const lower = (address: string | null) => (address?.toLowerCase() ?? null) as `0x${string}` | null

/**
 * Keeps the state of pools with liquidity equal to the chain's, block by block from the checkpoint on; undoes
 * reorgs. Other pools, and the thinnest beyond the bound, are stored rows until a log names them.
 */
export async function followPools(deps: FollowPoolsDeps): Promise<PoolsFollowed> {
  const { rpc, db, profile, logger, listener } = deps
  const pinned = new Set(deps.pinned)
  const emitters = emittersOf(profile)
  const stateView = lower(profile.contracts.v4_state_view)
  const multicall3 = profile.contracts.multicall3 as Address
  const knownHooks = new Set(profile.known_hooks.map(({ address }) => address.toLowerCase()))
  /** The block of the book's state: set together with it, so that a reader of both sees one state. */
  let head: Header | null = null
  let changed = new Set<AnyPool>()
  let gone = new Set<string>()
  /** A known hook may pay what the pool itself does not hold. */
  const isHookServed = (pool: AnyPool) =>
    pool.version === 'v4' && knownHooks.has(pool.key.hooks) && hookEffectOf(pool.key) === 'amounts'
  const isWanted = (pool: AnyPool) => pinned.has(pool.id) || isHookServed(pool)
  const isKept = (pool: AnyPool) => pool.version === 'curve' || isAlive(pool) || isWanted(pool)

  const newBound = () =>
    createPoolBound({
      isPinned: (id) => pinned.has(id),
      value: deps.value,
      ...(deps.maxPools !== undefined && { max: deps.maxPools }),
    })
  const aheadBound = newBound()
  const fees = createDynamicFees({ rpc, multicall3, stateView, knownHooks, logger })
  const states = createStateReader({
    callAll: createCallAll({ rpc, multicall3 }),
    stateView,
    isPinned: (id) => pinned.has(id),
  })
  const known = createKnownPools(db)
  const empties = createEmptyPools()
  const waking = createWakingPools({ rpc, known, states, bound: aheadBound, logger })
  const bookListener: BookListener = {
    onBorn: (pool) => {
      fees.add(pool)
      gone.delete(pool.id)
      listener.onBorn(pool)
    },
    onGone: (pool) => {
      fees.remove(pool)
      gone.add(pool.id)
      changed.delete(pool)
      listener.onGone(pool)
    },
  }
  const book = createPoolBook(emitters, bookListener, isKept, newBound())
  const setFees = (read: Map<V4Pool, number>) => {
    for (const [pool, feePips] of read) {
      if (pool.lpFeePips === feePips || book.get(pool.id) !== pool) continue
      pool.lpFeePips = feePips
      changed.add(pool)
    }
  }

  const floor: Place = { number: profile.first_block - 1, hash: null }
  const ending = new AbortController()
  let savedAt = -1
  /** The block at which the store was last read or written. */
  let since = -1
  /** The stored state is from another chain, or incomplete. */
  let anew = false
  /** An unfinished sweep of all states. */
  let sweep: { place: Header | CheckpointPlace; by: string; after: string } | null = null
  const from = restore(await readCheckpoint(db))

  function restore(checkpoint: Checkpoint | null): Place {
    if (!checkpoint) return floor
    const { block: number, hash, pools, ahead } = checkpoint
    waking.expect(ahead)
    if (checkpoint.sweep) {
      sweep = { place: { number, hash }, by: checkpoint.sweep.by, after: checkpoint.sweep.to }
      return floor
    }
    book.restore(number, pools)
    since = number
    return { number, hash }
  }

  const readHeader = (block: number | 'latest') => readOne(rpc, askHeader(block))

  /** Clears everything in memory. */
  function forget(): void {
    head = null
    book.clear()
    empties.clear()
    waking.clear()
    changed.clear()
    gone.clear()
    anew = true
  }

  /** Finds all pools by their creation, reads the states of those that count, and continues from there. */
  async function readAnew(latest: Header): Promise<Place> {
    const isUsable =
      sweep !== null &&
      latest.number - sweep.place.number <= MAX_BEHIND &&
      (await readHeader(sweep.place.number))?.hash === sweep.place.hash
    if (!isUsable) {
      logger.info({ block: latest.number }, 'reading the pools and their states')
      forget()
      const mark = await lastMark({ rpc, db }, latest.number)
      const { signal } = ending
      await discoverPools({ rpc, db, emitters, multicall3, logger, signal }, mark ?? floor, latest)
      sweep = { place: latest, by: randomUUID(), after: '' }
      await beginSweep(db, { block: latest.number, hash: latest.hash }, sweep.by)
    }
    const { place, by } = sweep!
    const { signal } = ending
    await sweepPools({ rpc, db, logger, states, isWanted, bound: aheadBound, signal }, sweep!, (pools, at) =>
      waking.expect(pools.map((pool) => ({ pool, at: at.number, hash: at.hash }))),
    )
    await endSweep(db, by)
    sweep = null
    book.restore(place.number, [])
    since = place.number
    anew = false
    return place
  }

  function keep({ touched, emptied, made, lost }: Applied): void {
    empties.keep(emptied)
    known.add(made)
    for (const pool of touched) {
      if (book.get(pool.id) !== pool) continue
      changed.add(pool)
      empties.forget(pool.id)
    }
    if (lost.length === 0) return
    // State and logs disagree, so a log was missed: nothing may be quoted from this state.
    logger.error({ block: head?.number, pools: lost }, 'logs did not fit pools; their states are read again')
    for (const id of lost) empties.forget(id)
    waking.want(lost)
  }

  async function onChunk(chunk: Chunk, { isNewest }: { isNewest: boolean }): Promise<void> {
    await known.makeRoom()
    // While catching up, states of these blocks may be pruned; all is read once the newest is reached.
    const isNear = isNewest || chunk.from === chunk.head.number
    // Read before the logs are applied, so that no reader sees the block without its fees.
    const knownFees = await fees.read(fees.followed(), chunk.head.number)
    const unknown = book.unknownIn(chunk).filter((id) => !waking.has(id))
    const near = empties.load(unknown)
    const nearIds = new Set(near.map(({ id }) => id as string))
    const far = await known.find(unknown.filter((id) => !nearIds.has(id)))
    waking.want(far.map(({ id }) => id))
    const arrived = [
      ...(await waking.due(chunk.head.number)),
      ...(isNear ? await waking.read(chunk.head) : []),
    ]
    const launched = await readLaunches({ rpc, multicall3, logger, launchpads: emitters.launchpads }, chunk)
    const applied = book.apply(chunk, { known: near, arrived, launched })
    // From here on nothing throws: the chunk would be applied again.
    head = chunk.head
    keep(applied)
    setFees(knownFees)
    const { touched } = applied
    if (applied.lost.length > 0 && isNear) {
      const again = await waking.read(chunk.head)
      const after = book.apply({ from: chunk.head.number, head: chunk.head, logs: [] }, { arrived: again })
      keep(after)
      for (const pool of after.touched) touched.add(pool)
    }
    const born = fees.followed().filter((pool) => !knownFees.has(pool))
    if (born.length > 0) setFees(await fees.read(born, chunk.head.number))
    listener.onBlock(chunk.head, touched)
  }

  async function onReorg(fork: Place | null): Promise<Place> {
    head = null
    const lost = fork && book.undoTo(fork.number)
    if (fork && lost) {
      logger.warn({ to: fork.number }, 'undid blocks after a reorg')
      undoRest(fork.number, lost)
      // Undone pools differ from the stored ones; writing all is cheaper than finding them.
      for (const pool of book.all()) changed.add(pool)
      return fork
    }
    const place = fork ?? (await findFork())
    if (place === null) {
      logger.error('the stored pools are from another chain; reading from the first block')
      forget()
      return floor
    }
    const dropped = book.dropAfter(place.number)
    logger.error(
      { to: place.number, pools: dropped.length },
      'the reorg is deeper than the undo history; reading the pools that changed since',
    )
    // Pools that lost their liquidity since may have it on this chain.
    undoRest(place.number, [...dropped, ...empties.undoTo(place.number)])
    anew = true
    return place
  }
  function undoRest(number: number, lost: readonly string[]): void {
    empties.undoTo(number)
    known.undoTo(number)
    waking.undoTo(number)
    waking.want(lost)
  }
  async function findFork(): Promise<Place | null> {
    const latest = await readHeader('latest')
    if (!latest) throw new Error('the node has no newest block')
    return lastMark({ rpc, db }, latest.number)
  }

  const follower = followChain({
    rpc,
    topics: MARKET_TOPICS,
    from,
    maxBehind: MAX_BEHIND,
    listener: { onChunk, onReorg, onFar: readAnew },
  })

  let unchecked: AnyPool[] = []
  /** Compares a batch of pools with the chain: a missed swap shows in no later log. */
  async function check(): Promise<void> {
    const at = head
    if (at === null || !waking.isEmpty()) return
    if (unchecked.length === 0) unchecked = [...book.all()]
    const some = unchecked.splice(-CHECKED_AT_ONCE).filter((pool) => book.get(pool.id) === pool)
    const differing = await states.findDiffering(some, at.number)
    if (differing.length === 0 || (await readHeader(at.number))?.hash !== at.hash) return
    const ids = differing.filter((pool) => book.get(pool.id) === pool).map(({ id }) => id)
    logger.error({ block: at.number, pools: ids }, 'pool states differ from the chain; reading them again')
    for (const id of ids) book.drop(id)
    waking.want(ids)
  }

  async function saveCheckpoint(): Promise<void> {
    // A pool without its state yet would be missing after a restart.
    if (head === null || head.number === savedAt || !waking.isEmpty()) return
    const at = { block: head.number, hash: head.hash }
    const isWhole = anew
    const [written, removed, made] = [isWhole ? new Set(book.all()) : changed, gone, known.waiting()]
    changed = new Set()
    gone = new Set()
    try {
      anew = !(await writeCheckpoint(db, at, { changed: written, gone: removed, since, made, anew: isWhole }))
      known.written(made)
    } catch (error) {
      for (const pool of written) if (book.get(pool.id) === pool) changed.add(pool)
      for (const id of removed) if (!book.get(id)) gone.add(id)
      throw error
    }
    if (anew) return saveCheckpoint()
    savedAt = at.block
    since = at.block
  }
  const stop = (): Promise<void> => {
    ending.abort()
    return follower.stop()
  }

  let isWriter = false
  return {
    book,
    head: () => head,
    catchUp: follower.catchUp,
    follow: {
      name: 'follow pools',
      intervalMs: () => (rpc.hearsHeads?.() ? POLL_SUBSCRIBED_MS : POLL_MS),
      ...(rpc.onHead && { wakeOn: rpc.onHead }),
      run: (signal) => {
        // Catching up may take long and must not delay the end of the process.
        signal.addEventListener('abort', stop)
        return follower.catchUp()
      },
    },
    check: { name: 'check pools', intervalMs: CHECK_EVERY_MS, firstAfterMs: CHECK_EVERY_MS, run: check },
    saveCheckpoint: {
      name: 'save market checkpoint',
      intervalMs: CHECKPOINT_EVERY_MS,
      run: () => {
        isWriter = true
        return saveCheckpoint()
      },
    },
    close: async () => {
      await stop()
      if (isWriter) await saveCheckpoint().catch(() => {})
    },
  }
}

type CheckpointPlace = Pick<Header, 'number' | 'hash'>
