import { refusal } from '@pit/protocol'
import type { ApiKey, Caller, Handlers } from '../http/types.ts'
import { createChallenge } from './createChallenge.ts'
import type { AuthDeps } from './deps.ts'
import { readMe } from './readMe.ts'
import { revokeAllKeys } from './revokeAllKeys.ts'
import { revokeKey } from './revokeKey.ts'
import { verifySignIn } from './verifySignIn.ts'

type AuthRoute = 'auth.challenge' | 'auth.verify' | 'auth.me' | 'auth.revoke' | 'auth.revoke_all'

export function createAuthHandlers(deps: AuthDeps): Pick<Handlers, AuthRoute> {
  return {
    'auth.challenge': (call) => createChallenge(deps, call),
    'auth.verify': (call) => verifySignIn(deps, call),
    'auth.me': ({ caller }) => readMe(deps, keyOf(caller)),
    'auth.revoke': ({ caller }) => revokeKey(deps, keyOf(caller)),
    'auth.revoke_all': (call) => revokeAllKeys(deps, call),
  }
}

function keyOf({ key }: Caller): ApiKey {
  if (key === null) throw refusal('UNAUTHORIZED')
  return key
}
