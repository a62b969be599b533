import type { Archiver } from './archiver.ts'
import { beginGeneration, type Generation, writeGround } from './generation.ts'
import { advanceEngine, createEngine, type EngineSettings, type Groundwork, type Image } from './image.ts'
import { carryOver, type Pool } from './pool.ts'
import type { Provider } from './provider.ts'
import type { Shadow } from './shadow.ts'
import type { BlockJson, Hex } from './types.ts'

export interface RotationDeps {
  dir: string
  main: Provider
  shadow: Shadow
  archiver: Archiver
  pool: Pool
  ownedKeys: string[]
  /** Runs while no block is mined, no admin call and no transaction taken. */
  alone<T>(job: () => Promise<T>): Promise<T>
  /** Mines a block if admin calls changed the state after the head: a root is only known of blocks. */
  settleHead(): Promise<void>
  headBlock(): BlockJson
  settings(): EngineSettings
  ground: Omit<Groundwork, 'accounts' | 'genesisTimeS'>
  log: (message: string, fields?: Record<string, unknown>) => void
}

export interface Rotated {
  generation: Generation
  main: Provider
  shadow: Provider
}

/**
 * Builds a fresh pair of engines from the state and moves onto them: the old ones hold every block and state they ever
 * had. The slow part runs beside the blocks; what changed meanwhile is set at the switch, and nothing is switched
 * unless the new state root is the old one's. `adopt` runs before anything else can.
 */
export async function rotate(
  deps: RotationDeps,
  adopt: (rotated: Rotated) => void,
): Promise<{ pauseMs: number }> {
  const { accounts, number } = await deps.shadow.takeState()
  const ground: Groundwork = {
    ...deps.ground,
    accounts,
    // Not after the base block's time, and the same whenever this image is built again.
    genesisTimeS: BigInt(deps.headBlock().timestamp).toString(),
  }
  const stateFile = writeGround(deps.dir, ground, number)
  const main = await createEngine('main', ground, deps.ownedKeys)
  const shadow = await createEngine('shadow', ground, deps.ownedKeys)
  return deps.alone(async () => {
    const startedMs = performance.now()
    await deps.settleHead()
    const world = await deps.shadow.traced()
    const head = deps.headBlock()
    const image: Image = {
      ...ground,
      changes: world.changes(),
      base: baseOf(head),
      settings: deps.settings(),
    }
    const [mainAt, shadowAt] = await Promise.all([advanceEngine(main, image), advanceEngine(shadow, image)])
    if (mainAt !== shadowAt) throw new Error(`the new engines differ at block ${Number(head.number)}`)
    await deps.archiver.follow(deps.main, Number(head.number))
    const dropped = (error: unknown) => deps.log('a pooled transaction was dropped', { error: String(error) })
    await carryOver(main, await deps.pool.waiting(deps.main), dropped)
    adopt({ generation: beginGeneration(deps.dir, image, stateFile), main, shadow })
    return { pauseMs: performance.now() - startedMs }
  })
}

const baseOf = (block: BlockJson) => ({
  number: Number(block.number),
  hash: block.hash,
  stateRoot: block.stateRoot,
  timestampS: BigInt(block.timestamp).toString(),
  baseFeeWei: BigInt(block.baseFeePerGas).toString(),
  prevRandao: block['mixHash'] as Hex,
})
