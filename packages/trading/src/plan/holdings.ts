import { type Address, NATIVE } from '@pit/chain'
import type { MissingKind } from '@pit/protocol'
import type { PlanStep } from '../types.ts'
import { isEth } from './addresses.ts'
import type { Planned } from './planTrade.ts'

/** Something that is required to send a plan. */
export interface Missing {
  what: MissingKind
  token: Address
  /** Null for a signature, here and below. */
  have: bigint | null
  need: bigint | null
}

/** Maximum ETH for all transactions: their value, and all gas at the maximum fee. */
export const maxWei = (steps: readonly Pick<PlanStep, 'tx'>[]): bigint =>
  steps.reduce((sum, { tx }) => (tx ? sum + tx.valueWei + BigInt(tx.gas) * tx.maxFeePerGasWei : sum), 0n)

const missingIf = (what: MissingKind, token: Address, have: bigint, need: bigint): Missing[] =>
  have < need ? [{ what, token, have, need }] : []

export const missingEth = (have: bigint, need: bigint): Missing[] => missingIf('eth', NATIVE, have, need)

/** Balances the wallet lacks for the plan: the input, a separate fee, value and gas. */
export function fundsMissing(
  { request: { quote, wallet }, plan, feeBalance }: Planned,
  steps: readonly PlanStep[] = plan.steps,
): Missing[] {
  const { tokenIn, amountIn, fee } = quote
  // A batch transaction carries no value, but its calls spend the wallet's ETH.
  const inBatch = plan.execution === 'batch' && isEth(tokenIn.address) ? amountIn : 0n
  return [
    ...(isEth(tokenIn.address) ? [] : missingIf('input', tokenIn.address, wallet.balanceIn, amountIn)),
    ...(feeBalance === null ? [] : missingIf('fee', fee.token, feeBalance, plan.feeAmount ?? 0n)),
    ...missingEth(wallet.balanceWei, maxWei(steps) + inBatch),
  ]
}

/** Everything that prevents a plan from being ready. */
export function missingOf(planned: Planned, steps = planned.plan.steps): Missing[] {
  const { plan, request } = planned
  const token = request.quote.tokenIn.address
  const unsigned: Missing = { what: 'permit_signature', token, have: null, need: null }
  return [...(plan.complete ? [] : [unsigned]), ...fundsMissing(planned, steps)]
}

export const missingJson = ({ what, token, have, need }: Missing) => ({
  what,
  token,
  have: have === null ? null : have.toString(),
  need: need === null ? null : need.toString(),
})
