import type { Db } from '@pit/platform/db'
import type { Header } from '@pit/platform/follow'
import type { Logger } from '@pit/platform/monitoring'
import { askHeader, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { keepSwept } from './checkpoint.ts'
import { knownAfter, poolOf } from './knownPools.ts'
import type { PoolBound } from './poolBound.ts'
import type { AnyPool } from './poolLogs.ts'
import type { StateReader } from './readStates.ts'

/** Known pools looked at together. */
const PAGE = 4_000
/** Nodes without an archive prune states after some minutes: later pages are read at a later block. */
const MAX_READING_AGE_MS = 10_000
const MAX_TRIES = 5

export interface Sweep {
  rpc: Rpc
  db: Db
  logger: Logger
  states: StateReader
  /** Whether a pool is read even without liquidity. */
  isWanted(pool: AnyPool): boolean
  bound: Pick<PoolBound, 'admits'>
  signal: AbortSignal
}

/**
 * Reads the state of every known pool that has something to trade, each page at its own block, none before the
 * sweep's. Hands each page over with its block and stores it, so that a restart continues after it; `progress`
 * advances with each page.
 */
export async function sweepPools(
  { rpc, db, logger, states, isWanted, bound, signal }: Sweep,
  progress: { by: string; after: string },
  take: (pools: readonly AnyPool[], at: Header) => void,
): Promise<void> {
  let reading: { at: Header; sinceMs: number } | null = null
  let looked = 0
  let keptCount = 0

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
        const required = pools.filter(isWanted)
        const liquid = await states.findLiquid(pools, at.number)
        const withState = await states.readWhole([...new Set([...required, ...liquid])], at.number)
        const after = await readOne(rpc, askHeader(at.number))
        if (after?.hash === at.hash) return { found: withState.filter(bound.admits), at }
        logger.warn({ block: at.number }, 'the block of a pool sweep was replaced')
      } catch (error) {
        if (tries === MAX_TRIES) throw error
        logger.warn({ err: error }, 'failed to read pool states; retrying at a newer block')
      }
      reading = null
    }
  }

  for (;;) {
    const rows = await knownAfter(db, progress.after, PAGE)
    if (rows.length === 0) break
    const { found, at } = await readPage(rows.map(poolOf))
    const to = rows[rows.length - 1]!.id
    // If another process sweeps too and owns the stored progress, continue for this memory only.
    await keepSwept(db, { by: progress.by, to, pools: found, at })
    take(found, at)
    progress.after = to
    looked += rows.length
    keptCount += found.length
    logger.info({ looked, kept: keptCount, block: at.number }, 'reading the states of pools')
  }
}
