import { randomBytes } from 'node:crypto'
import type { PartnerFinding, PartnerRegistry } from '@pit/agent-registry'
import { nowS } from '@pit/platform/clock'
import { type CapabilityJobs, sweepJob } from '@pit/platform/jobs'
import type { Answer } from '@pit/protocol'
import type { SignInClient } from './client.ts'
import { type ChallengeRequest, createChallenge } from './createChallenge.ts'
import type { AuthDeps } from './deps.ts'
import type { SignedRequest } from './findSignedChallenge.ts'
import { type ApiKey, type Keys, openKeys } from './keys.ts'
import { createPartnerLookup, noRegistry } from './partner.ts'
import { revokeAllKeys, revokeKey } from './revokeKeys.ts'
import { accountName, type Wallet } from './rules.ts'
import { liveKeysOf, sweepSignIn } from './store.ts'
import { type AccountsInUse, createAccountSweep } from './sweepAccounts.ts'
import { verifySignIn } from './verifySignIn.ts'

export type AuthOptions = Pick<AuthDeps, 'db' | 'clock' | 'crypto' | 'isSanctioned' | 'config'> & {
  registry?: PartnerRegistry
  /** Without it no account is ever deleted. */
  accountsInUse?: AccountsInUse
  randomBytes?: AuthDeps['randomBytes']
}

export interface SignIn {
  challenge(request: ChallengeRequest, client: SignInClient): Promise<Answer<'auth.challenge'>>
  /** Exchanges a signed challenge for a key. */
  verify(request: SignedRequest, client: SignInClient): Promise<Answer<'auth.verify'>>
  me(key: ApiKey): Answer<'auth.me'> | Promise<Answer<'auth.me'>>
  revoke(key: ApiKey): Promise<Answer<'auth.revoke'>>
  /** Revokes every key of the wallet that signed. */
  revokeAll(request: SignedRequest, client: SignInClient): Promise<Answer<'auth.revoke_all'>>
}

export interface Auth extends SignIn {
  authenticateKey: Keys['authenticate']
  /** The wallet's live keys, newest first, up to a limit. */
  liveKeysOf(wallet: Wallet): Promise<number[]>
  /** Deletes expired sign-in data; returns how many rows. */
  sweep(): Promise<number>
  jobs: CapabilityJobs
  close(): Promise<void>
}

/** Sign-in and keys, with their shared caches: live keys and registry answers. */
export async function openAuth({ registry = noRegistry, ...options }: AuthOptions): Promise<Auth> {
  const keys = await openKeys(options)
  const findPartner = createPartnerLookup({ registry, clock: options.clock })
  const deps: AuthDeps = { randomBytes, ...options, keys, findPartner }
  const { accountsInUse } = options
  const sweepAccounts = accountsInUse ? createAccountSweep({ ...options, accountsInUse }) : async () => 0
  const sweep = async () => (await sweepSignIn(deps.db, deps.clock)) + (await sweepAccounts())
  return {
    ...createSignIn(deps),
    authenticateKey: keys.authenticate,
    liveKeysOf: (wallet) => liveKeysOf(deps.db, wallet, nowS(deps.clock)),
    sweep,
    jobs: { everywhere: [], worker: [sweepJob('sweep sign-ins', sweep)] },
    close: keys.close,
  }
}

export const createSignIn = (deps: AuthDeps): SignIn => ({
  challenge: (request, client) => createChallenge(deps, request, client),
  verify: (request, client) => verifySignIn(deps, request, client),
  me: (key) => readMe(deps, key),
  revoke: (key) => revokeKey(deps, key),
  revokeAll: (request, client) => revokeAllKeys(deps, request, client),
})

/** Sends no query to the store, and waits only if the registry was not read for this wallet recently. */
function readMe({ findPartner }: AuthDeps, key: ApiKey): Answer<'auth.me'> | Promise<Answer<'auth.me'>> {
  if (key.wallet === null) return describeMe(key, null)
  const partner = findPartner(key.wallet)
  return partner instanceof Promise
    ? partner.then((found) => describeMe(key, found))
    : describeMe(key, partner)
}

const describeMe = (key: ApiKey, partner: PartnerFinding | null): Answer<'auth.me'> => ({
  wallet: key.wallet,
  account: { id: key.accountId, name: accountName(key.accountId, key.wallet) },
  key_id: key.keyId,
  expires_at: key.expiresAtS,
  partner_agent: partner?.status === 'ok' ? partner.agent : null,
})
