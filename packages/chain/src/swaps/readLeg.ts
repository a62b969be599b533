import type { Address } from '../bytes/hex.ts'
import { ADDRESS_THIS, CONTRACT_BALANCE, NATIVE } from '../router/constants.ts'
import type { RouterCommand } from '../router/types.ts'
import { asWeth } from '../routes/gas.ts'
import { demand, isRun, type Run, type RunCommand, readRun } from './readRun.ts'
import type { LegPath } from './types.ts'

const MAX_HOPS = 3

/** The commands of a call and how far they are read. */
export type Commands = { readonly list: readonly RouterCommand[]; at: number; readonly weth: Address }
type Name = RouterCommand['command']
type Of<N extends Name> = Extract<RouterCommand, { command: N }>

export type Leg = LegPath & {
  tokenIn: Address
  /** Whether the first pool takes its tokens from the caller itself. */
  isPulled: boolean
  last: Run
}

export function next({ list, at }: Commands): RouterCommand | undefined {
  return list[at]
}

/** The next command if it is of this name. */
export function take<N extends Name>(commands: Commands, name: N): Of<N> | undefined {
  const command = next(commands)
  if (command?.command !== name) return undefined
  commands.at++
  return command as Of<N>
}

/** A leg's first swap has an amount; later ones take all there is. */
export function legFollows(commands: Commands): boolean {
  const command = next(commands)
  if (command?.command === 'WRAP_ETH') return command.amount !== CONTRACT_BALANCE
  if (command?.command === 'PERMIT2_TRANSFER_FROM') return true
  return isRun(command) && !spendsAll(command)
}

/**
 * One way through one to three pools. No token comes twice, so all the router holds of one is this leg's
 * alone.
 */
export function readLeg(commands: Commands): Leg {
  const { weth } = commands
  const changed = takeFirstForm(commands)
  const first = takeRun(commands)
  demand(first !== undefined, 'a swap is missing')
  const { amountIn } = first
  const tokenIn = changed?.tokenIn ?? first.tokenIn
  if (changed) {
    demand(changed.amount === amountIn, 'a leg swaps another amount than it was given')
    demand(
      changed.becomes === first.tokenIn && weth !== NATIVE,
      'a leg swaps another token than it was given',
    )
  }
  const isPulled = !changed && tokenIn !== NATIVE
  demand(first.payerIsUser === isPulled, 'a swap is paid by the wrong side')
  const hops = [...first.hops]
  let last = first
  for (let run = takeLaterRun(commands, last); run; run = takeLaterRun(commands, last)) {
    hops.push(...run.hops)
    last = run
  }
  demand(hops.length <= MAX_HOPS, 'a leg has one to three hops')
  const seen = [asWeth(tokenIn, weth)]
  for (const { tokenOut } of hops) {
    const token = asWeth(tokenOut, weth)
    demand(!seen.includes(token), 'a leg visits a token twice')
    seen.push(token)
  }
  return { tokenIn, amountIn, hops, isPulled, last }
}

/** A leg's part of the input, turned into the form of ether its first pool takes. */
function takeFirstForm(
  commands: Commands,
): { tokenIn: Address; becomes: Address; amount: bigint } | undefined {
  const { weth } = commands
  const wrap = take(commands, 'WRAP_ETH')
  if (wrap) {
    demand(wrap.recipient === ADDRESS_THIS, 'WETH must stay with the router')
    return { tokenIn: NATIVE, becomes: weth, amount: wrap.amount }
  }
  const pull = take(commands, 'PERMIT2_TRANSFER_FROM')
  if (!pull) return undefined
  const { token, recipient, amount } = pull
  demand(token === weth && recipient === ADDRESS_THIS, 'only WETH is brought to the router by itself')
  const unwrap = take(commands, 'UNWRAP_WETH')
  demand(
    unwrap?.recipient === ADDRESS_THIS && unwrap.amountMin === amount,
    'WETH is not unwrapped as it came',
  )
  return { tokenIn: weth, becomes: NATIVE, amount }
}

/** A further swap of the leg, with the change of ether's form before it; undefined where the leg ends. */
function takeLaterRun(commands: Commands, before: Run): Run | undefined {
  const { list, at, weth } = commands
  const change = isChange(list[at]) ? list[at] : undefined
  const command = list[change ? at + 1 : at]
  if (!isRun(command) || !spendsAll(command)) return undefined
  commands.at = at + (change ? 2 : 1)
  const run = readRun(command)
  checkChange(change, before.tokenOut, run.tokenIn, weth)
  demand(change !== undefined || run.version !== before.version, 'one swap is written as two')
  demand(before.recipient === ADDRESS_THIS, 'a swap must pay the router')
  demand(before.amountOutMin === 0n, 'a swap must have no minimum')
  demand(!run.payerIsUser, 'a swap is paid by the wrong side')
  return run
}

function spendsAll(command: RunCommand): boolean {
  if (command.command !== 'V4_SWAP') return command.amountIn === CONTRACT_BALANCE
  const [settle] = command.actions
  return settle?.action === 'SETTLE' && settle.amount === CONTRACT_BALANCE
}

function takeRun(commands: Commands): Run | undefined {
  const command = next(commands)
  if (!isRun(command)) return undefined
  commands.at++
  return readRun(command)
}

function isChange(command: RouterCommand | undefined): boolean {
  return command?.command === 'UNWRAP_WETH' || command?.command === 'WRAP_ETH'
}

/**
 * If the router holds one form of ether and needs the other, `change` must convert all of it; otherwise it must be
 * absent.
 */
export function checkChange(
  change: RouterCommand | undefined,
  held: Address,
  needs: Address,
  weth: Address,
): void {
  if (held === needs) {
    demand(change === undefined, 'ether changes its form for nothing')
    return
  }
  const isWrapped =
    held === NATIVE && needs === weth && change?.command === 'WRAP_ETH' && change.amount === CONTRACT_BALANCE
  const isUnwrapped =
    held === weth && needs === NATIVE && change?.command === 'UNWRAP_WETH' && change.amountMin === 0n
  demand((isWrapped || isUnwrapped) && change.recipient === ADDRESS_THIS, 'the hops do not join')
}
