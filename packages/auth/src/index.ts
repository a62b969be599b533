export type { ApiKey } from './keys.ts'
export { type Auth, openAuth } from './openAuth.ts'
export { changeDivision, divisionOf } from './store.ts'
export type { AccountsInUse } from './sweepAccounts.ts'
