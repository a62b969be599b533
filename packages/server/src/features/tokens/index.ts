export type { TokenDeps, TokenMarket } from './deps.ts'
export type { StoredRecord } from './describeToken.ts'
export { openTokens, type TokenOptions, type Tokens } from './openTokens.ts'
export type { Audit } from './readAudit.ts'
