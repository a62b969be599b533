import type { Address, Execution, Hex } from '@pit/chain'

/** What a call of the wallet does, as the co-signer decoded it. */
export interface Trade {
  kind: 'router' | 'curve'
  tokenIn: Address
  tokenOut: Address
  /** What leaves the wallet of the input, fee included. */
  amountIn: bigint
  /** The least the wallet receives of the output, after the fee. */
  amountOutMin: bigint
  /** The ETH the call must carry. */
  valueWei: bigint
  /** Null where the call has none: its leaf ends by itself. */
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
  /** Whether this is the fee of such a rate. */
  isOf(bps: number): boolean
}

/** A call the co-signer does not read, and why. */
export interface Unread {
  rule: 'SESSION_TARGET' | 'SESSION_EXECUTION' | 'SESSION_CURVE_STEPS'
  fault: string
}

/** What is asked of the co-signer. */
export interface CosignRequest {
  rootHash: Hex
  execution: Execution
  curveFeeWei: bigint | null
  /** The fee and slippage the server declares; checked against the binding. */
  feeBps: number | undefined
  slippageBps: number | undefined
  sequence: number | undefined
  callNonce: string
  /** Asked for again under the same name, the same leaf is answered again. */
  clientId?: string | undefined
}
