import type { Own } from '../own/own.ts'
import type { Plan, TradeParams } from './facts.ts'
import type { OwnReading } from './ownReading.ts'
import type { PlanReading } from './readPlan.ts'
import type { Checked } from './rules.ts'

/**
 * A trade in words, from the bytes to sign and the client's own node. Nothing in it is the server's word.
 * @public
 */
export type TradeReview = Own<{
  rows: readonly { label: string; text: string }[]
  /** The effect of each transaction, in the order they are signed. */
  transactions: readonly string[]
  /** Amounts that others may spend, by whom, and until when. */
  approvals: readonly { amount: string; text: string }[]
  sellsEther: boolean
  /** Unix seconds; null if the call has none. */
  deadlineS: number | null
}>

/** A plan that passed every check, with its request and the data read to check it. */
export interface Verified {
  request: TradeParams
  plan: Plan
  checks: readonly Checked[]
  reading: PlanReading
  own: OwnReading
  /** The text that a person confirms. */
  review: TradeReview
}
