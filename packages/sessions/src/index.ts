export type { HostedRecord } from './deps.ts'
export { authorizationJson, limitsJson, listedControls, riskTermsJson, spendOf } from './describe.ts'
export { createSessionGate, type SessionGate } from './gate.ts'
export type { GrantParams } from './grant/readGrant.ts'
export type { Granted } from './grant/startGrant.ts'
export type { ListedSession } from './listSessions.ts'
export { type OpenSessions, openSessions, type Sessions } from './openSessions.ts'
export { describeRevoked } from './revoke/describeRevoked.ts'
export type { Revoked } from './revoke/revokeSession.ts'
export * from './sessionReads.ts'
export * from './switches.ts'
export { describeRehearsal, describeSpend, describeTrade } from './trade/describeTrade.ts'
export type {
  CosignedTrade,
  RehearsedTrade,
  SessionTrade,
  SessionTradeParams,
  SignedList,
} from './trade/types.ts'
export type { WantedSignature } from './trade/wantedSignature.ts'
export { isSigned, type Session, statusOf } from './types.ts'
