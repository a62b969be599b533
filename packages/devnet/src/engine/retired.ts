import { collectGarbage } from './collectGarbage.ts'
import type { Provider } from './provider.ts'
import { wakeAllocator } from './wakeAllocator.ts'

interface RetiredEngine {
  main: Provider
  first: number
  last: number
}

/** Engines taken out of service by a rotation, kept for reads of recent state. */
export interface Retired {
  add(engine: RetiredEngine): void
  /** The engine that has the state after this block. */
  keeper(number: number): Provider | undefined
  /** Drops engines whose last block is too far behind the head. */
  dropBefore(head: number): void
}

export function createRetired(keepBlocks: number): Retired {
  let engines: RetiredEngine[] = []
  return {
    add(engine) {
      engines.push(engine)
    },
    keeper: (number) => engines.findLast(({ first, last }) => first <= number && number <= last)?.main,
    dropBefore(head) {
      if (!engines.some(({ last }) => last + keepBlocks <= head)) return
      engines = engines.filter(({ last }) => last + keepBlocks > head)
      collectGarbage()
      wakeAllocator()
    },
  }
}
