export type { PaperDeps } from './deps.ts'
export { openPaper } from './openPaper.ts'
export { replayBook } from './rules.ts'
export type * from './types.ts'
