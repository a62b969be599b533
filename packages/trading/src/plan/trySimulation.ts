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

/** Room for what an estimate did not see; what it really uses is what is answered. */
const ROOM = 3

/** Simulates exactly the plan's transactions, in order. */
export const simulatePlanned = (
  simulator: Pick<Simulator, 'simulatePlan' | 'gasCeiling'>,
  planned: Planned,
  terms: SimulateTerms,
): Promise<PlanSimulation> => simulator.simulatePlan(simulateAskOf(simulator, planned, terms))

/** The same, judged; a trial begun before counts where it was of this very plan. */
export async function tryPlanned(
  simulator: Pick<Simulator, 'simulatePlan' | 'gasCeiling'>,
  planned: Planned,
  terms: SimulateTerms,
  trial?: Trial,
): Promise<{ simulation: PlanSimulation; judgement: Judgement | null }> {
  const request = simulateAskOf(simulator, planned, terms)
  const simulation = await (trial?.resultFor(planned) ?? simulator.simulatePlan(request))
  const { plan } = planned
  return { simulation, judgement: await judgeSimulation(simulator, { request, plan, simulation }) }
}

/** A simulation begun ahead of what it is for. */
export interface Trial {
  /** Its result, where that plan is of the same transactions from the same means: nonces are not held to. */
  resultFor(planned: Planned): Promise<PlanSimulation> | undefined
}

export function tryAhead(
  simulator: Pick<Simulator, 'simulatePlan' | 'gasCeiling'>,
  guess: Planned,
  terms: SimulateTerms,
): Trial {
  const tried = simulateAskOf(simulator, guess, terms)
  const simulation = simulator.simulatePlan(tried)
  // Where nobody takes it, nobody hears of its failure either.
  simulation.catch(() => undefined)
  return {
    resultFor: (planned) =>
      isSameTrial(simulateAskOf(simulator, planned, terms), tried) ? simulation : undefined,
  }
}

const isSameTrial = (a: SimulateParams, b: SimulateParams): boolean =>
  isDeepStrictEqual(withoutNonces(a), withoutNonces(b))

const withoutNonces = ({ transactions, ...params }: SimulateParams) => ({
  ...params,
  transactions: transactions.map(({ kind, tx: { nonce: _, ...tx } }) => ({ kind, tx })),
})

function simulateAskOf(
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

/** Only as far as the wallet could pay: a limit it cannot afford would fail for that alone. */
function withRoom<T extends { tx: PlanTx }>(
  transactions: readonly T[],
  { gasCeiling, balanceWei }: { gasCeiling: number; balanceWei: bigint | null },
): readonly T[] {
  const gasOf = ({ gas }: PlanTx) => Math.max(gas, Math.min(gas * ROOM, gasCeiling))
  const roomy = transactions.map((one) => ({ ...one, tx: { ...one.tx, gas: gasOf(one.tx) } }))
  return balanceWei === null || maxWei(roomy) <= balanceWei ? roomy : transactions
}

/**
 * The steps with gas limits from what they used, which has what their bytes cost on the parent chain now, and
 * as much again for that to grow by.
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

/** Steps that were only estimated, with what their bytes cost on the parent chain, twice. */
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

/** Every transaction, then what arrived at the wallet and at the fee's recipient. */
export function simulationChecks(simulation: PlanSimulation, plan: TradePlan): Check[] {
  const { transactions, amountOut } = simulation
  return [
    ...transactions.map(({ kind, ok, error, gasUsed }) => ({
      code: kind.toUpperCase(),
      ok,
      message: ok ? `${kind} succeeds.` : `${kind} fails: ${error ?? 'it reverts'}.`,
      value: gasUsed,
    })),
    {
      code: 'DELIVERED',
      ok: amountOut !== null && amountOut >= plan.amountOutMin,
      message: amountOut === null ? 'Nothing was delivered.' : `${amountOut} atoms of the output arrive.`,
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
  // A portion is known once it is known what it is a portion of.
  const total = amountOut === null || feeTransfer === null ? null : amountOut + feeTransfer
  const due = plan.feeAmount ?? (total === null ? null : feeOf(total, bps))
  const limit = due === null ? null : due.toString()
  if (feeTransfer === null || due === null) {
    const ok = amountOut !== null && plan.steps.some(({ tx }) => tx?.from === recipient)
    const message = ok
      ? 'The wallet is the fee’s recipient: nothing tells what it pays itself.'
      : 'Nothing shows that the fee is paid.'
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
