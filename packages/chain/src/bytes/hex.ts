import type { Hex } from 'viem'

export type { Address, Hex } from 'viem'

const HEX_OF_BYTE: string[] = []
for (let byte = 0; byte < 256; byte++) HEX_OF_BYTE.push(byte.toString(16).padStart(2, '0'))

/** 255 marks a character that is not a hex digit. */
const NIBBLE_OF_CHAR = new Uint8Array(128).fill(255)
for (let n = 0; n < 16; n++) {
  NIBBLE_OF_CHAR[n.toString(16).charCodeAt(0)] = n
  NIBBLE_OF_CHAR[n.toString(16).toUpperCase().charCodeAt(0)] = n
}

/** Node's own decoder is an order faster on long texts; a browser has none and uses the table. */
const nodeBuffer = (globalThis as { Buffer?: typeof Buffer }).Buffer
/** Below this the call into Node costs more than it saves. */
const SHORT_BYTES = 48

/** Bytes of a 0x-prefixed even-length hex text, or undefined when it is not one. */
export function tryHexToBytes(hex: string): Uint8Array | undefined {
  const length = hex.length
  if (length < 2 || length & 1 || hex.charCodeAt(0) !== 48 || hex.charCodeAt(1) !== 120) return undefined
  const size = (length - 2) >> 1
  return nodeBuffer && size > SHORT_BYTES ? decodeByNode(nodeBuffer, hex, size) : decodeByTable(hex, size)
}

function decodeByNode(buffer: typeof Buffer, hex: string, size: number): Uint8Array | undefined {
  // Node stops at the first bad pair, but may take a character past ASCII for its low byte.
  if (buffer.byteLength(hex) !== hex.length) return undefined
  const bytes = new Uint8Array(size)
  return buffer.from(bytes.buffer).write(hex.slice(2), 'hex') === size ? bytes : undefined
}

/** Exported for its test only: on Node long texts go the other way. */
export function decodeByTable(hex: string, size: number): Uint8Array | undefined {
  const bytes = new Uint8Array(size)
  let bad = 0
  for (let i = 0, at = 2; i < size; i++, at += 2) {
    const high = hex.charCodeAt(at)
    const low = hex.charCodeAt(at + 1)
    // A non-ASCII character must not alias a digit once masked.
    bad |= (high | low) & ~127
    const h = NIBBLE_OF_CHAR[high & 127] as number
    const l = NIBBLE_OF_CHAR[low & 127] as number
    bad |= (h | l) & 0xf0
    bytes[i] = (h << 4) | l
  }
  return bad === 0 ? bytes : undefined
}

export function hexToBytes(hex: string): Uint8Array {
  const bytes = tryHexToBytes(hex)
  if (!bytes) throw new TypeError('not a 0x-prefixed hex string of whole bytes')
  return bytes
}

export function bytesToHex(bytes: Uint8Array): Hex {
  return `0x${bytesToHexDigits(bytes, 0, bytes.length)}`
}

/** Hex digits without the prefix. */
export function bytesToHexDigits(bytes: Uint8Array, start: number, end: number): string {
  if (nodeBuffer && end - start > SHORT_BYTES) {
    return nodeBuffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('hex')
  }
  let text = ''
  for (let i = start; i < end; i++) text += HEX_OF_BYTE[bytes[i] as number]
  return text
}

export function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  let different = 0
  for (let i = 0; i < a.length; i++) different |= (a[i] as number) ^ (b[i] as number)
  return different === 0
}
