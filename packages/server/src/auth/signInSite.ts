import { refusal } from '@pit/protocol'
import type { SignInSite } from './challengeMessage.ts'
import type { AuthDeps } from './deps.ts'

/** Sign-in is off until an operator has said which domain the messages may name. */
export function signInSite({ authDomain, publicUrl }: AuthDeps['config']): SignInSite {
  if (authDomain === null) throw refusal('AUTH_DOMAIN_UNSET')
  return { domain: authDomain, uri: publicUrl }
}
