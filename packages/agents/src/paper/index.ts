export * from './bookReads.ts'
export type { PaperDeps } from './deps.ts'
export { openPaper } from './openPaper.ts'
export type * from './types.ts'
