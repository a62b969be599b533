import { setImmediate } from 'node:timers/promises'

/** Lets whoever waits have their turn: standings of thousands take a while to build. */
export const breathe = (): Promise<void> => setImmediate()
