import { bytesToHexDigits, type Hex, hexToBytes } from '../bytes/hex.ts'

/** An ECDSA signature with its parts as 32-byte hex. */
export type Signature = { r: Hex; s: Hex; yParity: 0 | 1 }

export const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const ORDER_BYTES = hexToBytes(`0x${CURVE_ORDER.toString(16)}`)
const HALF_ORDER_BYTES = hexToBytes(`0x${(CURVE_ORDER >> 1n).toString(16).padStart(64, '0')}`)

/**
 * r and s back to back, with the parity; undefined unless 65 bytes, v of 0, 1, 27 or 28, and r and s in
 * range.
 */
export function splitSignature(signature: Uint8Array): { rs: Uint8Array; yParity: 0 | 1 } | undefined {
  if (signature.length !== 65) return undefined
  const v = signature[64] as number
  const yParity = v === 0 || v === 27 ? 0 : v === 1 || v === 28 ? 1 : undefined
  if (yParity === undefined) return undefined
  const rs = signature.subarray(0, 64)
  return isScalar(rs, 0) && isScalar(rs, 32) ? { rs, yParity } : undefined
}

/** Whether the 32 bytes at `start` are between 1 and the curve's order less one. */
export function isScalar(bytes: Uint8Array, start: number): boolean {
  let any = 0
  for (let i = start; i < start + 32; i++) any |= bytes[i] as number
  return any !== 0 && compareAt(bytes, start, ORDER_BYTES) < 0
}

/** Whether s, the second half of `rs`, is in the lower half of the order (EIP-2). */
export function isLowS(rs: Uint8Array): boolean {
  return compareAt(rs, 32, HALF_ORDER_BYTES) <= 0
}

/** The 65 bytes wallets and contracts pass around: r, s and v of 27 or 28. */
export function serializeSignature({ r, s, yParity }: Signature): Hex {
  return `0x${r.slice(2)}${s.slice(2)}${yParity === 1 ? '1c' : '1b'}`
}

export function toSignature(rs: Uint8Array, yParity: 0 | 1): Signature {
  return { r: `0x${bytesToHexDigits(rs, 0, 32)}`, s: `0x${bytesToHexDigits(rs, 32, 64)}`, yParity }
}

function compareAt(bytes: Uint8Array, start: number, limit: Uint8Array): number {
  for (let i = 0; i < 32; i++) {
    const difference = (bytes[start + i] as number) - (limit[i] as number)
    if (difference !== 0) return difference
  }
  return 0
}
