import type { Address, Execution, Hex } from '@pit/chain'

/** What a call of the wallet does, as the co-signer decoded it. */
export interface Trade {
  kind: 'router' | 'curve'
  tokenIn: Address
  tokenOut: Address
  /** All that leaves the wallet of the input, a fee of it included. */
  amountIn: bigint
  /** The least that is left to the wallet of the output, after a fee of it. */
  amountOutMin: bigint
  /** What the call must carry. */
  valueWei: bigint
  deadlineS: bigint
  fee: TradeFee | null
  /** Who is paid besides the fee's recipient; the wallet, when all is well. */
  recipient: Address | 'wallet'
  hasPermit: boolean
  /** Tokens on the way that are neither end. */
  between: readonly Address[]
  /** Hooks of v4 pools on the way. */
  hooks: readonly Address[]
  /** Whether a v2 pool pays the wallet itself: its minimum then counts whatever else reaches the wallet meanwhile. */
  countsWallet: boolean
}

export interface TradeFee {
  side: 'input' | 'output'
  recipient: Address
  /** Whether this is the fee of such a rate. */
  isOf(bps: number): boolean
}

/** A call that is none, with why. */
export interface Unread {
  rule: 'SESSION_TARGET' | 'SESSION_EXECUTION' | 'SESSION_CURVE_STEPS'
  fault: string
}

/** What is asked of the co-signer. */
export interface CosignRequest {
  rootHash: Hex
  execution: Execution
  curveFeeWei: bigint | null
  /** What the server says it charges and tolerates; held against the binding, never believed. */
  feeBps: number | undefined
  slippageBps: number | undefined
  sequence: number | undefined
  callNonce: string
}
