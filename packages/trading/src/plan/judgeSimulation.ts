import { isPitError, lessBps } from '@pit/protocol'
import type { SimulateParams, Simulator } from '../simulate/index.ts'
import type { PlanSimulation, TradePlan } from '../types.ts'

export type Judgement = { code: 'SIMULATION_FAILED' | 'QUOTE_SIM_MISMATCH'; message: string }

export interface SimulatedPlan {
  /** What was simulated. */
  request: SimulateParams
  plan: TradePlan
  simulation: PlanSimulation
}

/** Taxes are measured in whole basis points, and there are up to three on the way. */
const TOLERATED_BPS = 2
/** Each division on the way rounds by an atom. */
const TOLERATED_ATOMS = 3n

/**
 * What a simulation says against a plan; null: nothing. A revert, or less than the minimum, is a failure. An
 * output short of the quote is the market's doing if the same transactions deliver all of it on the quote's
 * own block; if they do not, the quote was wrong.
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
    `The quote of block ${block} promises ${plan.amountOutExpected} atoms, and the transactions ` +
    `deliver ${there.amountOut} on that very block: not the pools moved, the quote is wrong.`
  return { code: 'QUOTE_SIM_MISMATCH', message }
}

function failureOf({ ok, amountOut, error, transactions }: PlanSimulation, plan: TradePlan): string | null {
  const { amountOutMin } = plan
  if (amountOut !== null && amountOut < amountOutMin)
    return `The simulation delivers ${amountOut}, less than the plan’s minimum of ${amountOutMin}.`
  // Contracts that hold the minimum themselves revert where it is missed.
  if (transactions.some(({ tooLittle }) => tooLittle))
    return `The simulation misses the plan’s minimum of ${amountOutMin}: ${error}. Plan again.`
  return ok ? null : `The simulation failed: ${error ?? 'it reverted'}.`
}

const isShort = ({ ok, amountOut }: PlanSimulation, { amountOutExpected }: TradePlan): boolean =>
  ok && amountOut !== null && amountOut + TOLERATED_ATOMS < lessBps(amountOutExpected, TOLERATED_BPS)

/** Null where the node cannot say: then the minimum alone protects the trade, as it does on the chain. */
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
