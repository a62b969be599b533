import type { Address, Crypto } from '@pit/chain'
import type { Market } from '@pit/market'
import type { Clock } from '@pit/platform/clock'
import type { Rpc } from '@pit/platform/rpc'
import { type ChainProfile, NATIVE_TOKEN } from '@pit/protocol'
import type { PlanTx, StepKind } from '../types.ts'

export interface SimulatorDeps {
  rpc: Pick<Rpc, 'request' | 'batch'>
  crypto: Crypto
  profile: Pick<ChainProfile, 'chain_id' | 'contracts' | 'core_tokens' | 'limits' | 'stocks'>
  clock: Clock
  /** Only its head: the time and base fee a simulated block is given. */
  market: Pick<Market, 'head'>
  randomBytes(size: number): Uint8Array
  /** Tokens whose logs tell what moved, and from when on they are asked again after they did not. */
  logs: { readonly tokens: ReadonlySet<Address>; notBeforeMs: number }
  /** For one answer, all its requests together; then RPC_UNAVAILABLE. */
  timeoutMs: number
}

export interface SimulateParams {
  /** Who receives the output; every transaction names its own sender. */
  wallet: Address
  transactions: readonly { kind: StepKind; tx: PlanTx }[]
  /** All zero for ETH, here and below. */
  tokenIn: Address
  tokenOut: Address
  amountIn: bigint
  fee: { token: Address; recipient: Address }
  amountOutMin: bigint
  /** auto: the wallet's own balance when it holds the input, else a lent one. */
  fund: 'auto' | boolean
  holdsInput: boolean
  /**
   * In place: unlimited allowances of the input stand before the first transaction. Taken back: none does,
   * whatever the wallet approved.
   */
  approvals: 'as planned' | 'in place' | 'taken back'
  /** Whose signature a permit in the plan has; anybody: it is none, and is taken all the same. */
  permitSigner?: 'wallet' | 'anybody'
  /** The block it stands on; the newest when absent. */
  block?: number
  /**
   * Who takes the input by a plain ERC-20 allowance, when approvals are in place. By default the contracts
   * that the swaps call, but for the router: it takes by Permit2.
   */
  spenders?: readonly Address[]
}

export const isEth = (token: Address): boolean => token === NATIVE_TOKEN
export { lowerAddress as lower } from '@pit/chain'
/** What answers of a hostile token may cost: past it they count as unread. */
export const READING_GAS = 3_000_000
