import type { Db } from '@pit/platform/db'
import type { Place } from '@pit/platform/follow'
import type { Logger } from '@pit/platform/monitoring'
import { askHeader, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { lastMark } from './discoverPools.ts'
import type { PoolMemory } from './poolMemory.ts'
import type { SavedPools } from './savedPools.ts'

interface ReorgDeps {
  rpc: Rpc
  db: Db
  logger: Logger
  memory: PoolMemory
  saved: Pick<SavedPools, 'replace'>
}

/** Takes the memory back to the last common block; null if the chain is another one, and nothing is left. */
export async function undoReorg(deps: ReorgDeps, fork: Place | null): Promise<Place | null> {
  const { logger, memory, saved } = deps
  const { book, emptyPools, unsaved } = memory
  memory.setHead(null)
  const lost = fork && book.undoTo(fork.number)
  if (fork && lost) {
    logger.warn({ to: fork.number }, 'undid blocks after a reorg')
    undoRest(memory, fork.number, lost)
    // Undone pools differ from the stored ones; writing all is cheaper than finding them.
    for (const pool of book.all()) unsaved.add(pool)
    return fork
  }
  const place = fork ?? (await findFork(deps))
  if (place === null) {
    logger.error('the stored pools are from another chain; reading from the first block')
    memory.clear()
    saved.replace()
    return null
  }
  const dropped = book.dropAfter(place.number)
  logger.error(
    { to: place.number, pools: dropped.length },
    'the reorg is deeper than the undo history; reading the pools that changed since',
  )
  // Pools that lost their liquidity since may have it on this chain.
  undoRest(memory, place.number, [...dropped, ...emptyPools.undoTo(place.number)])
  saved.replace()
  return place
}

function undoRest(
  { emptyPools, knownPools, wakingPools }: PoolMemory,
  number: number,
  lost: readonly string[],
): void {
  emptyPools.undoTo(number)
  knownPools.undoTo(number)
  wakingPools.undoTo(number)
  wakingPools.want(lost)
}

async function findFork({ rpc, db }: ReorgDeps): Promise<Place | null> {
  const latest = await readOne(rpc, askHeader('latest'))
  if (!latest) throw new Error('the node has no newest block')
  return lastMark({ rpc, db }, latest.number)
}
