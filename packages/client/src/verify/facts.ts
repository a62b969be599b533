import type { Address, Hex } from '@pit/chain'
import type { Answer, BodyInput } from '@pit/protocol'
import type { Pins } from '../pins.ts'

/**
 * A plan for a trade; live/prepare answers a revocation too, which is verified apart.
 * @public
 */
export type Plan = Extract<Answer<'live.prepare'>, { amount_out_min: string }>
/**
 * Request of `trade`: tokens, one size, and terms.
 * @public
 */
export type TradeParams = Omit<Extract<BodyInput<'live.prepare'>, { token_in: string }>, 'wallet'>

/** Everything a plan is judged by: what was asked, what was answered, and what the client read itself. */
export interface PlanFacts {
  pins: Pins
  wallet: Address
  request: TradeParams
  /** The two ends as the client resolved them, native ETH as the all-zero address. */
  tokenIn: Address
  tokenOut: Address
  plan: Plan
  nowS: number
}

export interface UnsignedStep {
  to: Address
  value: bigint
  data: Hex
}

export const stepOf = ({ to, value, data }: { to: string; value: string; data: string }): UnsignedStep => ({
  to: to.toLowerCase() as Address,
  value: BigInt(value),
  data: data.toLowerCase() as Hex,
})
