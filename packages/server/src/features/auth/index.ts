export { authenticateKey } from './authenticateKey.ts'
export { challengeMessage, isSignedBy } from './challengeMessage.ts'
export { createAuthHandlers } from './createAuthHandlers.ts'
export type { AuthDeps } from './deps.ts'
export { type KeyCache, openKeyCache } from './keyCache.ts'
export { type Auth, type AuthOptions, openAuth } from './openAuth.ts'
export {
  createPartnerLookup,
  noRegistry,
  type PartnerAgent,
  type PartnerFinding,
  type PartnerRegistry,
} from './partner.ts'
export { sweepSignIn } from './sweepSignIn.ts'
