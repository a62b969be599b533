import {
  type Address,
  bytesToHex,
  type Crypto,
  type Hex,
  hashPermit,
  type Permit2Domain,
  type PermitSingle,
  permitTypedData,
  splitSignature,
  tryHexToBytes,
} from '@pit/chain'
import { type Answer, fail, TRADE } from '@pit/protocol'
import type { Grant } from './approvals.ts'

/** Second call of the round trip: the signature and the anchor it was made for. */
export interface SignedPermit {
  signature: Hex
  nowS: number
}

const SKEW_S = 5

type PermitAnswer = NonNullable<Extract<Answer<'live.build'>, { execution: unknown }>['permit']>

/**
 * The permit a wallet is asked to sign. It depends only on the trade, the wallet's nonce and the anchor time,
 * so that the second call builds the same one.
 */
export function permitOf(request: {
  token: Address
  router: Address
  grant: Grant
  nonce: number
  anchorS: number
}): PermitSingle {
  const { token, router, grant, nonce, anchorS } = request
  return {
    details: { token, amount: grant.amount, expiration: grant.expirationS, nonce },
    spender: router,
    sigDeadline: BigInt(anchorS + TRADE.permitTradeExpiryS),
  }
}

/** Refuses an anchor in the future, or one so old that the permit would end before the trade. */
export function checkAnchor(anchorS: number, { nowS, deadlineS }: { nowS: number; deadlineS: number }): void {
  if (anchorS > nowS + SKEW_S) {
    fail('BAD_REQUEST', { field: 'permit_now', message: '`permit_now` is in the future.' })
  }
  if (anchorS + TRADE.permitTradeExpiryS < deadlineS) {
    fail('BAD_REQUEST', {
      field: 'permit_now',
      message:
        'The permit expires before this trade’s deadline. Repeat the request without permit_signature for a new one.',
    })
  }
}

/** The signature with v of 27 or 28, as Permit2 expects; refused unless the wallet signed this permit. */
export function verifyPermit(
  { crypto, addresses }: { crypto: Crypto; addresses: Permit2Domain },
  { permit, signature, wallet }: { permit: PermitSingle; signature: Hex; wallet: Address },
): Hex {
  const bytes = tryHexToBytes(signature)
  const parts = bytes && splitSignature(bytes)
  if (!parts || crypto.recover(hashPermit(crypto, addresses, permit), bytes) !== wallet) {
    fail('BAD_REQUEST', {
      field: 'permit_signature',
      message:
        'The signature is not the wallet’s for this trade’s permit. Repeat the first request with permit_now ' +
        'as returned (and amount_in as returned, if it was sized in USD), or start over without a signature.',
    })
  }
  return `${bytesToHex(parts.rs)}${parts.yParity === 1 ? '1c' : '1b'}`
}

/** The typed data as JSON; integers wider than a float are decimal strings. */
export function permitJson(addresses: Permit2Domain, permit: PermitSingle): PermitAnswer {
  const { details, spender, sigDeadline } = permit
  const typed = permitTypedData(addresses, permit)
  return {
    ...typed,
    types: {
      // Wallets that take the JSON unchanged (eth_signTypedData_v4) also need the domain's type.
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      ...typed.types,
    },
    message: {
      details: { ...details, amount: details.amount.toString() },
      spender,
      sigDeadline: sigDeadline.toString(),
    },
  }
}
