import type { Header } from '@pit/platform/follow'
import type { Logger } from '@pit/platform/logger'
import { askHeader, needAll, PAGED, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { ReadPool } from './checkpoint.ts'
import type { KnownPools } from './knownPools.ts'
import type { Arrival } from './poolBook.ts'
import type { PoolBound } from './poolBound.ts'
import type { StateReader } from './readStates.ts'

/** Pools that are to come into memory with a state read from the chain. */
export interface WakingPools {
  /** Their state has to be read. */
  want(ids: Iterable<string>): void
  /** Whether a state that counts is on its way, or is to be read. */
  has(id: string): boolean
  isEmpty(): boolean
  /** States that were read ahead of the book; each comes into it with the block it is of. */
  expect(pools: Iterable<ReadPool>): void
  /** States read ahead, of blocks up to this one. */
  due(number: number): Promise<Arrival[]>
  /** Reads what is wanted, as it stands after this block. What cannot be read is tried later. */
  read(at: Header): Promise<Arrival[]>
  /** What was read of later blocks does not count. */
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
  const wanted = new Set<string>()
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
      for (const id of ids) wanted.add(id)
    },
    has: (id) => wanted.has(id) || ahead.has(id),
    isEmpty: () => wanted.size === 0 && ahead.size === 0,
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
        if (hashes.get(at) !== hash) wanted.add(pool.id)
      }
      return ripe.filter(({ at, hash }) => hashes.get(at) === hash)
    },
    async read(at) {
      if (wanted.size === 0 || (at.number < retryAt && at.number > retryAt - RETRY_AFTER)) return []
      const ids = [...wanted].slice(0, READ_AT_ONCE)
      try {
        const arrivals = await read(ids, at)
        for (const id of ids) wanted.delete(id)
        return arrivals
      } catch (error) {
        logger.warn({ err: error, block: at.number, pools: ids.length }, 'states of pools were not read')
        retryAt = at.number + RETRY_AFTER
        return []
      }
    },
    undoTo(number) {
      for (const [id, { at }] of ahead) {
        if (at <= number) continue
        ahead.delete(id)
        wanted.add(id)
      }
    },
    clear() {
      wanted.clear()
      ahead.clear()
    },
  }
}
