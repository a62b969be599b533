import type { Address } from '@pit/chain'
import { type AccountOverride, NotRunnable } from '@pit/platform/reads'
import { fail, lower } from '@pit/protocol'
import type { PlanSimulation } from '../types.ts'
import { isEth, type SimulateParams, type SimulatorDeps } from './deps.ts'
import type { Lender } from './lendToken.ts'
import { type RanPlan, runPlan } from './runPlan.ts'

type Deps = SimulatorDeps & { lender: Lender }

/** Added to what the transactions spend; a trade does not depend on the surplus. */
const LENT_WEI = 1_000n * 10n ** 18n

/**
 * Runs exactly the plan's transactions and reports how they ended and what they moved. Refuses
 * DRY_RUN_UNFUNDABLE if a token has to be lent and cannot be, RPC_UNAVAILABLE without a usable response from
 * the node; a failing plan is a result.
 */
export async function simulatePlan(deps: Deps, request: SimulateParams): Promise<PlanSimulation> {
  const lends = request.fund === true || (request.fund === 'auto' && !request.holdsInput)
  try {
    if (!lends) return judgeRun(request, await runPlan(deps, request, {}))
    if (isEth(request.tokenIn)) return judgeRun(request, await runPlan(deps, request, lentEth(request)))
    return await simulateOnLoan(deps, request)
  } catch (error) {
    if (error instanceof NotRunnable) return notRun(deps, request, { lends, why: error.message })
    throw error
  }
}

/** A proxy may move its balances to another slot: if a loan does not show, the slot is searched again. */
async function simulateOnLoan(deps: Deps, request: SimulateParams): Promise<PlanSimulation> {
  const { lender } = deps
  for (let tries = 0; tries < 2; tries++) {
    const loan = await lender.lend(request.tokenIn, request.wallet, request.amountIn)
    if (loan === null) break
    const token = { words: { [loan.slot]: loan.word } }
    const ran = await runPlan(deps, request, { ...lentEth(request), [request.tokenIn]: token })
    if (loan.holds(ran.inputHeld)) return judgeRun(request, ran)
    lender.forget(request.tokenIn)
  }
  return fail('DRY_RUN_UNFUNDABLE', {
    message:
      'This token’s balance cannot be lent to the simulation. Use fund: false from a wallet that holds it, ' +
      'or trade a small real amount.',
  })
}

/** Every sender can pay for its value and its gas limits. */
function lentEth({
  wallet,
  transactions,
  tokenIn,
  amountIn,
}: SimulateParams): Record<Address, AccountOverride> {
  // A batch transaction has no value: the wallet spends its own ETH in the calls.
  const lent = new Map([[wallet, LENT_WEI + (isEth(tokenIn) ? amountIn : 0n)]])
  for (const { tx } of transactions) {
    const spent = tx.valueWei + BigInt(tx.gas) * tx.maxFeePerGasWei
    lent.set(tx.from, (lent.get(tx.from) ?? LENT_WEI) + spent)
  }
  return Object.fromEntries([...lent].map(([account, balanceWei]) => [account, { balanceWei }]))
}

/** No block could contain the plan. The node does not report which transaction is at fault. */
const notRun = (
  { market }: Deps,
  request: SimulateParams,
  { lends, why }: { lends: boolean; why: string },
): PlanSimulation => ({
  ok: false,
  block: market.head()?.number ?? 0,
  amountOut: null,
  feeTransfer: null,
  gasTotal: null,
  fundedByOverrides: lends,
  transactions: request.transactions.map(({ kind }) => ({
    kind,
    ok: false,
    gasUsed: 0,
    error: why,
    logs: [],
  })),
  error: why,
})

/** Evaluates a run. */
function judgeRun(request: SimulateParams, ran: RanPlan): PlanSimulation {
  const failed = ran.transactions.find(({ ok }) => !ok)
  const delivered = atLeastNothing(ran.received.output)
  const error = errorOf(request, ran, delivered)
  return {
    ok: error === null,
    block: ran.block,
    amountOut: failed ? null : delivered,
    // A fee that an account pays to itself cannot be measured.
    feeTransfer: lower(request.fee.recipient) === request.wallet ? null : atLeastNothing(ran.received.fee),
    gasTotal: ran.transactions.reduce((sum, { gasUsed }) => sum + gasUsed, 0),
    fundedByOverrides: ran.lent,
    transactions: ran.transactions,
    error,
  }
}

function errorOf(request: SimulateParams, ran: RanPlan, delivered: bigint | null): string | null {
  const failed = ran.transactions.find(({ ok }) => !ok)
  if (failed) {
    const before = ran.unapproved.map((why) => `a required approval failed: ${why}`)
    return [`${failed.kind}: ${failed.error}`, ...before].join('; ')
  }
  if (delivered === null) return 'the wallet’s balance of the output cannot be read'
  if (delivered < request.amountOutMin)
    return `it delivers ${delivered} atoms, less than the minimum of ${request.amountOutMin}`
  return null
}

/** A negative net means nothing was received. */
const atLeastNothing = (net: bigint | null): bigint | null => (net !== null && net < 0n ? 0n : net)
