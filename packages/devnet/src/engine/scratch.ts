import type { Provider } from './provider.ts'
import type { Head } from './types.ts'
import { undoable } from './undoable.ts'

/** Runs jobs on the engine, as if it had no pooled transactions, and undoes them: simulations. */
export interface Scratch {
  run<T>(job: (engine: Provider, head: Head) => Promise<T>): Promise<T>
  /** A job is running or waiting, or one ended a moment ago: more are likely to follow. */
  isBusy(): boolean
}

interface ScratchDeps {
  engine(): Provider
  head(): Head
  pooled(): readonly string[]
  /** Runs while nothing else reads or changes the engine. */
  alone(job: () => Promise<void>): Promise<void>
  /** The engine holds what a job left behind: it must not mine. */
  halt(why: string): void
}

const QUIET_MS = 40

export function createScratch({ engine, head, pooled, alone, halt }: ScratchDeps): Scratch {
  let running = 0
  let endedAtMs = Number.NEGATIVE_INFINITY
  return {
    isBusy: () => running > 0 || performance.now() - endedAtMs < QUIET_MS,
    run: (job) =>
      new Promise((resolve, reject) => {
        running += 1
        alone(async () => {
          // Blocks of the job would take pooled transactions; undoing returns them to the pool.
          const drops = pooled().map((hash) => ['hardhat_dropTransaction', [hash]] as const)
          const own = undoable(engine(), drops)
          // Respond before undoing: only the next user of this engine has to wait for that.
          await job(own.engine, head()).then(resolve, reject)
          if (!(await own.undo().catch(() => false))) halt('a simulation could not be undone')
        })
          .catch(reject)
          .finally(() => {
            running -= 1
            endedAtMs = performance.now()
          })
      }),
  }
}
