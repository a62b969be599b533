export type { TickOptions } from './deps.ts'
export { openTicks, type Ticks } from './openTicks.ts'
export type { PracticeGate } from './types.ts'
