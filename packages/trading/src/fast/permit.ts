import { type Address, type Crypto, hashPermit } from '@pit/chain'
import { CHAIN_ID, TRADE } from '@pit/protocol'
import type { Measured } from '../types.ts'
import type { Facts } from './facts.ts'
import { type FastParams, permitOf } from './rebuild.ts'
import type { FastAddresses, PinnedRoute } from './table.ts'

const MAX_UINT48 = 2 ** 48 - 1
const MAX_UINT160 = (1n << 160n) - 1n

/** Permit2 accepts only a v of 27 or 28; signatures with 0 or 1 are rejected here. */
const hasPermit2V = (signature: string): boolean => /1[bc]$/i.test(signature)

/** Signer of the permit; null if it cannot be recovered. Undefined: no permit, or not for a token of this route. */
export function permitSignerOf(
  crypto: Crypto,
  route: PinnedRoute,
  addresses: FastAddresses,
  request: FastParams,
): Address | null | undefined {
  if (request.permit === null || !route.row.permit || !fitsWords(request.permit)) return undefined
  if (!hasPermit2V(request.permit.signature)) return null
  const hash = hashPermit(
    crypto,
    { chainId: CHAIN_ID, permit2: addresses.permit2 },
    permitOf(route, addresses, request)!,
  )
  return crypto.recover(hash, request.permit.signature) ?? null
}

const fitsWords = ({ amount, expirationS, nonce }: NonNullable<FastParams['permit']>): boolean =>
  amount <= MAX_UINT160 && expirationS <= MAX_UINT48 && nonce <= MAX_UINT48

/** Why the permit is invalid; null if it is valid. */
export function permitFault(facts: Facts): { message: string; value?: Measured; limit?: Measured } | null {
  const { route, nowMs, wallet, permitSigner, funds } = facts
  const { permit, amountIn, deadlineS } = facts.request
  if (permit === null || !route) return null
  if (!route.row.permit) return { message: 'ETH needs no permit. Remove it.' }
  if (permit.amount !== amountIn) {
    const [value, limit] = [String(permit.amount), String(amountIn)]
    return { message: 'The permit amount must equal amount_in.', value, limit }
  }
  const latest = Math.floor(nowMs / 1000) + TRADE.permitTradeExpiryS
  for (const [name, at] of [
    ['expiration', permit.expirationS],
    ['sig_deadline', permit.sigDeadlineS],
  ] as const) {
    if (at > latest) {
      return {
        message: `The permit's ${name} must be at most ${TRADE.permitTradeExpiryS} s from now.`,
        value: at,
        limit: latest,
      }
    }
    if (at < deadlineS) {
      return {
        message: `The permit's ${name} must not be before the trade's deadline.`,
        value: at,
        limit: deadlineS,
      }
    }
  }
  if (permitSigner !== wallet) {
    return {
      message: "The permit must be signed by the key's wallet for the router.",
      value: permitSigner ?? null,
    }
  }
  const nonce = funds?.tokens.get(route.tokenIn.address)?.permit.nonce
  return nonce === undefined || nonce === permit.nonce
    ? null
    : { message: `The permit's nonce must be the next one at Permit2.`, value: permit.nonce, limit: nonce }
}
