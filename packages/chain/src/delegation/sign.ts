import { type Address, bytesToHexDigits, type Hex, tryHexToBytes } from '../bytes/hex.ts'
import type { Bytes, Crypto } from '../crypto/createCrypto.ts'
import { CURVE_ORDER, isLowS, serializeSignature, splitSignature } from '../crypto/signature.ts'
import { delegationDigest } from './hash.ts'
import type { Delegation, DelegationAddresses } from './types.ts'

/**
 * The one form the contracts take: 65 bytes, v of 27 or 28, s in the lower half. Wallets also send v of 0 or
 * 1, and some a high s, which with the other v is the same signature. Undefined for anything else.
 */
export function normalizeSignature(signature: string): Hex | undefined {
  const bytes = tryHexToBytes(signature)
  const parts = bytes && splitSignature(bytes)
  if (!parts) return undefined
  const { rs, yParity } = parts
  const r: Hex = `0x${bytesToHexDigits(rs, 0, 32)}`
  const s: Hex = `0x${bytesToHexDigits(rs, 32, 64)}`
  if (isLowS(rs)) return serializeSignature({ r, s, yParity })
  const low: Hex = `0x${(CURVE_ORDER - BigInt(s)).toString(16).padStart(64, '0')}`
  return serializeSignature({ r, s: low, yParity: yParity === 0 ? 1 : 0 })
}

export function signDelegation(
  crypto: Crypto,
  addresses: DelegationAddresses,
  delegation: Delegation,
  key: Bytes,
): Delegation {
  const signature = serializeSignature(crypto.sign(delegationDigest(crypto, addresses, delegation), key))
  return { ...delegation, signature }
}

/** Who signed it, in lower case; undefined when the signature is none the contracts would take. */
export function delegationSigner(
  crypto: Crypto,
  addresses: DelegationAddresses,
  delegation: Delegation,
): Address | undefined {
  const { signature } = delegation
  if (normalizeSignature(signature) !== signature.toLowerCase()) return undefined
  return crypto.recover(delegationDigest(crypto, addresses, delegation), signature)
}
