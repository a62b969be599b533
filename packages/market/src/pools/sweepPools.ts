import type { Db } from '@pit/platform/db'
import type { Header } from '@pit/platform/follow'
import type { Logger } from '@pit/platform/logger'
import { askHeader, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { keepSwept } from './checkpoint.ts'
import { knownAfter, poolOf } from './knownPools.ts'
import type { PoolBound } from './poolBound.ts'
import type { AnyPool } from './poolLogs.ts'
import type { StateReader } from './readStates.ts'

/** Known pools looked at together. */
const PAGE = 4_000
/** Nodes without an archive forget states after some minutes: later pages are read at a later block. */
const MAX_READING_AGE_MS = 10_000
const MAX_TRIES = 5

export interface Sweep {
  rpc: Rpc
  db: Db
  logger: Logger
  states: StateReader
  /** Whether a pool is read without liquidity too. */
  isWanted(pool: AnyPool): boolean
  bound: Pick<PoolBound, 'admits'>
  signal: AbortSignal
}

/**
 * Reads the state of every known pool that has something to trade, each at a block of its own, none before
 * the sweep's. Hands each page over with its block, and writes it so that a restart goes on after it;
 * `progress` moves on with each.
 */
export async function sweepPools(
  { rpc, db, logger, states, isWanted, bound, signal }: Sweep,
  progress: { by: string; after: string },
  take: (pools: readonly AnyPool[], at: Header) => void,
): Promise<void> {
  let reading: { at: Header; sinceMs: number } | null = null
  let looked = 0
  let kept = 0

  async function readingBlock(): Promise<Header> {
    if (reading && performance.now() - reading.sinceMs < MAX_READING_AGE_MS) return reading.at
    const at = await readOne(rpc, askHeader('latest'))
    if (!at) throw new Error('the node has no newest block')
    reading = { at, sinceMs: performance.now() }
    return at
  }

  async function readPage(pools: AnyPool[]): Promise<{ found: AnyPool[]; at: Header }> {
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted()
      try {
        const at = await readingBlock()
        const wanted = pools.filter(isWanted)
        const liquid = await states.findLiquid(pools, at.number)
        const found = await states.readWhole([...new Set([...wanted, ...liquid])], at.number)
        const after = await readOne(rpc, askHeader(at.number))
        if (after?.hash === at.hash) return { found: found.filter(bound.admits), at }
        logger.warn({ block: at.number }, 'the block that states were read at was replaced')
      } catch (error) {
        if (tries === MAX_TRIES) throw error
        logger.warn({ err: error }, 'states of pools were not read; trying at a newer block')
      }
      reading = null
    }
  }

  for (;;) {
    const rows = await knownAfter(db, progress.after, PAGE)
    if (rows.length === 0) break
    const { found, at } = await readPage(rows.map(poolOf))
    const to = rows[rows.length - 1]!.id
    // Without a place in the store, because another process reads too, it goes on for this memory alone.
    await keepSwept(db, { by: progress.by, to, pools: found, at })
    take(found, at)
    progress.after = to
    looked += rows.length
    kept += found.length
    logger.info({ looked, kept, block: at.number }, 'reading the states of pools')
  }
}
