import { type Address, type Hex, type HopPath, NATIVE, readSwap } from '@pit/chain'
import { encodeSwap } from '@pit/plans'
import type { ChainProfile } from '@pit/protocol'

/** The part of a plan that a lying server changes to trade through other pools. */
export interface PlanJson extends Record<string, unknown> {
  steps: { tx: { data: Hex; to: Hex } | null }[]
  tx: { data: Hex } | null
}

export const v4Hop = (token: Address, fee: number): Extract<HopPath, { version: 'v4' }> => ({
  version: 'v4',
  tokenIn: NATIVE,
  tokenOut: token,
  key: { currency0: NATIVE, currency1: token, fee, tickSpacing: 60, hooks: NATIVE },
})

/** Amount that the swap of a plan puts into its pools. */
export function swapIn(profile: ChainProfile, plan: PlanJson): bigint {
  return swapOf(profile, plan).legs.reduce((sum, leg) => sum + leg.amountIn, 0n)
}

/** The plan through these pools, with this claimed output and minimum and without risks. */
export function through(
  profile: ChainProfile,
  plan: PlanJson,
  { hops, out, amountOutMin }: { hops: readonly HopPath[]; out: bigint; amountOutMin: bigint },
): PlanJson {
  const swap = swapOf(profile, plan)
  const step = plan.steps.at(-1)!
  const { data } = encodeSwap({
    tokenIn: swap.tokenIn,
    tokenOut: swap.tokenOut,
    amountIn: swap.amountIn,
    legs: [{ hops, amountIn: swapIn(profile, plan) }],
    amountOutMin,
    direct: false,
    fee: swap.fee ?? { bps: 0, side: 'input', recipient: NATIVE },
    deadlineS: swap.deadlineS,
    weth: wethOf(profile),
    layout: profile.contracts.universal_router_layout,
  })
  const tx = { ...step.tx!, data }
  return {
    ...plan,
    steps: [...plan.steps.slice(0, -1), { ...step, tx }],
    tx: plan.tx && tx,
    amount_out_expected: `${out}`,
    amount_out_min: `${amountOutMin}`,
    risks: [],
  }
}

function swapOf(profile: ChainProfile, plan: PlanJson) {
  const layout = profile.contracts.universal_router_layout
  const swap = readSwap(plan.steps.at(-1)!.tx!.data, { weth: wethOf(profile), layout })
  if ('fault' in swap) throw new Error(swap.fault)
  return swap
}

const wethOf = ({ contracts }: ChainProfile): Address => contracts.weth!.toLowerCase() as Address
