export { createSessionGate, type SessionGate } from './gate.ts'
export { type OpenSessions, openSessions, type Sessions } from './openSessions.ts'
export type { HostedTradeAsk } from './trade/tradeHosted.ts'
export { type Session, statusOf } from './types.ts'
