export type { Mark } from '@pit/platform/marks'
export {
  createAgentRegistry,
  type PartnerAgent,
  type PartnerFinding,
  type PartnerRegistry,
} from './agentRegistry/findAgent.ts'
export { type AgentVault, createAgentVault, type VaultAgent } from './agentRegistry/vault.ts'
export * from './pools/markReads.ts'
export { type Market, openMarket, watchMarket } from './pools/openMarket.ts'
export type { AnyPool } from './pools/poolBook.ts'
export { crossMid, type MidDeps, referenceMid } from './pools/referenceMid.ts'
export { auditRisks } from './tokens/auditRisks.ts'
export type { TokenDeps, TokenMarket } from './tokens/deps.ts'
export { hasStockRules, type StoredRecord } from './tokens/describeToken.ts'
export { openTokens, type TokenOptions, type Tokens } from './tokens/openTokens.ts'
export type { Audited } from './tokens/readAudit.ts'
export type { RecordNow } from './tokens/registry.ts'
export { type RegistryText, registryTexts } from './tokens/store.ts'
