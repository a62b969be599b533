import { type Address, type Hex, hexToBytes } from '../bytes/hex.ts'
import { addressWord, MAX_UINT48, MAX_UINT160, size, uint, uintOfNumber } from '../bytes/words.ts'
import type { Crypto } from '../crypto/createCrypto.ts'
import type { PermitSingle } from './types.ts'

const PERMIT2_TYPES = {
  PermitDetails: [
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint160' },
    { name: 'expiration', type: 'uint48' },
    { name: 'nonce', type: 'uint48' },
  ],
  PermitSingle: [
    { name: 'details', type: 'PermitDetails' },
    { name: 'spender', type: 'address' },
    { name: 'sigDeadline', type: 'uint256' },
  ],
} as const

const DETAILS_TYPE = 'PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)'
const SINGLE_TYPE = `PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)${DETAILS_TYPE}`
const DOMAIN_TYPE = 'EIP712Domain(string name,uint256 chainId,address verifyingContract)'

export type Permit2Domain = { chainId: number; permit2: Address }

/** The hash a wallet signs. */
export function permitTypedData({ chainId, permit2 }: Permit2Domain, message: PermitSingle) {
  return {
    domain: { name: 'Permit2', chainId, verifyingContract: permit2 },
    types: PERMIT2_TYPES,
    primaryType: 'PermitSingle',
    message,
  } as const
}

/** The hash of that typed data, without a general-purpose encoder. */
export function hashPermit(crypto: Crypto, { chainId, permit2 }: Permit2Domain, permit: PermitSingle): Hex {
  const words = encodePermit(permit)
  const hash = (digits: string): string => crypto.keccak256(hexToBytes(`0x${digits}`)).slice(2)
  const type = (text: string): string => crypto.keccakText(text).slice(2)
  const domain = hash(type(DOMAIN_TYPE) + type('Permit2') + size(chainId) + addressWord(permit2))
  const details = hash(type(DETAILS_TYPE) + words.slice(0, 256))
  const single = hash(type(SINGLE_TYPE) + details + words.slice(256))
  return `0x${hash(`1901${domain}${single}`)}`
}

/** Six words, as both the router and Permit2 take them. */
export function encodePermit({ details, spender, sigDeadline }: PermitSingle): string {
  return (
    addressWord(details.token) +
    uint(details.amount, MAX_UINT160) +
    uintOfNumber(details.expiration, MAX_UINT48) +
    uintOfNumber(details.nonce, MAX_UINT48) +
    addressWord(spender) +
    uint(sigDeadline)
  )
}
