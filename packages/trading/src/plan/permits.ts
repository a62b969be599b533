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

/** The second call of the round trip: the signature, and the anchor it was made for. */
export interface SignedPermit {
  signature: Hex
  nowS: number
}

const SKEW_S = 5

type PermitAnswer = NonNullable<Extract<Answer<'live.build'>, { execution: unknown }>['permit']>

/**
 * The permit a wallet is asked to sign. It depends on nothing but the trade, the wallet's nonce and the
 * anchor time, so that the second call makes the very same one.
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

/** Refuses an anchor from the future, or so old that the permit would end before the trade. */
export function checkAnchor(anchorS: number, { nowS, deadlineS }: { nowS: number; deadlineS: number }): void {
  if (anchorS > nowS + SKEW_S) {
    fail('BAD_REQUEST', { field: 'permit_now', message: '`permit_now` is in the future.' })
  }
  if (anchorS + TRADE.permitTradeExpiryS < deadlineS) {
    fail('BAD_REQUEST', {
      field: 'permit_now',
      message: 'The permit ends before this trade would: ask again without permit_signature for a new one.',
    })
  }
}

/** The signature with v of 27 or 28, as Permit2 reads it; refused unless the wallet signed this permit. */
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
        'The signature is not the wallet’s over this trade’s permit. Send the first call’s request again ' +
        'with permit_now as answered (and amount_in as answered, if it was sized in dollars), ' +
        'or start over without it.',
    })
  }
  return `${bytesToHex(parts.rs)}${parts.yParity === 1 ? '1c' : '1b'}`
}

/** The typed data as JSON can carry it: what is wider than a float is a decimal text. */
export function permitJson(addresses: Permit2Domain, permit: PermitSingle): PermitAnswer {
  const { details, spender, sigDeadline } = permit
  const typed = permitTypedData(addresses, permit)
  return {
    ...typed,
    types: {
      // Wallets that take the JSON as it is (eth_signTypedData_v4) want the domain's type too.
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
