import { type Answer, AUTH, type ChallengePurpose, refuseSiwe } from '@pit/protocol'
import { normalized } from '../account.ts'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { refuse } from '../errors.ts'
import { ownWallet } from '../verify/ownWallet.ts'

/** Clocks differ a little. */
const CLOCK_SLACK_S = 60

type Deps = Pick<ClientDeps, 'api' | 'account' | 'nowMs'>

/** Signs the service's challenge, if it is a sign-in to the domain that was meant, and gets a key. */
export async function signIn(
  deps: Deps,
  { domain, signal }: { domain: string } & VerbOptions,
): Promise<Answer<'auth.verify'>> {
  const body = await signChallenge(deps, 'sign-in', { domain, signal })
  return ownWallet(deps.account, await deps.api['auth.verify']({ body }, { signal }))
}

/** Ends every key of the wallet by its signature, this client's too. */
export async function revokeAllKeys(
  deps: Deps,
  { domain, signal }: { domain: string } & VerbOptions,
): Promise<Answer<'auth.revoke_all'>> {
  const body = await signChallenge(deps, 'revoke-all', { domain, signal })
  return ownWallet(deps.account, await deps.api['auth.revoke_all']({ body }, { signal }))
}

async function signChallenge(
  { api, account, nowMs }: Deps,
  purpose: ChallengePurpose,
  { domain, signal }: { domain: string } & VerbOptions,
) {
  const { address } = account
  const body = { address, ...(purpose === 'revoke-all' && { purpose }) }
  const { message, nonce } = await api['auth.challenge']({ body }, { signal })
  const why = refuseSiwe(message, {
    domain,
    address,
    purpose,
    nonce,
    nowS: Math.floor(nowMs() / 1000) - CLOCK_SLACK_S,
    maxAgeS: AUTH.challengeTtlS + 2 * CLOCK_SLACK_S,
  })
  if (why !== null) refuse('SIGNING_MISMATCH', `the message to sign ${why}`)
  return { address, signature: normalized(await account.signMessage(message)), nonce }
}
