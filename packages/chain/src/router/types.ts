import type { Address, Hex } from '../bytes/hex.ts'

/**
 * Which release of the Universal Router is deployed. They take different words: 2.1.1 added a price floor per
 * hop to every swap, 2.1.2 takes the same. Pit sets no such floors; the minimum of the whole trade guards it.
 */
export type RouterLayout = '2.1.0' | '2.1.1' | '2.1.2'

/** Tokens in order, and the fee of the pool between each two. */
export type V3Path = { tokens: readonly Address[]; fees: readonly number[] }

/** Identifies a v4 pool. Native ETH is the all-zero address. */
export type PoolKey = {
  currency0: Address
  currency1: Address
  fee: number
  tickSpacing: number
  hooks: Address
}
/** One hop of a v4 path: the pool between the currency before and this one. */
export type PathKey = {
  intermediateCurrency: Address
  fee: number
  tickSpacing: number
  hooks: Address
  hookData: Hex
}

export type PermitSingle = {
  details: { token: Address; amount: bigint; expiration: number; nonce: number }
  spender: Address
  sigDeadline: bigint
}

export type V4Action =
  | {
      action: 'SWAP_EXACT_IN_SINGLE'
      poolKey: PoolKey
      zeroForOne: boolean
      amountIn: bigint
      amountOutMin: bigint
      hookData: Hex
    }
  | {
      action: 'SWAP_EXACT_IN'
      currencyIn: Address
      path: readonly PathKey[]
      amountIn: bigint
      amountOutMin: bigint
    }
  | { action: 'SETTLE'; currency: Address; amount: bigint; payerIsUser: boolean }
  | { action: 'SETTLE_ALL'; currency: Address; amountMax: bigint }
  | { action: 'TAKE'; currency: Address; recipient: Address; amount: bigint }
  | { action: 'TAKE_ALL'; currency: Address; amountMin: bigint }
  | { action: 'TAKE_PORTION'; currency: Address; recipient: Address; bips: bigint }

export type RouterCommand =
  | {
      command: 'V3_SWAP_EXACT_IN'
      recipient: Address
      amountIn: bigint
      amountOutMin: bigint
      path: V3Path
      payerIsUser: boolean
    }
  | {
      command: 'V2_SWAP_EXACT_IN'
      recipient: Address
      amountIn: bigint
      amountOutMin: bigint
      path: readonly Address[]
      payerIsUser: boolean
    }
  | { command: 'V4_SWAP'; actions: readonly V4Action[] }
  | { command: 'PERMIT2_PERMIT'; permit: PermitSingle; signature: Hex }
  | { command: 'PERMIT2_TRANSFER_FROM'; token: Address; recipient: Address; amount: bigint }
  | { command: 'SWEEP'; token: Address; recipient: Address; amountMin: bigint }
  | { command: 'TRANSFER'; token: Address; recipient: Address; amount: bigint }
  | { command: 'PAY_PORTION'; token: Address; recipient: Address; bips: bigint }
  | { command: 'WRAP_ETH'; recipient: Address; amount: bigint }
  | { command: 'UNWRAP_WETH'; recipient: Address; amountMin: bigint }

/** A call of `execute`, with its deadline (seconds) or in the form without one. */
export type RouterCall = { commands: readonly RouterCommand[]; deadlineS: bigint | undefined }
