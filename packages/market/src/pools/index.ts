export type { Mark } from '@pit/platform/marks'
export { type Market, openMarket, watchMarket } from './openMarket.ts'
export type { AnyPool } from './poolBook.ts'
export { crossMid, type MidDeps, referenceMid } from './referenceMid.ts'
