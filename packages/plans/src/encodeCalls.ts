import { type Address, type CurveSide, type Hex, launchpadOf } from '@pit/chain'
import {
  addressWord,
  arrayTail,
  bytesDigits,
  bytesTail,
  MAX_UINT48,
  MAX_UINT160,
  size,
  uint,
  uintOfNumber,
} from '@pit/chain/words'
import type { LaunchpadKind } from '@pit/protocol'

export type CurveTrade = {
  launchpad: LaunchpadKind
  side: CurveSide
  /** In the pair token for a buy, in the token for a sell. A buy with ETH sends this value. */
  amountIn: bigint
  amountOutMin: bigint
  recipient: Address
  /** Omitted from the call if the launchpad's curves take no deadline. */
  deadlineS: bigint
}

/** A curve's `buy` or `sell`, in its launchpad's form. */
export function encodeCurveTrade(trade: CurveTrade): Hex {
  const { methods, hasDeadline } = launchpadOf(trade.launchpad)
  const words = uint(trade.amountIn) + uint(trade.amountOutMin) + addressWord(trade.recipient)
  const deadline = hasDeadline ? uint(trade.deadlineS) : ''
  return `${methods[trade.side].selector}${(words + deadline).toLowerCase()}`
}

export type BatchCall = { to: Address; valueWei: bigint; data: Hex }

/** ERC-7579: call type batch, execution type default, so one failing call reverts all. */
const BATCH_REVERTING = `01${'0'.repeat(62)}`

/** `execute(bytes32 mode, bytes executionCalldata)` of a wallet delegated by EIP-7702, which calls itself. */
export function encodeBatch(calls: readonly BatchCall[]): Hex {
  if (calls.length === 0) throw new RangeError('a batch needs at least one call')
  const items = calls.map(
    ({ to, valueWei, data }) => addressWord(to) + uint(valueWei) + size(0x60) + bytesTail(bytesDigits(data)),
  )
  const executions = size(0x20) + arrayTail(items)
  return `0xe9ae5c53${(BATCH_REVERTING + size(0x40) + bytesTail(executions)).toLowerCase()}`
}

export function encodeErc20Approve(spender: Address, amount: bigint): Hex {
  return `0x095ea7b3${(addressWord(spender) + uint(amount)).toLowerCase()}`
}

export function encodeErc20Transfer(to: Address, amount: bigint): Hex {
  return `0xa9059cbb${(addressWord(to) + uint(amount)).toLowerCase()}`
}

/** Permit2's `approve(token, spender, amount, expiration)`, for wallets that approve by transaction. */
export function encodePermit2Approve(approval: {
  token: Address
  spender: Address
  amount: bigint
  expiration: number
}): Hex {
  const { token, spender, amount, expiration } = approval
  const words =
    addressWord(token) +
    addressWord(spender) +
    uint(amount, MAX_UINT160) +
    uintOfNumber(expiration, MAX_UINT48)
  return `0x87517c45${words.toLowerCase()}`
}

/** Permit2's `lockdown`: revokes each spender's allowance of each token. */
export function encodeLockdown(pairs: readonly { token: Address; spender: Address }[]): Hex {
  let words = size(0x20) + size(pairs.length)
  for (const { token, spender } of pairs) words += addressWord(token) + addressWord(spender)
  return `0xcc53287f${words.toLowerCase()}`
}
