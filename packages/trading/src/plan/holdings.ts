import type { PlanStep } from '../types.ts'
import { isEth } from './addresses.ts'
import type { Planned } from './planTrade.ts'

/** The most ETH all transactions together can take: their value and all gas at the maximum fee. */
export const maxWei = (steps: readonly Pick<PlanStep, 'tx'>[]): bigint =>
  steps.reduce((sum, { tx }) => (tx ? sum + tx.valueWei + BigInt(tx.gas) * tx.maxFeePerGasWei : sum), 0n)

/** Whether the wallet holds what the plan spends: the input, a fee apart from it, and gas. */
export function holdsAll({ ask: { quote, wallet }, plan, feeBalance }: Planned, steps = plan.steps): boolean {
  // A batch carries no value: what its calls send is the wallet's all the same.
  const inBatch = plan.execution === 'batch' && isEth(quote.tokenIn.address) ? quote.amountIn : 0n
  if (wallet.balanceWei < maxWei(steps) + inBatch) return false
  if (feeBalance !== null && feeBalance < (plan.feeAmount ?? 0n)) return false
  return isEth(quote.tokenIn.address) || wallet.balanceIn >= quote.amountIn
}
