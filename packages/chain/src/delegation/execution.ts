import { type Address, type Hex, tryHexToBytes } from '../bytes/hex.ts'
import { addressDigits, bytesDigits, uint } from '../bytes/words.ts'
import type { Execution } from './types.ts'

/** ERC-7579's mode of one call that must succeed. */
export const SINGLE_MODE: Hex = `0x${'0'.repeat(64)}`

/** One call, packed: target, value, calldata. Also what ExactExecution compares with. */
export function encodeExecution({ target, valueWei, data }: Execution): Hex {
  return `0x${addressDigits(target)}${uint(valueWei)}${bytesDigits(data)}`.toLowerCase() as Hex
}

/** Undefined unless all three parts are there. */
export function decodeExecution(packed: Hex): Execution | undefined {
  if (packed.length < 2 + 2 * 52 || !tryHexToBytes(packed)) return undefined
  const text = packed.toLowerCase()
  return {
    target: text.slice(0, 42) as Address,
    valueWei: BigInt(`0x${text.slice(42, 106)}`),
    data: `0x${text.slice(106)}`,
  }
}
