import type { RouterCommand, V4Action } from '../router/types.ts'
import type { RunTerms } from './encodeRun.ts'
import type { HopPath } from './types.ts'

export type RunCommand = Extract<
  RouterCommand,
  { command: 'V2_SWAP_EXACT_IN' | 'V3_SWAP_EXACT_IN' | 'V4_SWAP' }
>
type V4Swap = Extract<V4Action, { action: 'SWAP_EXACT_IN_SINGLE' | 'SWAP_EXACT_IN' }>

/** Thrown inside the reader only; readSwap turns it into an answer. */
export class NotOurs extends Error {}

export function isRun(command: RouterCommand | undefined): command is RunCommand {
  const name = command?.command
  return name === 'V2_SWAP_EXACT_IN' || name === 'V3_SWAP_EXACT_IN' || name === 'V4_SWAP'
}

export function termsOfRun(run: RunCommand): RunTerms {
  if (run.command !== 'V4_SWAP') return run
  const { settle, swap, take } = actionsOf(run)
  const { amount: amountIn, payerIsUser } = settle
  return { recipient: take.recipient, amountIn, amountOutMin: swap.amountOutMin, payerIsUser }
}

export function hopsOfRun(run: RunCommand): HopPath[] {
  if (run.command === 'V2_SWAP_EXACT_IN') {
    return run.path.slice(1).map((tokenOut, i) => ({ version: 'v2', tokenIn: run.path[i]!, tokenOut }))
  }
  if (run.command === 'V3_SWAP_EXACT_IN') {
    const { tokens, fees } = run.path
    return fees.map((feePips, i) => ({
      version: 'v3',
      tokenIn: tokens[i]!,
      tokenOut: tokens[i + 1]!,
      feePips,
    }))
  }
  const { swap } = actionsOf(run)
  if (swap.action === 'SWAP_EXACT_IN_SINGLE') {
    const { currency0, currency1 } = swap.poolKey
    const [tokenIn, tokenOut] = swap.zeroForOne ? [currency0, currency1] : [currency1, currency0]
    return [{ version: 'v4', tokenIn, tokenOut, key: swap.poolKey }]
  }
  let tokenIn = swap.currencyIn
  return swap.path.map(({ intermediateCurrency: tokenOut, fee, tickSpacing, hooks }) => {
    const [currency0, currency1] = tokenIn < tokenOut ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
    const hop: HopPath = {
      version: 'v4',
      tokenIn,
      tokenOut,
      key: { currency0, currency1, fee, tickSpacing, hooks },
    }
    tokenIn = tokenOut
    return hop
  })
}

function actionsOf(run: Extract<RunCommand, { command: 'V4_SWAP' }>) {
  const [settle, swap, take] = run.actions
  if (settle?.action !== 'SETTLE' || !isSwap(swap) || take?.action !== 'TAKE')
    throw new NotOurs('v4 actions in another order than ours')
  return { settle, swap, take }
}

function isSwap(action: V4Action | undefined): action is V4Swap {
  return action?.action === 'SWAP_EXACT_IN_SINGLE' || action?.action === 'SWAP_EXACT_IN'
}
