export type { AccountDeps } from './deps.ts'
export type { ListedTrade } from './listTrades.ts'
export { type Account, openAccount } from './openAccount.ts'
export type { Refusal } from './refusalLog.ts'
