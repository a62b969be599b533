import { leastBpsOf } from '@pit/protocol'
import type { Address, Hex } from '../bytes/hex.ts'
import { ADDRESS_THIS, MSG_SENDER, NATIVE } from '../router/constants.ts'
import { decodeExecute } from '../router/decodeExecute.ts'
import type { PermitSingle, RouterCommand, RouterLayout } from '../router/types.ts'
import { type Commands, checkChange, type Leg, legFollows, next, readLeg, take } from './readLeg.ts'
import { demand, NotOurs } from './readRun.ts'
import type { FeeReading, SwapReading } from './types.ts'

const MAX_LEGS = 3
/** v4 counts in 128 bits; no real amount comes near. */
const AMOUNT_END = 1n << 128n
const BPS = 10_000n

/**
 * Decodes a router call if it is one that a plan makes. Every command and field is checked against the only valid
 * order and form, and the encoding is canonical: an accepted call has a single reading, so it may be judged by it.
 * The caller also compares `valueWei` with the transaction's value.
 */
export function readSwap(
  data: Hex,
  { weth, layout }: { weth: Address; layout?: RouterLayout },
): SwapReading | { fault: string } {
  const decoded = decodeExecute(data, layout)
  if (!decoded.ok) return { fault: decoded.why }
  const { commands, deadlineS } = decoded.call
  if (deadlineS === undefined) return { fault: 'the call has no deadline' }
  try {
    return { ...readCommands({ list: commands, at: 0, weth }), deadlineS, commands }
  } catch (error) {
    if (error instanceof NotOurs) return { fault: error.message }
    throw error
  }
}

/** Permit, fee of the input, one to three legs, then the payout and refunds of what is left. */
function readCommands(commands: Commands): Omit<SwapReading, 'deadlineS' | 'commands'> {
  demand(commands.weth === commands.weth.toLowerCase(), 'WETH’s address is not in lower case')
  const permit = take(commands, 'PERMIT2_PERMIT')
  const paid = takePaid(commands)
  const legs = readLegs(commands)
  const tokenIn = legs[0]!.tokenIn
  const amountIn = legs.reduce((sum, leg) => sum + leg.amountIn, paid?.amount ?? 0n)
  demand(amountIn < AMOUNT_END, 'the input is out of range')
  if (permit) checkPermit(permit.permit, tokenIn, amountIn)
  const inputFee = paid && feeOfInput(paid, tokenIn, amountIn)
  const { portion, ...out } = readPayout(commands, legs)
  demand(!inputFee || !portion, 'a fee is taken at both sides')
  demand(out.amountOutMin < AMOUNT_END, 'the minimum is out of range')
  readRefunds(commands, legs)
  demand(next(commands) === undefined, 'more commands than a plan has')
  return {
    tokenIn,
    ...out,
    amountIn,
    valueWei: tokenIn === NATIVE ? amountIn : 0n,
    legs: legs.map(({ hops, amountIn }) => ({ hops, amountIn })),
    fee: portion ?? inputFee ?? null,
    permit: permit ? { permit: permit.permit, signature: permit.signature } : null,
  }
}

function checkPermit({ details }: PermitSingle, tokenIn: Address, amountIn: bigint): void {
  demand(tokenIn !== NATIVE, 'ETH needs no permit')
  demand(details.token === tokenIn, 'the permit is for another token')
  demand(details.amount >= amountIn, 'the permit is for less than the input')
}

type Paid = Extract<RouterCommand, { command: 'TRANSFER' | 'PERMIT2_TRANSFER_FROM' }>

/** Payments before the swaps. A payment to the router itself is a leg's input that will be unwrapped. */
function takePaid(commands: Commands): Paid | undefined {
  const command = next(commands)
  if (command?.command === 'PERMIT2_TRANSFER_FROM' && command.recipient === ADDRESS_THIS) return undefined
  return take(commands, 'TRANSFER') ?? take(commands, 'PERMIT2_TRANSFER_FROM')
}

