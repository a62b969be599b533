import { isDeepStrictEqual } from 'node:util'
import { fail, feeOf } from '@pit/protocol'
import type { SimulateParams, Simulator } from '../simulate/index.ts'
import type { Check, PlanSimulation, PlanStep, PlanTx, TradePlan } from '../types.ts'
import { fundsMissing, maxWei } from './holdings.ts'
import { type Judgement, judgeSimulation } from './judgeSimulation.ts'
import type { Planned } from './planTrade.ts'
import { limitFromUse, swapLimitFromUse } from './steps.ts'

export interface SimulateTerms extends Pick<SimulateParams, 'approvals' | 'permitSigner'> {
  fund: 'auto' | boolean
}

/** Multiple of the estimated gas that a simulation may use; the response reports actual use. */
const ROOM = 3

/** Simulates exactly the plan's transactions, in order. */
export const simulatePlanned = (
  simulator: Pick<Simulator, 'simulatePlan' | 'gasCeiling'>,
  planned: Planned,
  terms: SimulateTerms,
): Promise<PlanSimulation> => simulator.simulatePlan(simulateParamsOf(simulator, planned, terms))

/** Simulates and checks; reuses a speculative simulation of an identical plan. */
export async function tryPlanned(
  simulator: Pick<Simulator, 'simulatePlan' | 'gasCeiling'>,
  planned: Planned,
  terms: SimulateTerms,
  trial?: Trial,
): Promise<{ simulation: PlanSimulation; judgement: Judgement | null }> {
  const request = simulateParamsOf(simulator, planned, terms)
  const simulation = await (trial?.resultFor(planned) ?? simulator.simulatePlan(request))
  const { plan } = planned
  return { simulation, judgement: await judgeSimulation(simulator, { request, plan, simulation }) }
}

/** A speculative simulation. */
export interface Trial {
  /** The result, if `planned` has the same transactions and funds; nonces may differ. */
  resultFor(planned: Planned): Promise<PlanSimulation> | undefined
}

export function tryAhead(
  simulator: Pick<Simulator, 'simulatePlan' | 'gasCeiling'>,
  guess: Planned,
  terms: SimulateTerms,
): Trial {
  const tried = simulateParamsOf(simulator, guess, terms)
  const simulation = simulator.simulatePlan(tried)
  // Unused if the plan differs: a failure must not become an unhandled rejection.
  simulation.catch(() => undefined)
  return {
    resultFor: (planned) =>
      isSameTrial(simulateParamsOf(simulator, planned, terms), tried) ? simulation : undefined,
  }
}

const isSameTrial = (a: SimulateParams, b: SimulateParams): boolean =>
  isDeepStrictEqual(withoutNonces(a), withoutNonces(b))

const withoutNonces = ({ transactions, ...params }: SimulateParams) => ({
  ...params,
  transactions: transactions.map(({ kind, tx: { nonce: _, ...tx } }) => ({ kind, tx })),
})

function simulateParamsOf(
  { gasCeiling }: Pick<Simulator, 'gasCeiling'>,
  planned: Planned,
  { fund, approvals, permitSigner = 'wallet' }: SimulateTerms,
): SimulateParams {
  const { plan, request } = planned
  const { quote, wallet } = request
  const { way } = request.route
  const lends = fund === true || (fund === 'auto' && fundsMissing(planned).length > 0)
  const transactions = plan.steps.flatMap(({ kind, tx }) => (tx ? [{ kind, tx }] : []))
  return {
    wallet: wallet.wallet,
    transactions: withRoom(transactions, { gasCeiling, balanceWei: lends ? null : wallet.balanceWei }),
    tokenIn: quote.tokenIn.address,
    tokenOut: quote.tokenOut.address,
    amountIn: quote.amountIn,
    fee: { token: quote.fee.token, recipient: quote.fee.recipient },
    amountOutMin: plan.amountOutMin,
    fund,
    holdsInput: !lends,
    approvals,
    permitSigner,
    spenders: way.kind === 'curve' ? [way.curve.id] : [],
  }
}

