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
  /** Only its head: time and base fee of the simulated block. */
  market: Pick<Market, 'head'>
  randomBytes(size: number): Uint8Array
  /** Tokens measured by logs, and when logs are used again after they were inconclusive. */
  logs: { readonly tokens: ReadonlySet<Address>; notBeforeMs: number }
  /** For all requests of one call together; then RPC_UNAVAILABLE. */
  timeoutMs: number
}

export interface SimulateParams {
  /** Receives the output; every transaction names its own sender. */
  wallet: Address
  transactions: readonly { kind: StepKind; tx: PlanTx }[]
  /** All zero for ETH, here and below. */
  tokenIn: Address
  tokenOut: Address
  amountIn: bigint
  fee: { token: Address; recipient: Address }
  amountOutMin: bigint
  /** auto: uses the wallet's own balance if it holds the input, else a lent one. */
  fund: 'auto' | boolean
  holdsInput: boolean
  /**
   * In place: unlimited allowances of the input exist before the first transaction. Taken back: none exist,
   * regardless of the wallet's approvals.
   */
  approvals: 'as planned' | 'in place' | 'taken back'
  /** Signer of the plan's permit; anybody: a placeholder signature is accepted. */
  permitSigner?: 'wallet' | 'anybody'
  /** The block to run on; the newest by default. */
  block?: number
  /**
   * Spenders of the input by plain ERC-20 allowance, if approvals are in place. By default the contracts called
   * by the swaps, except the router, which uses Permit2.
   */
  spenders?: readonly Address[]
}

export const isEth = (token: Address): boolean => token === NATIVE_TOKEN
/** Gas for a read of a possibly hostile token; beyond it the value counts as unread. */
export const READING_GAS = 3_000_000