/** ETH came with the call; a token is moved from the caller. */
function feeOfInput(
  { command, token, recipient, amount }: Paid,
  tokenIn: Address,
  amountIn: bigint,
): FeeReading {
  demand(token === tokenIn, 'the fee is of another token than the input')
  demand((command === 'TRANSFER') === (tokenIn === NATIVE), 'the fee is not paid from the input')
  demand(amount > 0n, 'the fee is zero')
  checkRecipient(recipient)
  const bps = leastBpsOf(amountIn, amount)
  demand(bps !== undefined, 'the fee is not a whole rate of the input')
  return { side: 'input', recipient, amount, bps }
}

/** Rejects addresses that the router reads as the caller or itself, and the zero address. */
function checkRecipient(recipient: Address): void {
  const isMarker = recipient === NATIVE || recipient === MSG_SENDER || recipient === ADDRESS_THIS
  demand(!isMarker, 'the fee recipient is a reserved address')
}

function readLegs(commands: Commands): Leg[] {
  const legs = [readLeg(commands)]
  while (legFollows(commands)) {
    demand(legs.length < MAX_LEGS, 'a trade has one to three legs')
    legs.push(readLeg(commands))
  }
  for (const { tokenIn, amountIn } of legs) {
    demand(tokenIn === legs[0]!.tokenIn, 'the legs begin with different tokens')
    demand(amountIn > 0n && amountIn < AMOUNT_END, 'a leg’s amount is out of range')
  }
  return legs
}

/** The last swap pays the caller itself, or all that the legs brought to the router is paid out at once. */
function readPayout(commands: Commands, legs: readonly Leg[]) {
  const { last } = legs[0]!
  if (legs.length === 1 && last.recipient === MSG_SENDER) {
    const { tokenOut, amountOutMin } = last
    return { tokenOut, amountOutMin, direct: true, portion: undefined }
  }
  for (const leg of legs) {
    demand(leg.last.recipient === ADDRESS_THIS, 'a swap must pay the router')
    demand(leg.last.amountOutMin === 0n, 'a swap must have no minimum')
  }
  const change = take(commands, 'WRAP_ETH') ?? take(commands, 'UNWRAP_WETH')
  const portion = take(commands, 'PAY_PORTION')
  const sweep = take(commands, 'SWEEP')
  demand(sweep?.recipient === MSG_SENDER, 'nothing is paid out to the caller')
  const tokenOut = sweep.token
  const ends = legs.map((leg) => leg.last.tokenOut)
  const other = ends.find((token) => token !== tokenOut) ?? tokenOut
  demand(
    ends.every((token) => token === tokenOut || token === other),
    'the legs end with different tokens',
  )
  checkChange(change, other, tokenOut, commands.weth)
  const fee = portion && feeOfOutput(portion, tokenOut)
  return { tokenOut, amountOutMin: sweep.amountMin, direct: false, portion: fee }
}

function feeOfOutput(
  { token, recipient, bips }: Extract<RouterCommand, { command: 'PAY_PORTION' }>,
  tokenOut: Address,
): FeeReading {
  demand(token === tokenOut, 'the fee is of another token than the output')
  demand(bips > 0n && bips < BPS, 'the fee’s rate is out of range')
  checkRecipient(recipient)
  return { side: 'output', recipient, amount: null, bps: Number(bips) }
}

/**
 * A v3 pool that runs out takes less than offered. From the caller it then pulls less, but a surplus paid to the
 * router would stay there for anyone to take. v2 takes everything, and v4 reverts.
 */
function readRefunds(commands: Commands, legs: readonly Leg[]): void {
  const tokens = new Set<Address>()
  for (const { hops, isPulled } of legs) {
    for (const [i, { version, tokenIn }] of hops.entries())
      if (version === 'v3' && (i > 0 || !isPulled)) tokens.add(tokenIn)
  }
  for (const token of tokens) {
    const sweep = take(commands, 'SWEEP')
    const isRefund = sweep?.token === token && sweep.recipient === MSG_SENDER && sweep.amountMin === 0n
    demand(isRefund, 'what a pool may leave is not given back')
  }
}
