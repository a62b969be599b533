import type { Archiver } from './archiver.ts'
import { beginGeneration, type Generation, writeGround } from './generation.ts'
import { advanceEngine, createEngine, type EngineSettings, type Groundwork, type Image } from './image.ts'
import { carryOver, type Pool } from './pool.ts'
import type { Call, Provider } from './provider.ts'
import type { StateTracker } from './stateTracker.ts'
import type { BlockJson, Hex, Log } from './types.ts'

export interface RotationDeps {
  dir: string
  main: Provider
  tracker: StateTracker
  archiver: Archiver
  pool: Pool
  ownedKeys: string[]
  /** Runs while no block, admin call or transaction is processed. */
  alone<T>(job: () => Promise<T>): Promise<T>
  /** Mines a block if admin calls changed the state after the head: only blocks have a root. */
  settleHead(): Promise<void>
  headBlock(): BlockJson
  settings(): EngineSettings
  ground: Omit<Groundwork, 'accounts' | 'genesisTimeS'>
  log: Log
}

export interface Rotated {
  generation: Generation
  main: Provider
}

/**
 * Builds a fresh engine from the state and switches to it, because an old one keeps every block and state. The slow part runs beside the blocks; changes meanwhile are applied at the switch, which happens
 * only if the state roots match. `adopt` runs before anything else can.
 */
export async function rotate(
  deps: RotationDeps,
  adopt: (rotated: Rotated) => void,
): Promise<{ pauseMs: number }> {
  const { ground, stateFile } = await takeGround(deps)
  const main = await createEngine(ground, deps.ownedKeys)
  // Catch up first, so that blocks wait only for the last few entries.
  const meanwhile = await deps.tracker.takeChanges()
  await main.batch(meanwhile)
  return deps.alone(async () => {
    const startedMs = performance.now()
    await deps.settleHead()
    const image = await completeImage(deps, ground, meanwhile)
    const rest = { ...image, changes: image.changes.slice(meanwhile.length) }
    await advanceEngine(main, rest)
    await deps.archiver.complete(deps.main, image.base.number)
    const dropped = (error: unknown) => deps.log('a pooled transaction was dropped', { error: String(error) })
    await carryOver(main, await deps.pool.waiting(deps.main), dropped)
    adopt({ generation: beginGeneration(deps.dir, image, stateFile), main })
    return { pauseMs: performance.now() - startedMs }
  })
}

/**
 * The same at a stop, so that the next start has nothing to replay. One engine is built to verify the image.
 */
export async function leaveImage(deps: RotationDeps): Promise<Generation> {
  await deps.settleHead()
  const { ground, stateFile } = await takeGround(deps)
  const image = await completeImage(deps, ground, [])
  await advanceEngine(await createEngine(ground, deps.ownedKeys), image)
  await deps.archiver.complete(deps.main, image.base.number)
  return beginGeneration(deps.dir, image, stateFile)
}

async function takeGround(deps: RotationDeps): Promise<{ ground: Groundwork; stateFile: string }> {
  const accounts = await deps.tracker.takeState()
  const ground: Groundwork = {
    ...deps.ground,
    accounts,
    // Not after the base block's time, and reproducible for this image.
    genesisTimeS: BigInt(deps.headBlock().timestamp).toString(),
  }
  return { ground, stateFile: writeGround(deps.dir, ground) }
}

async function completeImage(
  deps: RotationDeps,
  ground: Groundwork,
  earlier: readonly Call[],
): Promise<Image> {
  const world = await deps.tracker.traced()
  const changes = [...earlier, ...world.changes()]
  return { ...ground, changes, base: baseOf(deps.headBlock()), settings: deps.settings() }
}

const baseOf = (block: BlockJson) => ({
  number: Number(block.number),
  hash: block.hash,
  stateRoot: block.stateRoot,
  timestampS: BigInt(block.timestamp).toString(),
  baseFeeWei: BigInt(block.baseFeePerGas).toString(),
  prevRandao: block['mixHash'] as Hex,
})
