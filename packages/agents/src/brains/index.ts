export type { BrainRequest } from './deps.ts'
export { type Brains, openBrains } from './openBrains.ts'
