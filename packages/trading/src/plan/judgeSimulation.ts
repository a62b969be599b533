import { isPitError, lessBps } from '@pit/protocol'
import type { SimulateParams, Simulator } from '../simulate/index.ts'
import type { PlanSimulation, TradePlan } from '../types.ts'

export type Judgement = { code: 'SIMULATION_FAILED' | 'QUOTE_SIM_MISMATCH'; message: string }

export interface SimulatedPlan {
  request: SimulateParams
  plan: TradePlan
  simulation: PlanSimulation
}

/** Up to three taxes apply, each measured in whole basis points. */
const TOLERATED_BPS = 2
/** Each division rounds by an atom. */
const TOLERATED_ATOMS = 3n

/**
 * The simulation's objection to a plan, or null. A revert or an output below the minimum is a failure. An
 * output short of the quote is a market move if the same transactions deliver all of it on the quote's block;
 * otherwise the quote was wrong.
 */
export async function judgeSimulation(
  simulator: Pick<Simulator, 'simulatePlan'>,
  { request, plan, simulation }: SimulatedPlan,
): Promise<Judgement | null> {
  const failure = failureOf(simulation, plan)
  if (failure !== null) return { code: 'SIMULATION_FAILED', message: failure }
  if (!isShort(simulation, plan)) return null
  const { block } = plan.quote
  const there = simulation.block === block ? simulation : await simulateOn(simulator, request, block)
  if (there === null || !isShort(there, plan)) return null
  const message =
    `The quote at block ${block} promises ${plan.amountOutExpected} atoms, but the transactions ` +
    `deliver ${there.amountOut} atoms on the same block: the quote is wrong, not the market.`
  return { code: 'QUOTE_SIM_MISMATCH', message }
}

function failureOf({ ok, amountOut, error, transactions }: PlanSimulation, plan: TradePlan): string | null {
  const { amountOutMin } = plan
  if (amountOut !== null && amountOut < amountOutMin)
    return `The simulation delivers ${amountOut} atoms, less than the plan’s minimum of ${amountOutMin}.`
  // A contract that enforces the minimum itself reverts below it.
  if (transactions.some(({ tooLittle }) => tooLittle))
    return `The simulation misses the plan’s minimum of ${amountOutMin} atoms: ${error}. Request a new plan.`
  return ok ? null : `The simulation failed: ${error ?? 'it reverted'}.`
}

const isShort = ({ ok, amountOut }: PlanSimulation, { amountOutExpected }: TradePlan): boolean =>
  ok && amountOut !== null && amountOut + TOLERATED_ATOMS < lessBps(amountOutExpected, TOLERATED_BPS)

/** Null if the node cannot run it: then only the minimum protects the trade, as on the chain. */
async function simulateOn(
  simulator: Pick<Simulator, 'simulatePlan'>,
  request: SimulateParams,
  block: number,
): Promise<PlanSimulation | null> {
  try {
    return await simulator.simulatePlan({ ...request, block })
  } catch (error) {
    if (isPitError(error)) return null
    throw error
  }
}
