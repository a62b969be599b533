export { createSessionGate, type SessionGate } from './gate.ts'
export { type OpenSessions, openSessions, type Sessions } from './openSessions.ts'
