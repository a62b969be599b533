export { type Brains, type BrainsDeps, openBrains } from './openBrains.ts'
export type { BrainAsk, Brained } from './types.ts'
