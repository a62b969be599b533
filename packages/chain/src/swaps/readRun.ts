import type { Address } from '../bytes/hex.ts'
import { NATIVE, OPEN_DELTA } from '../router/constants.ts'
import type { RouterCommand, V4Action } from '../router/types.ts'
import type { HopPath } from './types.ts'

export type RunCommand = Extract<
  RouterCommand,
  { command: 'V2_SWAP_EXACT_IN' | 'V3_SWAP_EXACT_IN' | 'V4_SWAP' }
>
type V4Swap = Extract<V4Action, { action: 'SWAP_EXACT_IN_SINGLE' | 'SWAP_EXACT_IN' }>

/** Hops of one version that one command does, and what it pays from whom to whom. */
export type Run = {
  version: HopPath['version']
  hops: HopPath[]
  tokenIn: Address
  tokenOut: Address
  recipient: Address
  amountIn: bigint
  amountOutMin: bigint
  payerIsUser: boolean
}

/** Thrown inside the reader only; readSwap turns it into an answer. */
export class NotOurs extends Error {}

export function demand(isTrue: boolean, fault: string): asserts isTrue {
  if (!isTrue) throw new NotOurs(fault)
}

export function isRun(command: RouterCommand | undefined): command is RunCommand {
  const name = command?.command
  return name === 'V2_SWAP_EXACT_IN' || name === 'V3_SWAP_EXACT_IN' || name === 'V4_SWAP'
}

export function readRun(command: RunCommand): Run {
  if (command.command === 'V4_SWAP') return readV4Run(command.actions)
  const { recipient, amountIn, amountOutMin, payerIsUser } = command
  const hops = command.command === 'V2_SWAP_EXACT_IN' ? v2Hops(command.path) : v3Hops(command.path)
  for (const { tokenIn, tokenOut } of hops)
    demand(tokenIn !== NATIVE && tokenOut !== NATIVE, 'ETH is in v4 pools only')
  return { ...endsOf(hops), recipient, amountIn, amountOutMin, payerIsUser }
}

function v2Hops(path: readonly Address[]): HopPath[] {
  return path.slice(1).map((tokenOut, i) => ({ version: 'v2', tokenIn: path[i]!, tokenOut }))
}

function v3Hops({ tokens, fees }: { tokens: readonly Address[]; fees: readonly number[] }): HopPath[] {
  return fees.map((feePips, i) => ({
    version: 'v3',
    tokenIn: tokens[i]!,
    tokenOut: tokens[i + 1]!,
    feePips,
  }))
}

/** A payment to the pool manager, one swap of all that arrived there, and all it gave taken out again. */
function readV4Run(actions: readonly V4Action[]): Run {
  const [settle, swap, take] = actions
  demand(
    actions.length === 3 && settle?.action === 'SETTLE' && isV4Swap(swap) && take?.action === 'TAKE',
    'v4 actions in another order than ours',
  )
  const ends = endsOf(swap.action === 'SWAP_EXACT_IN' ? multiHops(swap) : singleHop(swap))
  demand(swap.amountIn === OPEN_DELTA && take.amount === OPEN_DELTA, 'v4 swaps another amount than it has')
  demand(settle.currency === ends.tokenIn, 'v4 is paid in another token than it swaps')
  demand(take.currency === ends.tokenOut, 'v4 pays out another token than it gets')
  const { amount: amountIn, payerIsUser } = settle
  return { ...ends, recipient: take.recipient, amountIn, amountOutMin: swap.amountOutMin, payerIsUser }
}

function singleHop(swap: Extract<V4Swap, { action: 'SWAP_EXACT_IN_SINGLE' }>): HopPath[] {
  const { poolKey: key, zeroForOne, hookData } = swap
  const { currency0, currency1 } = key
  demand(hookData === '0x', 'a hook is given data')
  demand(currency0 < currency1, 'a pool’s tokens are not in order')
  const [tokenIn, tokenOut] = zeroForOne ? [currency0, currency1] : [currency1, currency0]
  return [{ version: 'v4', tokenIn, tokenOut, key }]
}

function multiHops({ currencyIn, path }: Extract<V4Swap, { action: 'SWAP_EXACT_IN' }>): HopPath[] {
  demand(path.length > 1, 'a path of one hop is written as a single swap')
  let tokenIn = currencyIn
  return path.map(({ intermediateCurrency: tokenOut, fee, tickSpacing, hooks, hookData }) => {
    demand(hookData === '0x', 'a hook is given data')
    const [currency0, currency1] = tokenIn < tokenOut ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
    const key = { currency0, currency1, fee, tickSpacing, hooks }
    const hop: HopPath = { version: 'v4', tokenIn, tokenOut, key }
    tokenIn = tokenOut
    return hop
  })
}

function endsOf(hops: HopPath[]): Pick<Run, 'version' | 'hops' | 'tokenIn' | 'tokenOut'> {
  const first = hops[0]!
  return {
    version: first.version,
    hops,
    tokenIn: first.tokenIn,
    tokenOut: hops[hops.length - 1]!.tokenOut,
  }
}

function isV4Swap(action: V4Action | undefined): action is V4Swap {
  return action?.action === 'SWAP_EXACT_IN_SINGLE' || action?.action === 'SWAP_EXACT_IN'
}
