import {
  ADDRESS_THIS,
  type Address,
  CONTRACT_BALANCE,
  type Hex,
  type LegPath,
  MSG_SENDER,
  NATIVE,
  type RouterCommand,
} from '@pit/chain'
import { feeOf } from '@pit/protocol'
import { faultOfPlan } from './checkPlan.ts'
import { encodeExecute } from './encodeExecute.ts'
import { encodeRun, runsOf } from './encodeRun.ts'
import type { SwapPath } from './plan.ts'

export type EncodedSwap = { commands: RouterCommand[]; valueWei: bigint; data: Hex }

/**
 * The single Universal Router call of a plan: permit, input-side fee, the legs in order, then the router's
 * output balance to its owners. Throws a RangeError on an invalid plan; see faultOfPlan.
 */
export function encodeSwap(plan: SwapPath): EncodedSwap {
  const fault = faultOfPlan(plan)
  if (fault) throw new RangeError(fault)
  const commands = [...permitOf(plan), ...feeOfInput(plan)]
  for (const leg of plan.legs) commands.push(...commandsOfLeg(leg, plan))
  commands.push(...payout(plan), ...refunds(plan))
  const data = encodeExecute({ commands, deadlineS: plan.deadlineS }, plan.layout)
  return { commands, valueWei: plan.tokenIn === NATIVE ? plan.amountIn : 0n, data }
}

/** Whether the last swap pays the caller directly: if the plan requests it and nothing remains to be done. */
export function paysCaller({ direct, fee, legs, tokenOut }: SwapPath): boolean {
  if (!direct) return false
  const [leg] = legs
  const takesPortion = fee.side === 'output' && fee.bps > 0
  return legs.length === 1 && !takesPortion && leg!.hops[leg!.hops.length - 1]!.tokenOut === tokenOut
}

function permitOf({ permit }: SwapPath): RouterCommand[] {
  return permit ? [{ command: 'PERMIT2_PERMIT', ...permit }] : []
}

function feeOfInput({ fee, tokenIn, amountIn }: SwapPath): RouterCommand[] {
  const amount = fee.side === 'input' ? feeOf(amountIn, fee.bps) : 0n
  // Some tokens reject transfers of zero.
  if (amount === 0n) return []
  const command = tokenIn === NATIVE ? 'TRANSFER' : 'PERMIT2_TRANSFER_FROM'
  return [{ command, token: tokenIn, recipient: fee.recipient, amount }]
}

function commandsOfLeg(leg: LegPath, plan: SwapPath): RouterCommand[] {
  const { tokenIn, weth } = plan
  const direct = paysCaller(plan)
  const runs = runsOf(leg.hops)
  const commands: RouterCommand[] = []
  let current = tokenIn
  for (const [i, { hops }] of runs.entries()) {
    const needs = hops[0]!.tokenIn
    if (i === 0) commands.push(...firstForm({ held: current, needs, amount: leg.amountIn, weth }))
    else commands.push(...changeForm(current, needs))
    const isLast = i === runs.length - 1
    commands.push(
      encodeRun(runs[i]!, {
        recipient: isLast && direct ? MSG_SENDER : ADDRESS_THIS,
        // After the first run the router's whole balance of a token is this leg's: no leg visits a token twice.
        amountIn: i === 0 ? leg.amountIn : CONTRACT_BALANCE,
        amountOutMin: isLast && direct ? plan.amountOutMin : 0n,
        payerIsUser: i === 0 && isPulled(leg, plan),
      }),
    )
    current = hops[hops.length - 1]!.tokenOut
  }
  return commands
}

/** Whether the first pool pulls its tokens from the caller, without a stop at the router. */
function isPulled(leg: LegPath, { tokenIn }: SwapPath): boolean {
  return tokenIn !== NATIVE && leg.hops[0]!.tokenIn === tokenIn
}

/** Converts a leg's part of the input into the form its first pool takes; other legs' parts stay unchanged. */
function firstForm(request: {
  held: Address
  needs: Address
  amount: bigint
  weth: Address
}): RouterCommand[] {
  const { held, needs, amount, weth } = request
  if (held === needs) return []
  if (held === NATIVE) return [{ command: 'WRAP_ETH', recipient: ADDRESS_THIS, amount }]
  return [
    { command: 'PERMIT2_TRANSFER_FROM', token: weth, recipient: ADDRESS_THIS, amount },
    { command: 'UNWRAP_WETH', recipient: ADDRESS_THIS, amountMin: amount },
  ]
}

/** Converts the router's whole balance of one form of ether into the other. */
function changeForm(held: Address, needs: Address): RouterCommand[] {
  if (held === needs) return []
  return [
    held === NATIVE
      ? { command: 'WRAP_ETH', recipient: ADDRESS_THIS, amount: CONTRACT_BALANCE }
      : { command: 'UNWRAP_WETH', recipient: ADDRESS_THIS, amountMin: 0n },
  ]
}

function payout(plan: SwapPath): RouterCommand[] {
  if (paysCaller(plan)) return []
  const { tokenOut, fee, amountOutMin } = plan
  const ends = plan.legs.map(({ hops }) => hops[hops.length - 1]!.tokenOut)
  const commands = changeForm(ends.find((token) => token !== tokenOut) ?? tokenOut, tokenOut)
  if (fee.side === 'output' && fee.bps > 0) {
    commands.push({
      command: 'PAY_PORTION',
      token: tokenOut,
      recipient: fee.recipient,
      bips: BigInt(fee.bps),
    })
  }
  commands.push({ command: 'SWEEP', token: tokenOut, recipient: MSG_SENDER, amountMin: amountOutMin })
  return commands
}

/**
 * A v3 pool that runs out takes less than offered. From the caller it then pulls less, but a surplus paid to
 * the router would stay there for anyone to take. v2 takes everything, and v4 reverts.
 */
function refunds(plan: SwapPath): RouterCommand[] {
  const tokens = new Set<Address>()
  for (const leg of plan.legs) {
    for (const [i, hop] of leg.hops.entries()) {
      if (hop.version === 'v3' && (i > 0 || !isPulled(leg, plan))) tokens.add(hop.tokenIn)
    }
  }
  return [...tokens].map((token) => ({ command: 'SWEEP', token, recipient: MSG_SENDER, amountMin: 0n }))
}
