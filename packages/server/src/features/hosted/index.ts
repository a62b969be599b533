export { type Hosted, openHosted } from './openHosted.ts'
export type * from './types.ts'