/** Only if the wallet can pay for it: a limit beyond its balance would fail by itself. */
function withRoom<T extends { tx: PlanTx }>(
  transactions: readonly T[],
  { gasCeiling, balanceWei }: { gasCeiling: number; balanceWei: bigint | null },
): readonly T[] {
  const gasOf = ({ gas }: PlanTx) => Math.max(gas, Math.min(gas * ROOM, gasCeiling))
  const roomy = transactions.map((one) => ({ ...one, tx: { ...one.tx, gas: gasOf(one.tx) } }))
  return balanceWei === null || maxWei(roomy) <= balanceWei ? roomy : transactions
}

/**
 * Sets gas limits from simulated use, which includes the current cost of the bytes on the parent chain, plus
 * that cost once more as room for growth.
 */
export function withUsedGas(
  steps: readonly PlanStep[],
  { transactions }: PlanSimulation,
  parentGas: readonly number[],
): PlanStep[] {
  let next = 0
  return steps.map((step, i) => {
    if (step.tx === null) return step
    const used = transactions[next++]
    if (!used?.ok) return step
    const limit = step.kind === 'swap' ? swapLimitFromUse : limitFromUse
    return { ...step, tx: { ...step.tx, gas: limit(used.gasUsed) + (parentGas[i] ?? 0) } }
  })
}

/** Adds twice the parent-chain cost to steps that were only estimated. */
export const withParentGas = (steps: readonly PlanStep[], parentGas: readonly number[]): PlanStep[] =>
  steps.map((step, i) =>
    step.tx === null ? step : { ...step, tx: { ...step.tx, gas: step.tx.gas + 2 * (parentGas[i] ?? 0) } },
  )

export function refuseSimulated(
  { code, message }: Judgement,
  simulation: PlanSimulation,
  plan: TradePlan,
): never {
  return fail(code, { message, simulation: simulationJson(simulation, plan) })
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
    checks: simulationChecks(simulation, plan),
  }
}

/** Checks of every transaction, then of what the wallet and the fee recipient received. */
export function simulationChecks(simulation: PlanSimulation, plan: TradePlan): Check[] {
  const { transactions, amountOut } = simulation
  return [
    ...transactions.map(({ kind, ok, error, gasUsed }) => ({
      code: kind.toUpperCase(),
      ok,
      message: ok ? `${kind} succeeds.` : `${kind} fails: ${error ?? 'reverted'}.`,
      value: gasUsed,
    })),
    {
      code: 'DELIVERED',
      ok: amountOut !== null && amountOut >= plan.amountOutMin,
      message:
        amountOut === null
          ? 'Nothing was delivered.'
          : `The wallet receives ${amountOut} atoms of the output.`,
      value: amountOut === null ? null : amountOut.toString(),
      limit: plan.amountOutMin.toString(),
    },
    feeCheck(simulation, plan),
  ]
}

/** Balances of scaled tokens round. */
const ROUNDED_ATOMS = 2n

function feeCheck({ amountOut, feeTransfer }: PlanSimulation, plan: TradePlan): Check {
  const { bps, recipient } = plan.quote.fee
  const isPortion = plan.feeAmount === null
  // A portion depends on the total.
  const total = amountOut === null || feeTransfer === null ? null : amountOut + feeTransfer
  const due = plan.feeAmount ?? (total === null ? null : feeOf(total, bps))
  const limit = due === null ? null : due.toString()
  if (feeTransfer === null || due === null) {
    const ok = amountOut !== null && plan.steps.some(({ tx }) => tx?.from === recipient)
    const message = ok
      ? 'The wallet is the fee recipient, so its payment to itself cannot be measured.'
      : 'No fee payment was observed.'
    return { code: 'FEE_PAID', ok, message, value: null, limit }
  }
  return {
    code: 'FEE_PAID',
    ok: feeTransfer >= (isPortion ? due - ROUNDED_ATOMS : due),
    message: `The fee recipient receives ${feeTransfer} of ${due} atoms.`,
    value: feeTransfer.toString(),
    limit,
  }
}
