import type { Address, Hex } from '../bytes/hex.ts'

export interface StockCall {
  to: Address
  data: Hex
}

/** How an issuer's stock tokens are asked. The beacon is the profile's. */
export interface StockIssuer {
  /** Whether transfers and approvals are stopped, of the token or of all. */
  pausedCall(token: Address): StockCall
  /** Whether the issuer holds the token's feed still, as in a corporate action. */
  oraclePausedCall(token: Address): StockCall
  /** Whether an address may not touch any stock token: as holder, pool, router or spender. */
  blockedCall(beacon: Address, who: Address): StockCall
  multiplierCalls(token: Address): readonly StockCall[]
  /** The multipliers from the results of `multiplierCalls`; null if unreadable. */
  multiplierIn(answers: readonly (Hex | null)[]): StockMultiplier | null
}

/** Shares for one token times 10^18. The next one takes effect by the clock, without a log. */
export interface StockMultiplier {
  currentE18: bigint
  nextE18: bigint
  /** 0 where no change was ever announced. */
  effectiveAtS: number
}

export const multiplierAt = ({ currentE18, nextE18, effectiveAtS }: StockMultiplier, atS: number): bigint =>
  effectiveAtS > 0 && atS >= effectiveAtS ? nextE18 : currentE18
