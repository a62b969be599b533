import { isDeepStrictEqual } from 'node:util'
import { fail, SIMULATION_GAS_CEILING } from '@pit/protocol'
import type { SimulateAsk, Simulator } from '../simulate/index.ts'
import type { Check, PlanSimulation, PlanStep, PlanTx, TradePlan } from '../types.ts'
import { holdsAll, maxWei } from './holdings.ts'
import type { Planned } from './planTrade.ts'
import { limitFromUse, swapLimitFromUse } from './steps.ts'

export interface SimulateTerms {
  fund: 'auto' | boolean
  /** In place: what a wallet would have approved long before. */
  approvals: 'as planned' | 'in place'
}

/** Room for what an estimate did not see; what it really uses is what is answered. */
const ROOM = 3

/** Simulates exactly the plan's transactions, in order. */
export const simulatePlanned = (
  simulator: Pick<Simulator, 'simulatePlan'>,
  planned: Planned,
  terms: SimulateTerms,
): Promise<PlanSimulation> => simulator.simulatePlan(simulateAskOf(planned, terms))

/** A simulation begun ahead of what it is for. */
export interface Trial {
  /** Its result, where that plan is of the same transactions from the same means: nonces are not held to. */
  resultFor(planned: Planned): Promise<PlanSimulation> | undefined
}

export function tryAhead(
  simulator: Pick<Simulator, 'simulatePlan'>,
  guess: Planned,
  terms: SimulateTerms,
): Trial {
  const tried = simulateAskOf(guess, terms)
  const simulation = simulator.simulatePlan(tried)
  // Where nobody takes it, nobody hears of its failure either.
  simulation.catch(() => undefined)
  return {
    resultFor: (planned) => (isSameTrial(simulateAskOf(planned, terms), tried) ? simulation : undefined),
  }
}

const isSameTrial = (a: SimulateAsk, b: SimulateAsk): boolean =>
  isDeepStrictEqual(withoutNonces(a), withoutNonces(b))

const withoutNonces = ({ transactions, ...ask }: SimulateAsk) => ({
  ...ask,
  transactions: transactions.map(({ kind, tx: { nonce: _, ...tx } }) => ({ kind, tx })),
})

function simulateAskOf(planned: Planned, { fund, approvals }: SimulateTerms): SimulateAsk {
  const { plan, ask } = planned
  const { quote, wallet } = ask
  const { way } = ask.route
  const lends = fund === true || (fund === 'auto' && !holdsAll(planned))
  const transactions = plan.steps.flatMap(({ kind, tx }) => (tx ? [{ kind, tx }] : []))
  return {
    wallet: wallet.wallet,
    transactions: withRoom(transactions, lends ? null : wallet.balanceWei),
    tokenIn: quote.tokenIn.address,
    tokenOut: quote.tokenOut.address,
    amountIn: quote.amountIn,
    fee: { token: quote.fee.token, recipient: quote.fee.recipient },
    amountOutMin: plan.amountOutMin,
    fund,
    holdsInput: !lends,
    approvals,
    spenders: way.kind === 'curve' ? [way.curve.id] : [],
  }
}

/** Only as far as the wallet could pay: a limit it cannot afford would fail for that alone. */
function withRoom<T extends { tx: PlanTx }>(
  transactions: readonly T[],
  balanceWei: bigint | null,
): readonly T[] {
  const gasOf = ({ gas }: PlanTx) => Math.max(gas, Math.min(gas * ROOM, SIMULATION_GAS_CEILING))
  const roomy = transactions.map((one) => ({ ...one, tx: { ...one.tx, gas: gasOf(one.tx) } }))
  return balanceWei === null || maxWei(roomy) <= balanceWei ? roomy : transactions
}

/** The steps with gas limits from what they used. */
export function withUsedGas(steps: readonly PlanStep[], { transactions }: PlanSimulation): PlanStep[] {
  let next = 0
  return steps.map((step) => {
    if (step.tx === null) return step
    const used = transactions[next++]
    if (!used?.ok) return step
    const limit = step.kind === 'swap' ? swapLimitFromUse : limitFromUse
    return { ...step, tx: { ...step.tx, gas: limit(used.gasUsed) } }
  })
}

export type Judgement = { code: 'SIMULATION_FAILED' | 'QUOTE_SIM_MISMATCH'; message: string }

/**
 * What a simulation says against a plan; null: nothing. Contracts that hold the minimum themselves revert
 * where it is missed: the price moved since the quote, and a fresh plan mends it.
 */
export function judgeSimulation(simulation: PlanSimulation, { amountOutMin }: TradePlan): Judgement | null {
  const { ok, amountOut, error, transactions } = simulation
  if (amountOut !== null && amountOut < amountOutMin) {
    const message = `The simulation delivers ${amountOut}, less than the plan’s minimum of ${amountOutMin}.`
    return { code: 'QUOTE_SIM_MISMATCH', message }
  }
  if (transactions.some(({ tooLittle }) => tooLittle)) {
    const message = `The simulation misses the plan’s minimum of ${amountOutMin}: ${error}.`
    return { code: 'QUOTE_SIM_MISMATCH', message }
  }
  return ok
    ? null
    : { code: 'SIMULATION_FAILED', message: `The simulation failed: ${error ?? 'it reverted'}.` }
}

export function refuseSimulation(simulation: PlanSimulation, plan: TradePlan): void {
  const judgement = judgeSimulation(simulation, plan)
  if (judgement)
    fail(judgement.code, { message: judgement.message, simulation: simulationJson(simulation, plan) })
}

export function simulationJson(simulation: PlanSimulation, plan: TradePlan) {
  const { ok, block, amountOut, feeTransfer, gasTotal, fundedByOverrides, error } = simulation
  return {
    ok,
    amount_out: amountOut === null ? null : amountOut.toString(),
    fee_transfer: feeTransfer === null ? null : feeTransfer.toString(),
    gas_total: gasTotal,
    funded_by_overrides: fundedByOverrides,
    block,
    error,
    checks: checksOf(simulation, plan),
  }
}

function checksOf({ transactions, amountOut, feeTransfer }: PlanSimulation, plan: TradePlan): Check[] {
  const checks: Check[] = transactions.map(({ kind, ok, error, gasUsed }) => ({
    code: kind.toUpperCase(),
    ok,
    message: ok ? `${kind} succeeds.` : `${kind} fails: ${error ?? 'it reverts'}.`,
    value: gasUsed,
  }))
  checks.push({
    code: 'DELIVERED',
    ok: amountOut !== null && amountOut >= plan.amountOutMin,
    message: amountOut === null ? 'Nothing was delivered.' : `${amountOut} atoms of the output arrive.`,
    value: amountOut === null ? null : amountOut.toString(),
    limit: plan.amountOutMin.toString(),
  })
  if (feeTransfer !== null && plan.feeAmount !== null) {
    checks.push({
      code: 'FEE_PAID',
      ok: feeTransfer >= plan.feeAmount,
      message: `The fee recipient receives ${feeTransfer} of ${plan.feeAmount} atoms.`,
      value: feeTransfer.toString(),
      limit: plan.feeAmount.toString(),
    })
  }
  return checks
}
