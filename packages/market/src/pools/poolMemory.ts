import { type Address, hookEffectOf, knownAddress, type V4Pool } from '@pit/chain'
import type { Db } from '@pit/platform/db'
import type { Header } from '@pit/platform/follow'
import type { Logger } from '@pit/platform/monitoring'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import { isAlive } from '../tokens/depth.ts'
import { createCallAll } from './callAll.ts'
import { createDynamicFees, type DynamicFees } from './dynamicFees.ts'
import { createEmptyPools, type EmptyPools } from './emptyPools.ts'
import { createKnownPools, type KnownPools } from './knownPools.ts'
import { type Applied, type BookListener, createPoolBook, type PoolBook } from './poolBook.ts'
import { createPoolBound, type PoolBound, type PoolValue } from './poolBound.ts'
import { type AnyPool, type Emitters, emittersOf } from './poolLogs.ts'
import { createStateReader, type StateReader } from './readStates.ts'
import { createUnsavedPools, type UnsavedPools } from './unsavedPools.ts'
import { createWakingPools, type WakingPools } from './wakePools.ts'

export interface PoolMemoryDeps {
  rpc: Rpc
  db: Db
  profile: ChainProfile
  logger: Logger
  /** Pools that stay in memory without liquidity too. */
  pinned: readonly string[]
  value: PoolValue
  /** Maximum number of pools in memory; default if absent. */
  maxPools?: number
  listener: BookListener
}

/** The pools in memory and the block of their state. */
export interface PoolMemory {
  emitters: Emitters
  multicall3: Address
  book: PoolBook
  dynamicFees: DynamicFees
  emptyPools: EmptyPools
  knownPools: KnownPools
  states: StateReader
  unsaved: UnsavedPools
  wakingPools: WakingPools
  /** Of the states read ahead of the book. */
  aheadBound: PoolBound
  /** Whether a pool is read even without liquidity. */
  isWanted(pool: AnyPool): boolean
  /** The block of the book's state: set together with it, so that a reader of both sees one state. */
  head(): Header | null
  setHead(head: Header | null): void
  /** Updates the other parts after logs were applied to the book. */
  keep(applied: Applied): void
  setFees(fees: ReadonlyMap<V4Pool, number>): void
  clear(): void
}

export function createPoolMemory(deps: PoolMemoryDeps): PoolMemory {
  const { rpc, db, profile, logger, listener, value, maxPools } = deps
  const pinned = new Set(deps.pinned)
  const isPinned = (id: string) => pinned.has(id)
  const emitters = emittersOf(profile)
  const stateView = knownAddress(profile.contracts.v4_state_view)
  const multicall3 = profile.contracts.multicall3 as Address
  const knownHooks = new Set(profile.known_hooks.map(({ address }) => address.toLowerCase()))
  /** A known hook may pay what the pool itself does not hold. */
  const isHookServed = (pool: AnyPool) =>
    pool.version === 'v4' && knownHooks.has(pool.key.hooks) && hookEffectOf(pool.key) === 'amounts'
  const isWanted = (pool: AnyPool) => isPinned(pool.id) || isHookServed(pool)
  const isKept = (pool: AnyPool) => pool.version === 'curve' || isAlive(pool) || isWanted(pool)
  const newBound = () =>
    createPoolBound({ isPinned, value, ...(maxPools !== undefined && { max: maxPools }) })

  const aheadBound = newBound()
  const dynamicFees = createDynamicFees({ rpc, multicall3, stateView, knownHooks, logger })
  const states = createStateReader({ callAll: createCallAll({ rpc, multicall3 }), stateView, isPinned })
  const knownPools = createKnownPools(db)
  const emptyPools = createEmptyPools()
  const unsaved = createUnsavedPools()
  const wakingPools = createWakingPools({ rpc, known: knownPools, states, bound: aheadBound, logger })
  const bookListener: BookListener = {
    onBorn(pool) {
      dynamicFees.add(pool)
      unsaved.onBorn(pool)
      listener.onBorn(pool)
    },
    onGone(pool) {
      dynamicFees.remove(pool)
      unsaved.onGone(pool)
      listener.onGone(pool)
    },
  }
  const book = createPoolBook(emitters, bookListener, isKept, newBound())
  let head: Header | null = null

  return {
    emitters,
    multicall3,
    book,
    dynamicFees,
    emptyPools,
    knownPools,
    states,
    unsaved,
    wakingPools,
    aheadBound,
    isWanted,
    head: () => head,
    setHead(next) {
      head = next
    },
    keep({ touched, emptied, made, lost }) {
      emptyPools.keep(emptied)
      knownPools.add(made)
      for (const pool of touched) {
        if (book.get(pool.id) !== pool) continue
        unsaved.add(pool)
        emptyPools.forget(pool.id)
      }
      if (lost.length === 0) return
      // State and logs disagree, so a log was missed: nothing may be quoted from this state.
      logger.error(
        { block: head?.number, pools: lost },
        'logs did not fit pools; their states are read again',
      )
      for (const id of lost) emptyPools.forget(id)
      wakingPools.want(lost)
    },
    setFees(fees) {
      for (const [pool, feePips] of fees) {
        if (pool.lpFeePips === feePips || book.get(pool.id) !== pool) continue
        pool.lpFeePips = feePips
        unsaved.add(pool)
      }
    },
    clear() {
      head = null
      book.clear()
      emptyPools.clear()
      wakingPools.clear()
      unsaved.clear()
    },
  }
}
