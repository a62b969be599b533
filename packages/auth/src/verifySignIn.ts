import { hash } from 'node:crypto'
import type { PartnerFinding } from '@pit/agent-registry'
import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { type Answer, AUTH, fail, refusal } from '@pit/protocol'
import { admitSignIn } from './admitSignIn.ts'
import { useChallenge } from './challengeStore.ts'
import type { SignInClient } from './client.ts'
import type { AuthDeps } from './deps.ts'
import { findSignedChallenge, type SignedRequest } from './findSignedChallenge.ts'
import { originOf, rememberOrigin } from './origin.ts'
import { accountName, capsOf, newKeyText, retryAfterS, type Wallet } from './rules.ts'
import { addKey, countIssued, holdAccount } from './store.ts'

const NOTE =
  'This key is shown once: only its SHA-256 is stored. It acts as the wallet until it expires or is ' +
  'revoked; it cannot move funds by itself.'
const REFUSED = { account: 'SIGNUP_CAPPED', key: 'KEYS_CAPPED' } as const

/** Exchanges a signed challenge for a key. A refusal after the signature check leaves the challenge open. */
export async function verifySignIn(
  deps: AuthDeps,
  request: SignedRequest,
  client: SignInClient,
): Promise<Answer<'auth.verify'>> {
  const wallet = request.address.toLowerCase() as Wallet
  const origin = originOf(wallet, client)
  await admitSignIn(deps, client, origin)
  if (deps.isSanctioned(wallet)) fail('SANCTIONED', { field: 'wallet' })
  const { id: challengeId } = await findSignedChallenge(deps, 'sign-in', request, client)
  const partner = await deps.findPartner(wallet)
  if (deps.config.requirePartnerAgent) requireAgent(partner)

  const apiKey = newKeyText(deps.randomBytes(AUTH.keyRandomBytes))
  const issuedAtS = nowS(deps.clock)
  const expiresAtS = issuedAtS + AUTH.keyTtlS
  const issued = await deps.db.transaction(async (sql) => {
    if (!(await useChallenge(sql, challengeId, issuedAtS))) fail('CHALLENGE_EXPIRED')
    const account = await holdAccount(sql, wallet, issuedAtS)
    if (account.isNew) await count(sql, 'account')
    await count(sql, 'key')
    await rememberOrigin(sql, origin)
    const keyId = await addKey(sql, {
      accountId: account.id,
      wallet,
      sha256: hash('sha256', apiKey, 'buffer'),
      issuedAtS,
      expiresAtS,
    })
    return { keyId, accountId: account.id }
  })

  async function count(sql: Sql, what: 'account' | 'key'): Promise<void> {
    const caps = capsOf(what, deps.config.caps, client.networks, issuedAtS)
    const waitS = retryAfterS(caps, await countIssued(sql, what, caps), issuedAtS)
    if (waitS !== undefined) fail(REFUSED[what], { retryAfterS: waitS })
  }

  return {
    api_key: apiKey,
    key_id: issued.keyId,
    wallet,
    account: { id: issued.accountId, name: accountName(issued.accountId, wallet) },
    expires_at: expiresAtS,
    partner_agent: partner.status === 'ok' ? partner.agent : null,
    partner_check: partner.status === 'ok' ? 'ok' : partner.why,
    note: NOTE,
  }
}

function requireAgent(partner: PartnerFinding): void {
  if (partner.status === 'unreadable') throw refusal('PARTNER_UNAVAILABLE')
  if (partner.agent === null) throw refusal('NOT_PARTNER_AGENT')
}
