import type { PlanSimulation } from '../types.ts'
import { lower, type SimulateAsk } from './deps.ts'
import type { RanPlan } from './runPlan.ts'

/** What a run amounts to. */
export function judgeRun(ask: SimulateAsk, ran: RanPlan): PlanSimulation {
  const failed = ran.transactions.find(({ ok }) => !ok)
  const delivered = atLeastNothing(ran.received.output)
  const error = errorOf(ask, ran, delivered)
  return {
    ok: error === null,
    block: ran.block,
    amountOut: failed ? null : delivered,
    // Of an account that pays the fee to itself nothing tells how much it was.
    feeTransfer: lower(ask.fee.recipient) === ask.wallet ? null : atLeastNothing(ran.received.fee),
    gasTotal: ran.transactions.reduce((sum, { gasUsed }) => sum + gasUsed, 0),
    fundedByOverrides: ran.lent,
    transactions: ran.transactions,
    error,
  }
}

function errorOf(ask: SimulateAsk, ran: RanPlan, delivered: bigint | null): string | null {
  const failed = ran.transactions.find(({ ok }) => !ok)
  if (failed) {
    const before = ran.unapproved.map((why) => `an approval that was to be in place failed: ${why}`)
    return [`${failed.kind}: ${failed.error}`, ...before].join('; ')
  }
  if (delivered === null) return 'what the wallet holds of the output cannot be read'
  if (delivered < ask.amountOutMin)
    return `it delivers ${delivered}, less than the minimum of ${ask.amountOutMin}`
  return null
}

/** An account that has less than before received nothing. */
const atLeastNothing = (net: bigint | null): bigint | null => (net !== null && net < 0n ? 0n : net)
