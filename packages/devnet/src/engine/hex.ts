import type { Hex } from './types.ts'

export const toHex = (value: bigint | number): Hex => `0x${value.toString(16)}`
