import type { Address, Hex } from '../bytes/hex.ts'
import { addressWord, arrayTail, bytesDigits, bytesTail, size, uint } from '../router/words.ts'

export type BatchCall = { to: Address; valueWei: bigint; data: Hex }

/** ERC-7579: call type batch, execution type default, so one failing call reverts all. */
const BATCH_REVERTING = `01${'0'.repeat(62)}`
const DELEGATION_CODE = /^0xef0100([0-9a-f]{40})$/i

/** `execute(bytes32 mode, bytes executionCalldata)` of a wallet that is delegated by EIP-7702: it calls itself. */
export function encodeBatch(calls: readonly BatchCall[]): Hex {
  if (calls.length === 0) throw new RangeError('a batch has a call at least')
  const items = calls.map(
    ({ to, valueWei, data }) => addressWord(to) + uint(valueWei) + size(0x60) + bytesTail(bytesDigits(data)),
  )
  const executions = size(0x20) + arrayTail(items)
  return `0xe9ae5c53${(BATCH_REVERTING + size(0x40) + bytesTail(executions)).toLowerCase()}`
}

/** The contract an account's code delegates to by EIP-7702, lower-case; null for any other code or none. */
export function delegationOf(code: Hex): Address | null {
  const digits = DELEGATION_CODE.exec(code)?.[1]
  return digits ? `0x${digits.toLowerCase()}` : null
}
