import { type Address, bytesToHexDigits } from '../bytes/hex.ts'

type Keccak = (bytes: Uint8Array) => Uint8Array

const decoder = new TextDecoder()
const SHAPE = /^0x[0-9a-fA-F]{40}$/

export function sameAddress(a: Address, b: Address): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase()
}

/** Sorting order of the pools: by number, which for lower-case hex of one length is by text. */
export function sortsBefore(a: Address, b: Address): boolean {
  return a.toLowerCase() < b.toLowerCase()
}

/** EIP-55. */
export function toChecksum(keccak: Keccak, address: Address): Address {
  const lower = address.toLowerCase()
  const codes = new Uint8Array(40)
  for (let i = 0; i < 40; i++) codes[i] = lower.charCodeAt(i + 2)
  const hash = keccak(codes)
  for (let i = 0; i < 40; i++) {
    const nibble = i & 1 ? (hash[i >> 1] as number) & 15 : (hash[i >> 1] as number) >> 4
    const code = codes[i] as number
    // A letter becomes its capital, 32 codes before it.
    if (nibble >= 8 && code > 96) codes[i] = code - 32
  }
  return `0x${decoder.decode(codes)}`
}

/** Lower-cased address of a text: all one case is taken as is, mixed case only with its right checksum. */
export function parseAddress(keccak: Keccak, text: string): Address | undefined {
  if (!SHAPE.test(text)) return undefined
  const digits = text.slice(2)
  const lower = `0x${digits.toLowerCase()}` as Address
  if (text === lower || digits === digits.toUpperCase()) return lower
  return toChecksum(keccak, lower) === text ? lower : undefined
}

/** The last 20 bytes of the hash of an uncompressed key's 64 coordinate bytes. */
export function publicKeyToAddress(keccak: Keccak, publicKey: Uint8Array): Address {
  if (publicKey.length !== 65 || publicKey[0] !== 4)
    throw new TypeError('expected an uncompressed public key')
  return `0x${bytesToHexDigits(keccak(publicKey.subarray(1)), 12, 32)}`
}
