import type { Crypto } from '@pit/chain'
import { requestHash } from '@pit/platform/requestHash'
import { fail, type Json } from '@pit/protocol'
import type { Trader } from '@pit/relay'
import { walletOf } from '@pit/trading'
import type { Caller, Charge } from '../http/types.ts'

/** The key's holder as trading verbs know it; a key bound to no wallet cannot trade. */
export function traderOf({ key }: Caller): Trader {
  if (!key?.wallet) return fail('WALLET_NOT_BOUND')
  return { keyId: key.keyId, wallet: key.wallet }
}

/** The same where a request names its wallet, which must be the key's. */
export function traderNamed(crypto: Pick<Crypto, 'parseAddress'>, caller: Caller, wallet: string): Trader {
  const named = walletOf(crypto, caller, wallet)
  return { keyId: traderOf(caller).keyId, wallet: named }
}

/** A request that its caller named, so that a retry is known as one; null without a name. */
export const namedRequest = (body: { readonly client_id?: string; readonly [field: string]: unknown }) =>
  body.client_id === undefined
    ? null
    : { clientId: body.client_id, hash: requestHash(body as { readonly [field: string]: Json }) }

/** Asked before a token is screened for this caller: a screen is the dearest thing a read can cause. */
export const screenAdmission = (charge: Charge, caller: Caller) => () =>
  charge(caller, ['screen.caller', 'screen.overall'])
