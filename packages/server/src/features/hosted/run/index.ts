export type { TickOptions } from './deps.ts'
export { openTicks, type Ticks } from './openTicks.ts'
export type { AskBrain, Brained, PracticeGate } from './types.ts'
