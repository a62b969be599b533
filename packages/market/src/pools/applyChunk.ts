import type { Chunk } from '@pit/platform/follow'
import type { Logger } from '@pit/platform/monitoring'
import type { Rpc } from '@pit/platform/rpc'
import type { AnyPool } from './poolLogs.ts'
import type { PoolMemory } from './poolMemory.ts'
import { readLaunches } from './readLaunches.ts'

interface ApplyDeps {
  rpc: Rpc
  logger: Logger
  memory: PoolMemory
}

/** Brings the memory to the chunk's last block; returns the pools that changed. */
export async function applyChunk(
  { rpc, logger, memory }: ApplyDeps,
  chunk: Chunk,
  { isNewest }: { isNewest: boolean },
): Promise<Set<AnyPool>> {
  const { book, dynamicFees, emptyPools, knownPools, wakingPools, multicall3 } = memory
  const { launchpads } = memory.emitters
  if (isUnchanged(memory, chunk)) {
    memory.setHead(chunk.head)
    return new Set()
  }
  await knownPools.makeRoom()
  // While catching up, states of these blocks may be pruned; all is read once the newest is reached.
  const isNear = isNewest || chunk.from === chunk.head.number
  // Read before the logs are applied, so that no reader sees the block without its fees.
  const fees = await dynamicFees.read(dynamicFees.followed(), chunk.head.number)
  const unknown = book.unknownIn(chunk).filter((id) => !wakingPools.has(id))
  const near = emptyPools.load(unknown)
  const nearIds = new Set(near.map(({ id }) => id as string))
  const far = await knownPools.find(unknown.filter((id) => !nearIds.has(id)))
  wakingPools.want(far.map(({ id }) => id))
  const arrived = [
    ...(await wakingPools.due(chunk.head.number)),
    ...(isNear ? await wakingPools.read(chunk.head) : []),
  ]
  const launched = await readLaunches({ rpc, multicall3, logger, launchpads }, chunk)
  const applied = book.apply(chunk, { known: near, arrived, launched })
  // From here on nothing throws: the chunk would be applied again.
  memory.setHead(chunk.head)
  memory.keep(applied)
  memory.setFees(fees)
  const { touched } = applied
  if (applied.lost.length > 0 && isNear) {
    const again = await wakingPools.read(chunk.head)
    const after = book.apply({ from: chunk.head.number, head: chunk.head, logs: [] }, { arrived: again })
    memory.keep(after)
    for (const pool of after.touched) touched.add(pool)
  }
  const born = dynamicFees.followed().filter((pool) => !fees.has(pool))
  if (born.length > 0) memory.setFees(await dynamicFees.read(born, chunk.head.number))
  return touched
}

/** One block that changed no state. Of several, only the last one's header is known. */
export const isEmptyBlock = ({ from, head }: Chunk): boolean => head.isEmpty === true && from === head.number

/** An empty block after the last one, with nothing left to read: the state is the last one's. */
const isUnchanged = ({ dynamicFees, head, wakingPools }: PoolMemory, chunk: Chunk): boolean =>
  isEmptyBlock(chunk) && head()?.number === chunk.from - 1 && wakingPools.isEmpty() && dynamicFees.areRead()
