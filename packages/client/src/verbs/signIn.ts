import { type Answer, AUTH, refuseSiwe } from '@pit/protocol'
import { normalized } from '../account.ts'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { refuse } from '../errors.ts'
import { ownAnswer } from './owners.ts'

/** Clocks differ a little. */
const CLOCK_SLACK_S = 60

/** Signs the service's challenge, if it is a sign-in to the domain that was meant, and gets a key. */
export async function signIn(
  { api, account, nowMs }: Pick<ClientDeps, 'api' | 'account' | 'nowMs'>,
  { domain, signal }: { domain: string } & VerbOptions,
): Promise<Answer<'auth.verify'>> {
  const { message, nonce } = await api['auth.challenge']({ body: { address: account.address } }, { signal })
  const why = refuseSiwe(String(message), {
    domain,
    address: account.address,
    purpose: 'sign-in',
    nowS: Math.floor(nowMs() / 1000) - CLOCK_SLACK_S,
    maxAgeS: AUTH.challengeTtlS + 2 * CLOCK_SLACK_S,
  })
  if (why !== null) refuse('SIGNING_MISMATCH', `the sign-in message ${why}`)
  const signature = normalized(await account.signMessage(message))
  const answer = await api['auth.verify'](
    { body: { address: account.address, signature, nonce } },
    { signal },
  )
  return ownAnswer(account, answer)
}
