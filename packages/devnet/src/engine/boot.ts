import type { Archive } from './archive.ts'
import { applyEntry, type Entry } from './entries.ts'
import { growthOf } from './growth.ts'
import { toHex } from './hex.ts'
import { advanceEngine, createEngine, type EngineRole, type EngineSettings, type Image } from './image.ts'
import { carryOver } from './pool.ts'
import type { Provider } from './provider.ts'
import { settingsAfter } from './settings.ts'
import type { BlockJson } from './types.ts'
import { createWorldState, type WorldState } from './worldState.ts'

/** An engine at the image's base block. */
export async function bootEngine(role: EngineRole, image: Image, ownedKeys: string[]): Promise<Provider> {
  const engine = await createEngine(role, image, ownedKeys)
  await advanceEngine(engine, image)
  return engine
}

/** The state at the image's base block. */
export function worldAt(image: Image): WorldState {
  const world = createWorldState(image.accounts)
  for (const [method, params = []] of image.changes) world.applyAdmin(method, params)
  return world
}

interface Replayed {
  headBlock: BlockJson
  settings: EngineSettings
  grownKb: number
}

interface BootInput {
  image: Image
  entries: readonly Entry[]
  archive: Archive
  ownedKeys: string[]
}

/** Both engines: main at the end of the log, with its pool, the shadow at the image's base block. */
export async function bootEngines({ image, entries, archive, ownedKeys }: BootInput) {
  const [main, shadow] = await Promise.all([
    bootEngine('main', image, ownedKeys),
    bootEngine('shadow', image, ownedKeys),
  ])
  const replayed = await replayLog(main, archive, image, entries)
  await restorePool(main, entries)
  return { main, shadow, ...replayed }
}

/** Replays the log on main; every block must have its logged hash. */
async function replayLog(
  main: Provider,
  archive: Archive,
  image: Image,
  entries: readonly Entry[],
): Promise<Replayed> {
  const { base } = image
  if (base.number > 0 && archive.next() <= base.number) {
    throw new Error(`the archive ends before block ${base.number}, where the engine begins`)
  }
  let settings = image.settings
  let blocks = 0
  let grownKb = 0
  for (const entry of entries) {
    await applyEntry(main, entry)
    settings = settingsAfter(settings, entry)
    if (entry.kind !== 'block') continue
    blocks += 1
    grownKb += growthOf(entry.txs.length, BigInt(entry.gasUsed))
    // A block that was archived but not logged was never visible.
    if (entry.number < archive.next() && archive.hashOf(entry.number) !== entry.hash)
      archive.cutFrom(entry.number)
  }
  const last = base.number + blocks
  archive.cutFrom(last + 1)
  const headBlock =
    blocks === 0 && last > 0
      ? archive.read(last).block
      : await main.request<BlockJson>('eth_getBlockByNumber', [toHex(last), true])
  return { headBlock, settings, grownKb }
}

/** Restores the pool of a clean stop. */
async function restorePool(main: Provider, entries: readonly Entry[]): Promise<void> {
  const last = entries[entries.length - 1]
  // An invalid transaction is dropped, as it would have been.
  if (last?.kind === 'pool') await carryOver(main, last.txs, () => {})
}
