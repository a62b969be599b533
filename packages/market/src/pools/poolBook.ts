import {
  type Address,
  allLaunchpads,
  applyLog,
  type CurvePool,
  MalformedLog,
  type PinnedLaunchpad,
  type Pool,
  poolBorn,
  poolIdOfLog,
  STATE_TOPICS,
  TOPIC,
  undoOf,
} from '@pit/chain'
import type { ChainLog, Chunk, Hex } from '@pit/platform/follow'
import type { LaunchpadKind } from '@pit/protocol'

export type AnyPool = Pool | CurvePool

/** Contracts whose logs count; anybody can emit the same topics from another address. */
export interface Emitters {
  v2Factory: Address | null
  v3Factory: Address | null
  v4PoolManager: Address | null
  launchpads: readonly PinnedLaunchpad[]
}

export interface BookListener {
  /** It has liquidity now. */
  onBorn(pool: AnyPool): void
  /** Its liquidity is gone, or a reorg undid it. */
  onGone(pool: AnyPool): void
}

/** A pool without liquidity after the block in which a log changed it last. */
export interface EmptyPool {
  pool: AnyPool
  block: number
  hash: Hex
}

export interface Applied {
  /** Pools that changed, those without liquidity left out unless they just lost it. */
  touched: Set<AnyPool>
  /** Pools that changed and have no liquidity. Whoever keeps them hands them in when a log is theirs. */
  emptied: EmptyPool[]
}

/** The state of every pool that has liquidity. Anybody can open pools: the others are not kept in memory. */
export interface PoolBook {
  get(id: string): AnyPool | undefined
  all(): IterableIterator<AnyPool>
  size(): number
  /** Starts with pools as they were after block `number`; answers those that have no liquidity. */
  restore(number: number, pools: AnyPool[]): AnyPool[]
  /** Ids in a chunk's logs of pools that are not in memory, and not made in it. */
  unknownIn(chunk: Chunk): string[]
  /** Applies the logs of a chunk; `known` are the pools of `unknownIn`, as they were before it. */
  apply(chunk: Chunk, known?: readonly AnyPool[]): Applied
  /** Undoes every block after `number`; false when that is too far back and all must be read again. */
  undoTo(number: number): boolean
  clear(): void
}

export const MARKET_TOPICS: readonly Hex[] = [
  TOPIC.v2PairCreated,
  TOPIC.v3PoolCreated,
  TOPIC.v4Initialize,
  ...allLaunchpads().map(({ launchedTopic }) => launchedTopic),
  ...STATE_TOPICS,
]
const OF_POOL_MANAGER = new Set<Hex>([TOPIC.v4ModifyLiquidity, TOPIC.v4Swap, TOPIC.v4ProtocolFeeUpdated])

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
}

/** Changed in place by logs. Nothing waits, so no reader sees half a block. */
export function createPoolBook(
  emitters: Emitters,
  listener: BookListener,
  /** Whether a pool belongs in memory. */
  isKept: (pool: AnyPool) => boolean,
): PoolBook {
  const pools = new Map<string, AnyPool>()
  let undos: Undo[] = []
  /** The newest block that can no longer be undone. */
  let settled = -1

  const factoriesOf = (kind: LaunchpadKind) =>
    emitters.launchpads.filter((one) => one.kind === kind).map(({ factory }) => factory)
  const bearers: Partial<Record<Hex, readonly (Address | null)[]>> = {
    [TOPIC.v2PairCreated]: [emitters.v2Factory],
    [TOPIC.v3PoolCreated]: [emitters.v3Factory],
    [TOPIC.v4Initialize]: [emitters.v4PoolManager],
    ...Object.fromEntries(
      allLaunchpads().map(({ kind, launchedTopic }) => [launchedTopic, factoriesOf(kind)]),
    ),
  }

  function add(pool: AnyPool): void {
    pools.set(pool.id, pool)
    listener.onBorn(pool)
  }
  function remove(pool: AnyPool): void {
    pools.delete(pool.id)
    listener.onGone(pool)
  }

  /** The pool a log makes, or the id of the one it changes; undefined for a stranger's log. */
  function readLog(log: ChainLog): { born: AnyPool } | { id: string } | undefined {
    const topic = log.topics[0]
    if (topic === undefined) return undefined
    if (topic in bearers) {
      const born = bearers[topic]?.includes(log.address) ? poolBorn(log) : undefined
      return born && { born }
    }
    if (OF_POOL_MANAGER.has(topic) && log.address !== emitters.v4PoolManager) return undefined
    return { id: poolIdOfLog(log) }
  }

  /** A log that does not fit its topic comes from a stranger: known pools never emit one. */
  function passMalformed(run: () => void): void {
    try {
      run()
    } catch (error) {
      if (!(error instanceof MalformedLog)) throw error
    }
  }

  const undoAll = ({ steps }: Undo) => {
    for (const { undo } of steps.reverse()) undo()
  }

  function apply(chunk: Chunk, known: readonly AnyPool[], undo: Undo): Applied {
    /** Those that are not in memory, with the log that changed them last. */
    const outside = new Map<string, { pool: AnyPool; last?: ChainLog }>(
      known.map((pool) => [pool.id, { pool }]),
    )
    const inside = new Map<AnyPool, ChainLog>()
    for (const log of chunk.logs) {
      passMalformed(() => {
        const read = readLog(log)
        if (read === undefined) return
        if ('born' in read) {
          const { id } = read.born
          if (!pools.has(id) && !outside.has(id)) outside.set(id, { pool: read.born, last: log })
          return
        }
        const other = outside.get(read.id)
        const pool = pools.get(read.id) ?? other?.pool
        if (!pool) return
        const back = undoOf(pool, log)
        if (!applyLog(pool, log)) return
        undo.steps.push({ pool, undo: back })
        if (other) other.last = log
        else inside.set(pool, log)
      })
    }
    // From here on nothing throws: all of the chunk counts, or none of it.
    const touched = new Set<AnyPool>()
    const emptied: EmptyPool[] = []
    const left = new Set<AnyPool>()
    const empty = (pool: AnyPool, { blockNumber, blockHash }: ChainLog) =>
      emptied.push({ pool, block: blockNumber, hash: blockHash })
    for (const { pool, last } of outside.values()) {
      if (isKept(pool)) {
        add(pool)
        touched.add(pool)
        undo.steps.push({ pool, undo: () => remove(pool) })
      } else {
        left.add(pool)
        if (last) empty(pool, last)
      }
    }
    for (const [pool, last] of inside) {
      touched.add(pool)
      if (isKept(pool)) continue
      remove(pool)
      empty(pool, last)
      undo.steps.push({ pool, undo: () => add(pool) })
    }
    if (left.size > 0) undo.steps = undo.steps.filter(({ pool }) => !left.has(pool))
    return { touched, emptied }
  }

  return {
    get: (id) => pools.get(id),
    all: () => pools.values(),
    size: () => pools.size,
    restore(number, known) {
      for (const pool of known) if (isKept(pool)) add(pool)
      settled = number
      return known.filter((pool) => !isKept(pool))
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
    apply(chunk, known = []) {
      const undo: Undo = { from: chunk.from, to: chunk.head.number, steps: [] }
      let applied: Applied
      try {
        applied = apply(chunk, known, undo)
      } catch (error) {
        undoAll(undo)
        throw error
      }
      undos.push(undo)
      if (undos.length > MAX_UNDOS) {
        const dropped = undos.slice(0, MAX_UNDOS / 2)
        settled = dropped[dropped.length - 1]!.to
        undos = undos.slice(MAX_UNDOS / 2)
      }
      return applied
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
