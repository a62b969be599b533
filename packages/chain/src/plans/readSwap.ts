import type { Address, Hex } from '../bytes/hex.ts'
import { ADDRESS_THIS, CONTRACT_BALANCE, MSG_SENDER, NATIVE } from '../router/constants.ts'
import { decodeExecute } from '../router/decodeExecute.ts'
import type { RouterCommand, RouterLayout } from '../router/types.ts'
import { encodeSwap } from './encodeSwap.ts'
import { leastBpsOf } from './feeOf.ts'
import { hopsOfRun, isRun, NotOurs, type RunCommand, termsOfRun } from './readRun.ts'
import type { FeeReading, HopPath, LegPath, SwapFee, SwapReading } from './types.ts'

export type SwapPlace = { weth: Address; layout?: RouterLayout }

/** Three legs of three hops with every change of form, permit, fee, payout and refunds are fewer. */
const MAX_COMMANDS = 40
/** Who is paid when nothing is: a plan has a recipient, a call without a fee names none. */
const NO_FEE: SwapFee = { bps: 0, side: 'input', recipient: NATIVE }

/**
 * What a router call does, if it is one that encodeSwap writes: every byte of it is proved by encoding anew what was
 * read. There is no second reading of a call that passes, so it may be judged by its reading alone. Whoever judges
 * also holds `valueWei` against the transaction's value.
 */
export function readSwap(data: Hex, place: SwapPlace): SwapReading | { fault: string } {
  const decoded = decodeExecute(data, place.layout)
  if (!decoded.ok) return { fault: decoded.why }
  const { commands, deadlineS } = decoded.call
  if (deadlineS === undefined) return { fault: 'the call has no deadline' }
  if (commands.length > MAX_COMMANDS) return { fault: 'more commands than a plan has' }
  try {
    const reading = { ...readCommands(commands, place), deadlineS, commands }
    const { fee, permit, ...rest } = reading
    // Only these two of the place: whatever else comes with it must not stand in for what was read.
    const { weth, layout } = place
    const again = encodeSwap({
      ...rest,
      weth,
      ...(layout && { layout }),
      fee: fee ?? NO_FEE,
      ...(permit && { permit }),
    })
    return again.data === data.toLowerCase() ? reading : { fault: 'the commands are not those of a plan' }
  } catch (error) {
    if (error instanceof NotOurs || error instanceof RangeError) return { fault: error.message }
    throw error
  }
}

/** The plan these commands would be of. It need not look at everything: encoding it anew does. */
function readCommands(
  commands: readonly RouterCommand[],
  place: SwapPlace,
): Omit<SwapReading, 'deadlineS' | 'commands'> {
  let at = 0
  const first = commands[at]
  const permit = first?.command === 'PERMIT2_PERMIT' ? first : undefined
  if (permit) at++
  const paid = inputFeeOf(commands[at])
  if (paid) at++

  const legs: LegPath[] = []
  let tokenIn: Address | undefined
  let lastRun: RunCommand | undefined
  while (startsLeg(commands[at])) {
    const leg = readLeg(commands, at, place.weth)
    tokenIn ??= leg.tokenIn
    lastRun = leg.lastRun
    at = leg.end
    legs.push({ hops: leg.hops, amountIn: leg.amountIn })
  }
  if (!tokenIn || !lastRun) throw new NotOurs('there is no swap where one is due')

  const amountIn = legs.reduce((sum, leg) => sum + leg.amountIn, paid?.amount ?? 0n)
  const { portion, ...out } = payoutOf(commands.slice(at), lastRun, legs)
  if (paid && portion) throw new NotOurs('a fee is taken at both sides')
  const terms = permit && { permit: permit.permit, signature: permit.signature }
  return {
    tokenIn,
    ...out,
    amountIn,
    valueWei: tokenIn === NATIVE ? amountIn : 0n,
    legs,
    fee: portion ?? (paid ? inputFee(paid, amountIn) : null),
    permit: terms ?? null,
  }
}

type Paid = { recipient: Address; amount: bigint }

/** What is sent away before the swaps. To the router itself it is a leg's input on its way to be unwrapped. */
function inputFeeOf(command: RouterCommand | undefined): Paid | undefined {
  if (command?.command === 'TRANSFER') return command
  if (command?.command !== 'PERMIT2_TRANSFER_FROM' || command.recipient === ADDRESS_THIS) return undefined
  return command
}

function inputFee({ recipient, amount }: Paid, amountIn: bigint): FeeReading {
  const bps = leastBpsOf(amountIn, amount)
  if (bps === undefined) throw new NotOurs('the fee is no whole rate of the input')
  return { side: 'input', recipient, amount, bps }
}

/** Later runs of a leg take all there is; a leg's first has an amount. */
function startsLeg(command: RouterCommand | undefined): boolean {
  if (command?.command === 'WRAP_ETH') return command.amount !== CONTRACT_BALANCE
  if (command?.command === 'PERMIT2_TRANSFER_FROM') return true
  return isRun(command) && termsOfRun(command).amountIn !== CONTRACT_BALANCE
}

function readLeg(commands: readonly RouterCommand[], start: number, weth: Address) {
  let at = start
  let tokenIn: Address | undefined
  const first = commands[at]
  if (first?.command === 'WRAP_ETH') {
    tokenIn = NATIVE
    at++
  } else if (first?.command === 'PERMIT2_TRANSFER_FROM') {
    tokenIn = weth
    // It is unwrapped next.
    at += 2
  }
  let run = commands[at++]
  if (!isRun(run)) throw new NotOurs('there is no swap where one is due')
  const { amountIn } = termsOfRun(run)
  const hops: HopPath[] = []
  let lastRun = run
  while (isRun(run)) {
    lastRun = run
    hops.push(...hopsOfRun(run))
    const next: number = isChange(commands[at]) ? at + 1 : at
    run = commands[next]
    if (!isRun(run) || startsLeg(run)) break
    at = next + 1
  }
  return { tokenIn: tokenIn ?? hops[0]!.tokenIn, amountIn, hops, lastRun, end: at }
}

function isChange(command: RouterCommand | undefined): boolean {
  return command?.command === 'UNWRAP_WETH' || command?.command === 'WRAP_ETH'
}

function payoutOf(rest: readonly RouterCommand[], lastRun: RunCommand, legs: readonly LegPath[]) {
  const { recipient, amountOutMin } = termsOfRun(lastRun)
  const lastHops = legs[legs.length - 1]!.hops
  const delivered = lastHops[lastHops.length - 1]!.tokenOut
  if (recipient === MSG_SENDER) return { tokenOut: delivered, amountOutMin, direct: true, portion: undefined }
  const portion = rest.find((command) => command.command === 'PAY_PORTION')
  const sweep = rest.find((command) => command.command === 'SWEEP')
  if (!sweep) throw new NotOurs('nothing is paid out')
  const fee: FeeReading | undefined = portion && {
    side: 'output',
    recipient: portion.recipient,
    amount: null,
    bps: Number(portion.bips),
  }
  return { tokenOut: sweep.token, amountOutMin: sweep.amountMin, direct: false, portion: fee }
}
