export { type Market, openMarket } from './openMarket.ts'
export type { AnyPool } from './poolBook.ts'
export type { Mark } from './readMarks.ts'
export { watchMarket } from './watchMarket.ts'
