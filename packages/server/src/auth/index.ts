export { openAuth } from './openAuth.ts'
export { changeDivision, divisionOf } from './store.ts'
export type { AccountsInUse } from './sweepAccounts.ts'
