import type { Address, Execution, Hex } from '@pit/chain'

/** A call of the wallet as the co-signer decoded it. */
export interface Trade {
  kind: 'router' | 'curve'
  tokenIn: Address
  tokenOut: Address
  /** Input amount that leaves the wallet, fee included. */
  amountIn: bigint
  /** Minimum output the wallet receives, after the fee. */
  amountOutMin: bigint
  /** The ETH the call must carry. */
  valueWei: bigint
  /** Null if the call has none: its leaf expires. */
  deadlineS: bigint | null
  fee: TradeFee | null
  /** Who receives the output; must be the wallet. */
  recipient: Address | 'wallet'
  hasPermit: boolean
  /** Tokens between the two ends. */
  between: readonly Address[]
  /** Hooks of v4 pools on the way. */
  hooks: readonly Address[]
  /**
   * Whether a v2 pool pays the wallet directly: its minimum then also counts other transfers to the wallet.
   */
  countsWallet: boolean
}

export interface TradeFee {
  side: 'input' | 'output'
  recipient: Address
  /** Whether this is the fee at a rate. */
  isOf(bps: number): boolean
}

/** A call the co-signer cannot read, and why. */
export interface Unread {
  rule: 'SESSION_TARGET' | 'SESSION_EXECUTION' | 'SESSION_CURVE_STEPS'
  fault: string
}

/** The signed order that a trade carries out; see `OrderUse`. */
export interface RequestedOrder {
  id: Hex
  part: number
  rounds: readonly bigint[]
}

/** A request to co-sign a trade. */
export interface CosignRequest {
  rootHash: Hex
  execution: Execution
  curveFeeWei: bigint | null
  /** The fee and slippage the server declares; checked against the binding. */
  feeBps: number | undefined
  slippageBps: number | undefined
  sequence: number | undefined
  callNonce: string
  /** A repeated request with the same id returns the same leaf. */
  clientId?: string | undefined
  order?: RequestedOrder | undefined
}
