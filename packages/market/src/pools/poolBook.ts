import { applyLog, MalformedLog, undoOf } from '@pit/chain'
import type { ChainLog, Chunk } from '@pit/platform/follow'
import type { PoolBound } from './poolBound.ts'
import { type AnyPool, createLogReader, type Emitters, type Launched } from './poolLogs.ts'

export interface BookListener {
  /** It has liquidity now. */
  onBorn(pool: AnyPool): void
  /** Its liquidity is gone, its state is no longer known, or it was evicted. */
  onGone(pool: AnyPool): void
}

/** A pool outside memory, without liquidity or evicted, after the block in which it changed last. */
export interface EmptyPool {
  pool: AnyPool
  block: number
}

/** A pool whose state after block `at` was read from the chain. */
export interface Arrival {
  pool: AnyPool
  at: number
}

/** Inputs that a chunk's logs do not contain. */
export interface Given {
  /** Pools of `unknownIn`, as they were before the chunk. */
  known?: readonly AnyPool[]
  arrived?: readonly Arrival[]
  launched?: Launched
}

export interface Applied {
  /** Pools that changed, those without liquidity left out unless they just lost it. */
  touched: Set<AnyPool>
  /** Pools that changed and have no liquidity, and evicted ones; the caller passes them in again for their logs. */
  emptied: EmptyPool[]
  /** Pools that the chunk made, with the block that did. */
  made: EmptyPool[]
  /** Pools that a log did not fit, so one was missed: removed until their state is read again. */
  lost: string[]
}

/** The state of pools with liquidity, up to a bound: anyone can open pools with dust. */
export interface PoolBook {
  get(id: string): AnyPool | undefined
  all(): IterableIterator<AnyPool>
  size(): number
  /** Starts with pools as they were after block `number`. */
  restore(number: number, pools: readonly AnyPool[]): void
  /** Ids in a chunk's logs of pools that are not in memory, and not made in it. */
  unknownIn(chunk: Chunk): string[]
  /** Applies the logs of a chunk; `known` are pools of `unknownIn`, as they were before it. */
  apply(chunk: Chunk, given?: Given): Applied
  /**
   * Undoes every block after `number`. Returns the pools whose state is then unknown; null if that is too far
   * back and nothing was undone.
   */
  undoTo(number: number): string[] | null
  /** Removes a pool whose state differs from the chain's, until its state is read again. */
  drop(id: string): void
  /** For a reorg beyond the undo history: drops the pools that changed since; returns their ids. */
  dropAfter(number: number): string[]
  clear(): void
}

/** Chunks that can be undone: about a minute at ten blocks a second. */
const MAX_UNDOS = 512

interface Step {
  pool: AnyPool
  undo(): void
}
interface Undo {
  from: number
  to: number
  steps: Step[]
  /** Pools that came with their state in this chunk, or were lost in it. */
  unknown: Set<string>
}

