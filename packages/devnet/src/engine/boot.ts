import type { Archive } from './archive.ts'
import { applyEmptyBlocks, applyEntry, type BlockEntry, type Entry, isEmptyBlock } from './entries.ts'
import { growthOf } from './growth.ts'
import { toHex } from './hex.ts'
import { advanceEngine, createEngine, type EngineSettings, type Image } from './image.ts'
import type { Provider } from './provider.ts'
import { settingsAfter } from './settings.ts'
import type { StateHistory } from './stateHistory.ts'
import type { BlockJson, Hex } from './types.ts'
import { createWorldState, type WorldState } from './worldState.ts'

/** An engine at the image's base block. */
async function engineAt(image: Image, ownedKeys: string[]): Promise<Provider> {
  const engine = await createEngine(image, ownedKeys)
  await advanceEngine(engine, image)
  return engine
}

/** The state at the image's base block. */
export function worldAt(image: Image, history?: Pick<StateHistory, 'note'>): WorldState {
  const world = createWorldState(image.accounts, history)
  for (const [method, params = []] of image.changes) world.applyAdmin(method, params)
  return world
}

interface Booted {
  main: Provider
  /** The hashes of each block's transactions, for each entry of the log. */
  hashes: readonly (readonly Hex[])[]
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

/** An engine at the end of the log: every replayed block must have its logged hash. */
export async function bootEngine({ image, entries, archive, ownedKeys }: BootInput): Promise<Booted> {
  const main = await engineAt(image, ownedKeys)
  const { base } = image
  if (base.number > 0 && archive.next() <= base.number) {
    throw new Error(`the archive ends before block ${base.number}, where the engine begins`)
  }
  let settings = image.settings
  let blocks = 0
  let grownKb = 0
  const hashes = await replay(main, entries)
  for (const entry of entries) {
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
  return { main, hashes, headBlock, settings, grownKb }
}

/** Many empty blocks in one call: most blocks of a quiet chain are. */
const EMPTY_AT_ONCE = 64

/** Returns each entry's transaction hashes. */
async function replay(engine: Provider, entries: readonly Entry[]): Promise<Hex[][]> {
  const hashes: Hex[][] = []
  while (hashes.length < entries.length) {
    const rest = entries.slice(hashes.length, hashes.length + EMPTY_AT_ONCE)
    const firstOther = rest.findIndex((entry) => !isEmptyBlock(entry))
    const empty = rest.slice(0, firstOther === -1 ? rest.length : firstOther) as BlockEntry[]
    if (empty.length > 0) await applyEmptyBlocks(engine, empty)
    hashes.push(...empty.map(() => []))
    if (firstOther !== -1) hashes.push(await applyEntry(engine, rest[firstOther]!))
  }
  return hashes
}
