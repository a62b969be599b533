import { sha256, stringToBytes } from 'viem'
import type { Hex } from './types.ts'

/** Node's SHA-256 is several times as fast; a browser has none that answers at once. */
const native = globalThis.process?.getBuiltinModule?.('node:crypto')

export const sha256Hex = (text: string): Hex =>
  native ? `0x${native.createHash('sha256').update(text).digest('hex')}` : sha256(stringToBytes(text))
