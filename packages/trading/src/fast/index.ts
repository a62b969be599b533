export { type Fast, type FastOptions, openFast } from './openFast.ts'
export { fastPinOf, openTable, type PinnedTable } from './table.ts'
