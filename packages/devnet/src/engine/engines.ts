import { collectGarbage } from './collectGarbage.ts'
import type { Provider } from './provider.ts'
import { wakeAllocator } from './wakeAllocator.ts'

/** The engine that mines and serves reads, and its predecessors, which serve reads of recent state. */
export interface Engines {
  main(): Provider
  /** Puts another engine into service; the previous one has the states of these blocks. */
  replaceMain(engine: Provider, previous: { first: number; last: number }): void
  /** The previous engine that has the state after this block. */
  retired(number: number): Provider | undefined
  /** Drops engines whose last block is too far behind the head. */
  dropBefore(head: number): void
}

export function createEngines(first: Provider, keepBlocks: number): Engines {
  let main = first
  let retired: { engine: Provider; first: number; last: number }[] = []
  return {
    main: () => main,
    replaceMain(engine, previous) {
      retired.push({ engine: main, ...previous })
      main = engine
    },
    retired: (number) => retired.findLast(({ first, last }) => first <= number && number <= last)?.engine,
    dropBefore(head) {
      if (!retired.some(({ last }) => last + keepBlocks <= head)) return
      retired = retired.filter(({ last }) => last + keepBlocks > head)
      collectGarbage()
      wakeAllocator()
    },
  }
}
