import { randomBytes } from 'node:crypto'
import type { PartnerRegistry } from '@pit/market'
import type { ApiKey, Handlers } from '../http/types.ts'
import { authenticateKey } from './authenticateKey.ts'
import { createAuthHandlers } from './createAuthHandlers.ts'
import type { AuthDeps } from './deps.ts'
import { openKeyCache } from './keyCache.ts'
import { createPartnerLookup, noRegistry } from './partner.ts'
import { sweepSignIn } from './sweepSignIn.ts'

export type AuthOptions = Pick<AuthDeps, 'db' | 'clock' | 'crypto' | 'isSanctioned' | 'config'> & {
  registry?: PartnerRegistry
  randomBytes?: AuthDeps['randomBytes']
}

export interface Auth {
  handlers: Pick<Handlers, 'auth.challenge' | 'auth.verify' | 'auth.me' | 'auth.revoke' | 'auth.revoke_all'>
  /** `known`: only keys this process has found live before; the store is asked about no other. */
  authenticateKey(bearer: string, which?: 'known' | 'any'): Promise<ApiKey | null>
  /** For a job, every few minutes. */
  sweep(): Promise<number>
  close(): Promise<void>
}

/** Sign-in and keys, with what they share: which keys are live, and what the registry said. */
export async function openAuth({ registry = noRegistry, ...options }: AuthOptions): Promise<Auth> {
  const keys = await openKeyCache(options)
  const deps: AuthDeps = {
    randomBytes,
    ...options,
    keys,
    findPartner: createPartnerLookup({ registry, clock: options.clock }),
  }
  return {
    handlers: createAuthHandlers(deps),
    authenticateKey: authenticateKey(deps),
    sweep: () => sweepSignIn(deps),
    close: keys.close,
  }
}
