import type { ApiKey, Auth } from '@pit/auth'
import { type Charge, networksOf } from '@pit/http'
import { fail } from '@pit/protocol'
import type { Caller, Handlers } from '../http/types.ts'

type AuthRoute = 'auth.challenge' | 'auth.verify' | 'auth.me' | 'auth.revoke' | 'auth.revoke_all'

export interface AuthRoutesDeps {
  auth: Pick<Auth, 'challenge' | 'verify' | 'me' | 'revoke' | 'revokeAll'>
  charge: Charge
}

export function authRoutes({ auth, charge }: AuthRoutesDeps): Pick<Handlers, AuthRoute> {
  const clientOf = (caller: Caller) => ({
    networks: networksOf(caller.address),
    admit: () => charge(caller, ['auth.overall']),
  })
  return {
    'auth.challenge': ({ body, caller }) => auth.challenge(body, clientOf(caller)),
    'auth.verify': ({ body, caller }) => auth.verify(body, clientOf(caller)),
    'auth.me': ({ caller }) => auth.me(keyOf(caller)),
    'auth.revoke': ({ caller }) => auth.revoke(keyOf(caller)),
    'auth.revoke_all': ({ body, caller }) => auth.revokeAll(body, clientOf(caller)),
  }
}

const keyOf = ({ key }: Caller): ApiKey => key ?? fail('UNAUTHORIZED')
