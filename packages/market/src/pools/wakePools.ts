import type { Header } from '@pit/platform/follow'
import type { Logger } from '@pit/platform/monitoring'
import { askHeader, needAll, PAGED, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { ReadPool } from './checkpoint.ts'
import type { KnownPools } from './knownPools.ts'
import type { Arrival } from './poolBook.ts'
import type { PoolBound } from './poolBound.ts'
import type { StateReader } from './readStates.ts'

/** Pools that enter memory with a state read from the chain. */
export interface WakingPools {
  /** Queues pools whose state has to be read. */
  want(ids: Iterable<string>): void
  /** Whether a valid state is available or queued. */
  has(id: string): boolean
  isEmpty(): boolean
  /** Adds states read ahead of the book; each enters with its block. */
  expect(pools: Iterable<ReadPool>): void
  /** States read ahead, of blocks up to this one. */
  due(number: number): Promise<Arrival[]>
  /** Reads queued states after this block. Failed reads are retried later. */
  read(at: Header): Promise<Arrival[]>
  /** Discards states read from later blocks. */
  undoTo(number: number): void
  clear(): void
}

/** Pools read with one block; the others come with the next ones. */
const READ_AT_ONCE = 500
/** Blocks until a failed reading is tried again. */
const RETRY_AFTER = 10

export function createWakingPools({
  rpc,
  known,
  states,
  bound,
  logger,
}: {
  rpc: Rpc
  known: KnownPools
  states: StateReader
  /** Of the states read ahead. */
  bound: PoolBound
  logger: Logger
}): WakingPools {
  const queue = new Set<string>()
  const ahead = new Map<string, ReadPool>()
  let retryAt = -1

  async function read(ids: readonly string[], at: Header): Promise<Arrival[]> {
    const pools = await states.readWhole(await known.find(ids), at.number)
    const after = await readOne(rpc, askHeader(at.number))
    if (after?.hash !== at.hash) throw new Error(`block ${at.number} was replaced while states were read`)
    return pools.map((pool) => ({ pool, at: at.number }))
  }

  function* aheadPools() {
    for (const { pool } of ahead.values()) yield pool
  }

  return {
    want(ids) {
      for (const id of ids) queue.add(id)
    },
    has: (id) => queue.has(id) || ahead.has(id),
    isEmpty: () => queue.size === 0 && ahead.size === 0,
    expect(pools) {
      for (const one of pools) if (bound.admits(one.pool)) ahead.set(one.pool.id, one)
      for (const { id } of bound.excess(aheadPools(), ahead.size)) ahead.delete(id)
    },
    async due(number) {
      const ripe = [...ahead.values()].filter(({ at }) => at <= number)
      const blocks = [...new Set(ripe.map(({ at }) => at))]
      const headers = await needAll(
        rpc,
        blocks.map((block) => askHeader(block)),
        PAGED,
      )
      const hashes = new Map(blocks.map((block, i) => [block, headers[i]?.hash]))
      for (const { pool, at, hash } of ripe) {
        ahead.delete(pool.id)
        if (hashes.get(at) !== hash) queue.add(pool.id)
      }
      return ripe.filter(({ at, hash }) => hashes.get(at) === hash)
    },
    async read(at) {
      if (queue.size === 0 || (at.number < retryAt && at.number > retryAt - RETRY_AFTER)) return []
      const ids = [...queue].slice(0, READ_AT_ONCE)
      try {
        const arrivals = await read(ids, at)
        for (const id of ids) queue.delete(id)
        return arrivals
      } catch (error) {
        logger.warn({ err: error, block: at.number, pools: ids.length }, 'failed to read pool states')
        retryAt = at.number + RETRY_AFTER
        return []
      }
    },
    undoTo(number) {
      for (const [id, { at }] of ahead) {
        if (at <= number) continue
        ahead.delete(id)
        queue.add(id)
      }
    },
    clear() {
      queue.clear()
      ahead.clear()
    },
  }
}
