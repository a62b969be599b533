import type { Address } from '@pit/chain'
import type { PlanSimulation } from '../types.ts'
import { isEth, lower, type SimulateAsk } from './deps.ts'
import type { RanPlan } from './runPlan.ts'

/** What a run amounts to, from balances: no log of a token is taken at its word. */
export function judgeRun(ask: SimulateAsk, ran: RanPlan): PlanSimulation {
  const failed = ran.transactions.find(({ ok }) => !ok)
  const delivered = received(ran, 'output', gasWeiOf(ask, ran, ask.wallet, ask.tokenOut))
  const error = errorOf(ask, ran, delivered)
  return {
    ok: error === null,
    block: ran.block,
    amountOut: failed ? null : delivered,
    feeTransfer: feeReceived(ask, ran),
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

function feeReceived(ask: SimulateAsk, ran: RanPlan): bigint | null {
  const { recipient, token } = ask.fee
  // Of an account that pays the fee to itself no balance tells how much it was.
  if (lower(recipient) === ask.wallet) return null
  return received(ran, 'fee', gasWeiOf(ask, ran, lower(recipient), token))
}

/** What came in, were it not for gas; a balance that shrank received nothing. */
function received({ before, after }: RanPlan, what: 'output' | 'fee', gasWei: bigint): bigint | null {
  if (before[what] === null || after[what] === null) return null
  const change = after[what] + gasWei - before[what]
  return change > 0n ? change : 0n
}

/** What gas alone took from an account's ETH: it pays the base fee, and no tip. */
function gasWeiOf(ask: SimulateAsk, ran: RanPlan, account: Address, token: Address): bigint {
  if (!isEth(token)) return 0n
  return ask.transactions.reduce(
    (sum, { tx }, i) =>
      tx.from === account ? sum + BigInt(ran.transactions[i]!.gasUsed) * ran.baseFeeWei : sum,
    0n,
  )
}
