import type { Address, Hex } from '@pit/chain'
import type { Answer, BodyInput } from '@pit/protocol'
import type { RouteReading } from '../own/impact.ts'
import type { OwnMarket } from '../own/market.ts'
import type { OwnMarks } from '../own/marks.ts'
import type { Sale } from '../own/saleBack.ts'
import type { Trial } from '../own/trial.ts'
import type { Pins } from '../pins.ts'

/** A plan for a trade; live/prepare answers a revocation too, which is verified apart. */
export type Plan = Extract<Answer<'live.prepare'>, { amount_out_min: string }>
export type TradeAsk = Omit<Extract<BodyInput<'live.prepare'>, { token_in: string }>, 'wallet'>

/** Everything a plan is judged by: what was asked, what was answered, and what the client read itself. */
export interface PlanFacts {
  pins: Pins
  wallet: Address
  ask: TradeAsk
  /** The two ends as the client resolved them, native ETH as the all-zero address. */
  tokenIn: Address
  tokenOut: Address
  plan: Plan
  nowS: number
}

/** What the client read from its own node for a plan whose calldata passed. */
export interface OwnReading {
  marks: OwnMarks
  market: OwnMarket
  /** The planned route; null for two pinned tokens, or if the node cannot quote it. */
  route: RouteReading | null
  /** The plan's own transactions, tried on the client's node. */
  trial: Trial
  /** Of a bought token outside the pins; null if nothing was simulated. */
  sale: Sale | null
  /** Of the pools on the route whose hook sets the fee; null if unread. */
  dynamicFeesPips: readonly (number | null)[]
  standsOnBeacon(token: Address): boolean
  /** Of the wallet, pending transactions counted. */
  nonce: number
  baseFeeWei: bigint
  etherWei: bigint
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