/** Changed in place by logs; synchronous, so no reader sees half a block. */
export function createPoolBook(
  emitters: Emitters,
  listener: BookListener,
  /** Whether a pool belongs in memory. */
  isKept: (pool: AnyPool) => boolean,
  bound: PoolBound,
): PoolBook {
  const pools = new Map<string, AnyPool>()
  /** The block that changed a pool last. */
  const changedAt = new Map<string, number>()
  const readLog = createLogReader(emitters)
  let undos: Undo[] = []
  /** The newest block that can no longer be undone. */
  let settled = -1
  /** Pools that a log did not fit: their undo steps are invalid too. */
  let misfits = new WeakSet<AnyPool>()

  function add(pool: AnyPool, block: number): void {
    pools.set(pool.id, pool)
    changedAt.set(pool.id, block)
    listener.onBorn(pool)
  }
  function remove(pool: AnyPool): void {
    if (pools.get(pool.id) !== pool) return
    pools.delete(pool.id)
    changedAt.delete(pool.id)
    listener.onGone(pool)
  }

  // Made outside `apply`: a closure made there would hold all logs of its chunk.
  const undoEntry = (pool: AnyPool): Step => ({ pool, undo: () => remove(pool) })
  const undoRemoval = (pool: AnyPool, block: number): Step => ({ pool, undo: () => add(pool, block) })

  /** A log that does not match its topic comes from a foreign contract: known pools never emit one. */
  function passMalformed<T>(run: () => T): T | undefined {
    try {
      return run()
    } catch (error) {
      if (!(error instanceof MalformedLog)) throw error
      return undefined
    }
  }

  function undoAll({ steps }: Undo): void {
    for (const { pool, undo } of steps.reverse()) if (!misfits.has(pool)) undo()
  }

  function change(pool: AnyPool, log: ChainLog): (() => void) | undefined {
    const back = undoOf(pool, log)
    return applyLog(pool, log) ? back : undefined
  }

  function apply(chunk: Chunk, { known, arrived, launched }: Required<Given>, undo: Undo): Applied {
    /** Those that are not in memory, with the block that changed them last. */
    const outside = new Map<string, { pool: AnyPool; block?: number }>(
      known.map((pool) => [pool.id, { pool }]),
    )
    const arrivals = new Map<string, Arrival>(arrived.map((arrival) => [arrival.pool.id, arrival]))
    const inside = new Map<AnyPool, number>()
    const made: EmptyPool[] = []
    const lost = new Set<string>()

    function applyOne(log: ChainLog): void {
      const read = readLog(log, launched)
      if (read === undefined) return
      const { blockNumber: block } = log
      if ('born' in read) {
        const { id } = read.born
        made.push({ pool: read.born, block })
        if (!pools.has(id) && !outside.has(id)) outside.set(id, { pool: read.born, block })
        return
      }
      const arrival = arrivals.get(read.id)
      // The state was read after this log.
      if (arrival && block <= arrival.at) return
      const other = outside.get(read.id)
      const pool = arrival?.pool ?? pools.get(read.id) ?? other?.pool
      if (!pool || lost.has(read.id)) return
      let back: (() => void) | undefined
      try {
        back = change(pool, log)
      } catch (error) {
        if (error instanceof MalformedLog) throw error
        misfits.add(pool)
        lost.add(read.id)
        return
      }
      if (!back) return
      if (arrival) return
      undo.steps.push({ pool, undo: back })
      if (other) other.block = block
      else inside.set(pool, block)
    }
    for (const log of chunk.logs) passMalformed(() => applyOne(log))

    const touched = new Set<AnyPool>()
    const emptied: EmptyPool[] = []
    const left = new Set<AnyPool>()
    const entered = new Set<AnyPool>()
    for (const id of lost) {
      const pool = pools.get(id)
      if (pool) remove(pool)
      outside.delete(id)
      arrivals.delete(id)
      undo.unknown.add(id)
    }
    for (const { pool, block } of outside.values()) {
      if (arrivals.has(pool.id)) continue
      if (isKept(pool) && bound.admits(pool)) {
        add(pool, block ?? chunk.head.number)
        touched.add(pool)
        entered.add(pool)
        undo.steps.push(undoEntry(pool))
      } else {
        left.add(pool)
        if (block !== undefined) emptied.push({ pool, block })
      }
    }
    for (const { pool } of arrivals.values()) {
      const old = pools.get(pool.id)
      if (old) remove(old)
      undo.unknown.add(pool.id)
      if (isKept(pool) && bound.admits(pool)) {
        add(pool, chunk.head.number)
        touched.add(pool)
      } else emptied.push({ pool, block: chunk.head.number })
    }
    for (const [pool, block] of inside) {
      if (pools.get(pool.id) !== pool) continue
      changedAt.set(pool.id, block)
      touched.add(pool)
      if (isKept(pool)) continue
      remove(pool)
      emptied.push({ pool, block })
      undo.steps.push(undoRemoval(pool, chunk.from - 1))
    }
    // The last to enter go last, so that the newest are the ones remembered with their state.
    for (const pool of bound.excess(pools.values(), pools.size).reverse()) {
      const block = changedAt.get(pool.id)!
      remove(pool)
      emptied.push({ pool, block })
      // A pool that came and left within one chunk needs no undo.
      if (entered.has(pool)) left.add(pool)
      else undo.steps.push(undoRemoval(pool, block))
    }
    if (left.size > 0) undo.steps = undo.steps.filter(({ pool }) => !left.has(pool))
    return { touched, emptied, made, lost: [...lost] }
  }

  return {
    get: (id) => pools.get(id),
    all: () => pools.values(),
    size: () => pools.size,
    restore(number, known) {
      for (const pool of known) add(pool, number)
      settled = number
    },
    unknownIn({ logs }) {
      const born = new Set<string>()
      const unknown = new Set<string>()
      for (const log of logs) {
        passMalformed(() => {
          const read = readLog(log)
          if (read === undefined) return
          if ('born' in read) born.add(read.born.id)
          else if (!pools.has(read.id) && !born.has(read.id)) unknown.add(read.id)
        })
      }
      return [...unknown]
    },
    apply(chunk, { known = [], arrived = [], launched = new Map() } = {}) {
      const undo: Undo = { from: chunk.from, to: chunk.head.number, steps: [], unknown: new Set() }
      const applied = apply(chunk, { known, arrived, launched }, undo)
      undos.push(undo)
      if (undos.length > MAX_UNDOS) {
        const dropped = undos.slice(0, MAX_UNDOS / 2)
        settled = dropped[dropped.length - 1]!.to
        undos = undos.slice(MAX_UNDOS / 2)
      }
      return applied
    },
    undoTo(number) {
      if (number < settled) return null
      // A chunk of many blocks is undone as a whole or not at all.
      if (undos.some(({ from, to }) => from <= number && number < to)) return null
      const unknown = new Set<string>()
      while (undos.length > 0 && undos[undos.length - 1]!.to > number) {
        const last = undos.pop()!
        undoAll(last)
        for (const id of last.unknown) {
          const pool = pools.get(id)
          if (pool) remove(pool)
          unknown.add(id)
        }
      }
      return [...unknown]
    },
    drop(id) {
      const pool = pools.get(id)
      if (!pool) return
      misfits.add(pool)
      remove(pool)
      undos[undos.length - 1]?.unknown.add(id)
    },
    dropAfter(number) {
      undos = []
      settled = number
      const dropped = [...changedAt].filter(([, block]) => block > number).map(([id]) => id)
      for (const id of dropped) remove(pools.get(id)!)
      return dropped
    },
    clear() {
      for (const pool of pools.values()) listener.onGone(pool)
      pools.clear()
      changedAt.clear()
      undos = []
      misfits = new WeakSet()
      settled = -1
    },
  }
}
