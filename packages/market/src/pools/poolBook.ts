import {
  type Address,
  applyLog,
  type CurvePool,
  MalformedLog,
  type Pool,
  poolBorn,
  poolIdOfLog,
  STATE_TOPICS,
  TOPIC,
  undoOf,
} from '@pit/chain'
import type { ChainLog, Chunk, Hex } from '@pit/platform/follow'

export type AnyPool = Pool | CurvePool

/** Contracts whose logs count; anybody can emit the same topics from another address. */
export interface Emitters {
  v2Factory: Address | null
  v3Factory: Address | null
  v4PoolManager: Address | null
  launchpad: Address | null
}

export interface BookListener {
  onBorn(pool: AnyPool): void
  /** A reorg undid its creation. */
  onGone(pool: AnyPool): void
}

export interface PoolBook {
  get(id: string): AnyPool | undefined
  all(): IterableIterator<AnyPool>
  size(): number
  /** Starts with pools as they were after block `number`. */
  restore(number: number, pools: AnyPool[]): void
  /** Applies the logs of a chunk; returns the pools that changed. */
  apply(chunk: Chunk): Set<AnyPool>
  /** Undoes every block after `number`; false when that is too far back and all must be read again. */
  undoTo(number: number): boolean
  clear(): void
}

export const MARKET_TOPICS: readonly Hex[] = [
  TOPIC.v2PairCreated,
  TOPIC.v3PoolCreated,
  TOPIC.v4Initialize,
  TOPIC.curveLaunched,
  ...STATE_TOPICS,
]

/** Chunks that can be undone: about a minute at ten blocks a second. */
const MAX_UNDOS = 512

interface Undo {
  from: number
  to: number
  steps: (() => void)[]
}

/** Every pool's state in memory, changed in place by logs. Nothing waits, so no reader sees half a block. */
export function createPoolBook(emitters: Emitters, listener: BookListener): PoolBook {
  const pools = new Map<string, AnyPool>()
  let undos: Undo[] = []
  /** The newest block that can no longer be undone. */
  let settled = -1

  const bearers: Partial<Record<Hex, Address | null>> = {
    [TOPIC.v2PairCreated]: emitters.v2Factory,
    [TOPIC.v3PoolCreated]: emitters.v3Factory,
    [TOPIC.v4Initialize]: emitters.v4PoolManager,
    [TOPIC.curveLaunched]: emitters.launchpad,
  }
  const ofPoolManager = new Set<Hex>([TOPIC.v4ModifyLiquidity, TOPIC.v4Swap, TOPIC.v4ProtocolFeeUpdated])

  function add(pool: AnyPool): void {
    pools.set(pool.id, pool)
    listener.onBorn(pool)
  }

  function applyOne(log: ChainLog, touched: Set<AnyPool>, steps: Undo['steps']): void {
    const topic = log.topics[0]
    if (topic === undefined) return
    if (topic in bearers) {
      if (bearers[topic] !== log.address) return
      const pool = poolBorn(log)
      if (!pool || pools.has(pool.id)) return
      add(pool)
      touched.add(pool)
      steps.push(() => {
        pools.delete(pool.id)
        listener.onGone(pool)
      })
      return
    }
    if (ofPoolManager.has(topic) && log.address !== emitters.v4PoolManager) return
    const pool = pools.get(poolIdOfLog(log))
    if (!pool) return
    const undo = undoOf(pool, log)
    if (applyLog(pool, log)) {
      steps.push(undo)
      touched.add(pool)
    }
  }

  const undoAll = ({ steps }: Undo) => {
    for (const step of steps.reverse()) step()
  }

  return {
    get: (id) => pools.get(id),
    all: () => pools.values(),
    size: () => pools.size,
    restore(number, known) {
      for (const pool of known) add(pool)
      settled = number
    },
    apply(chunk) {
      const touched = new Set<AnyPool>()
      const undo: Undo = { from: chunk.from, to: chunk.head.number, steps: [] }
      for (const log of chunk.logs) {
        try {
          applyOne(log, touched, undo.steps)
        } catch (error) {
          // A log that does not fit its topic comes from a stranger: known pools never emit one.
          if (error instanceof MalformedLog) continue
          undoAll(undo)
          throw error
        }
      }
      undos.push(undo)
      if (undos.length > MAX_UNDOS) {
        const dropped = undos.slice(0, MAX_UNDOS / 2)
        settled = dropped[dropped.length - 1]!.to
        undos = undos.slice(MAX_UNDOS / 2)
      }
      return touched
    },
    undoTo(number) {
      if (number < settled) return false
      while (undos.length > 0 && undos[undos.length - 1]!.to > number) {
        const last = undos.pop()!
        // A chunk of many blocks is undone as a whole or not at all.
        if (last.from <= number) {
          undos.push(last)
          return false
        }
        undoAll(last)
      }
      return true
    },
    clear() {
      for (const pool of pools.values()) listener.onGone(pool)
      pools.clear()
      undos = []
      settled = -1
    },
  }
}
