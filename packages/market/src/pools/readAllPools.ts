import { randomUUID } from 'node:crypto'
import type { Db } from '@pit/platform/db'
import type { Header, Place } from '@pit/platform/follow'
import type { Logger } from '@pit/platform/monitoring'
import { askHeader, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { beginSweep, type Checkpoint, endSweep } from './checkpoint.ts'
import { discoverPools, lastMark } from './discoverPools.ts'
import type { PoolMemory } from './poolMemory.ts'
import type { SavedPools } from './savedPools.ts'
import { sweepPools } from './sweepPools.ts'

/** Reads pools and states from the chain, for a start without recent ones in the store. */
export interface AllPoolsReader {
  /** Continues a sweep that an earlier process left unfinished. */
  resume(place: Sweep['place'], sweep: NonNullable<Checkpoint['sweep']>): void
  /** Finds all pools by their creation and reads the states of those that count; returns their block. */
  read(latest: Header): Promise<Place>
}

interface AllPoolsDeps {
  rpc: Rpc
  db: Db
  logger: Logger
  memory: PoolMemory
  saved: SavedPools
  /** The block before the first with pools. */
  floor: Place
  /** A sweep this many blocks old starts over. */
  maxBehind: number
  signal: AbortSignal
}

export function createAllPoolsReader(deps: AllPoolsDeps): AllPoolsReader {
  const { rpc, db, logger, memory, saved, floor, maxBehind, signal } = deps
  const { book, wakingPools, states, isWanted, aheadBound: bound, emitters, multicall3 } = memory
  /** An unfinished sweep of all states. */
  let sweep: Sweep | null = null

  async function isUsable({ place }: Sweep, latest: Header): Promise<boolean> {
    if (latest.number - place.number > maxBehind) return false
    return (await readOne(rpc, askHeader(place.number)))?.hash === place.hash
  }

  async function begin(latest: Header): Promise<Sweep> {
    logger.info({ block: latest.number }, 'reading the pools and their states')
    memory.clear()
    saved.replace()
    const mark = await lastMark({ rpc, db }, latest.number)
    await discoverPools({ rpc, db, emitters, multicall3, logger, signal }, mark ?? floor, latest)
    sweep = { place: latest, by: randomUUID(), after: '' }
    await beginSweep(db, { block: latest.number, hash: latest.hash }, sweep.by)
    return sweep
  }

  return {
    resume(place, { by, to }) {
      sweep = { place, by, after: to }
    },
    async read(latest) {
      const current = sweep && (await isUsable(sweep, latest)) ? sweep : await begin(latest)
      await sweepPools({ rpc, db, logger, states, isWanted, bound, signal }, current, (pools, at) =>
        wakingPools.expect(pools.map((pool) => ({ pool, at: at.number, hash: at.hash }))),
      )
      await endSweep(db, current.by)
      sweep = null
      book.restore(current.place.number, [])
      saved.startAt(current.place.number)
      return current.place
    },
  }
}

interface Sweep {
  place: Pick<Header, 'number' | 'hash'>
  by: string
  /** The last pool id that was read. */
  after: string
}
