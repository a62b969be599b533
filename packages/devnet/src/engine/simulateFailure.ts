import type { Hex } from './types.ts'

/** The codes of eth_simulateV1 in the execution APIs. */
export const SIMULATE_CODE = {
  reverted: 3,
  invalidParams: -32602,
  vmError: -32015,
  nonceTooLow: -38010,
  nonceTooHigh: -38011,
  feeCapTooLow: -38012,
  intrinsicGas: -38013,
  insufficientFunds: -38014,
  blockGasLimit: -38015,
  blockNumberOrder: -38020,
  blockTimeOrder: -38021,
  initCodeTooLarge: -38025,
  clientLimit: -38026,
} as const

const ERROR_STRING = '0x08c379a0'

/** A node's message for a revert: with the reason if it is Solidity's Error(string). */
export function revertMessage(data: Hex): string {
  const reason = errorString(data)
  return reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
}

function errorString(data: Hex): string | undefined {
  if (!data.startsWith(ERROR_STRING)) return undefined
  const body = Buffer.from(data.slice(ERROR_STRING.length), 'hex')
  const offset = wordAt(body, 0)
  if (offset === undefined) return undefined
  const length = wordAt(body, offset)
  if (length === undefined || offset + 32 + length > body.length) return undefined
  return body.toString('utf8', offset + 32, offset + 32 + length)
}

/** A small ABI word; undefined if truncated or not a plausible length. */
function wordAt(body: Buffer, offset: number): number | undefined {
  if (offset + 32 > body.length) return undefined
  const value = BigInt(`0x${body.toString('hex', offset, offset + 32)}`)
  return value > 1_000_000n ? undefined : Number(value)
}
