import type { Crypto } from '@pit/chain'
import type { Charge } from '@pit/http'
import { fail, type Json } from '@pit/protocol'
import type { Trader } from '@pit/relay'
import { walletOf } from '@pit/trading'
import type { Caller } from '../http/types.ts'
import { requestHash } from './requestHash.ts'

/** The key's holder for trading functions; a key without a wallet cannot trade. */
export function traderOf({ key }: Caller): Trader {
  if (!key?.wallet) return fail('WALLET_NOT_BOUND')
  return { keyId: key.keyId, wallet: key.wallet }
}

/** The same for requests that contain a wallet, which must be the key's. */
export function traderNamed(crypto: Pick<Crypto, 'parseAddress'>, caller: Caller, wallet: string): Trader {
  const named = walletOf(crypto, caller, wallet)
  return { keyId: traderOf(caller).keyId, wallet: named }
}

/** Identity of a request with a client_id, so that a retry is recognised; null without one. */
export const namedRequest = (body: { readonly client_id?: string; readonly [field: string]: unknown }) =>
  body.client_id === undefined
    ? null
    : { clientId: body.client_id, hash: requestHash(body as { readonly [field: string]: Json }) }

/** Charged before a token is screened for this caller: a screen is the most expensive part of a read. */
export const screenAdmission = (charge: Charge, caller: Caller) => () =>
  charge(caller, ['screen.caller', 'screen.overall'])
