import {
  type Address,
  type Hex,
  type LegPath,
  NATIVE,
  type PermitSingle,
  readCurveCall,
  readSwap,
} from '@pit/chain'
import { feeOf, type LaunchpadKind, lower, TRADE } from '@pit/protocol'
import { decodeAbiParameters, encodeAbiParameters } from 'viem'
import { broken, must } from '../errors.ts'
import type { Pins } from '../pins.ts'
import { type PlanFacts, stepOf, type UnsignedStep } from './facts.ts'

export interface Approval {
  token: Address
  /** Who may take it. */
  spender: Address
  amount: bigint
  /** Unix seconds of an allowance at Permit2; null where an approval has no end. */
  expiresS: number | null
}

/** An amount that the calldata names, or a rate of what the router holds of the output. */
export type FeePaid = { atoms: bigint } | { bps: number }

/** Effects of a plan's transactions, decoded by the client itself. */
export interface PlanReading {
  /** In the order they are signed. */
  transactions: readonly UnsignedStep[]
  kind: 'router' | 'curve'
  tokenIn: Address
  tokenOut: Address
  /** Fee included. */
  amountIn: bigint
  /** The part that the router or curve takes; a separate curve fee is sent, not taken. */
  taken: bigint
  /** The least that reaches the wallet. */
  amountOutMin: bigint
  /** The last pool pays the wallet itself, so the minimum counts before a tax of the token. */
  direct: boolean
  /** The pools on the way; none for a curve. */
  legs: readonly LegPath[]
  /** Null where the call has none: only a curve of some launchpads. */
  deadlineS: bigint | null
  fee: { side: 'input' | 'output'; token: Address; pays: FeePaid; isOf(bps: number): boolean } | null
  hooks: readonly Address[]
  /** Tokens between the ends. */
  between: readonly Address[]
  /** In the swap's calldata; of a plan that waits for it, the permit to sign, with an empty signature. */
  permit: { permit: PermitSingle; signature: Hex } | null
  approvals: readonly Approval[]
  /** Of a curve trade: that launchpad has to know it. */
  curve: { id: Address; launchpad: LaunchpadKind } | null
}

const MAX_TRANSACTIONS = 4

/** Reads every transaction of a plan; unreadable plans are refused. */
export function readPlan(facts: PlanFacts): PlanReading {
  const { pins, wallet, plan } = facts
  const steps = plan.steps.flatMap(({ tx }) => tx ?? [])
  for (const tx of steps) {
    must(tx.chain_id === pins.profile.chain_id, 'RECIPIENT', 'a transaction is for another chain')
    must(tx.from.toLowerCase() === wallet, 'RECIPIENT', 'a transaction is from another wallet')
    must(tx.type === 2 && !tx.authorization_list, 'RECIPIENT', 'a transaction is not of type 2')
  }
  const awaited = awaitedPermit(plan)
  const transactions = [...steps, ...(awaited ? [awaited.preview] : [])].map(stepOf)
  const isSane = transactions.length > 0 && transactions.length <= MAX_TRANSACTIONS
  must(isSane, 'RECIPIENT', 'the plan does not have one to four transactions')
  mustBeOnce(transactions)
  if (plan.tx) {
    const [shown, last] = [stepOf(plan.tx), transactions.at(-1)!]
    const isLast = shown.to === last.to && shown.value === last.value && shown.data === last.data
    must(isLast, 'RECIPIENT', '`tx` is not the last step')
  }
  const calls = readCalls(
    facts,
    transactions.map((step) => inside(wallet, step)),
  )
  if (!awaited) return { ...calls, transactions }
  must(calls.permit === null, 'RECIPIENT', 'the preview already contains a permit')
  return { ...calls, transactions, permit: { permit: awaited.permit, signature: '0x' } }
}

/** The permit a plan waits for, and the swap that will carry it; null when all signatures are there. */
function awaitedPermit({ permit, permit_now, preview, tx }: PlanFacts['plan']) {
  if (permit === null) {
    must(preview === null || preview === undefined, 'RECIPIENT', 'a preview comes without a permit')
    return null
  }
  must(tx === null, 'RECIPIENT', 'a transaction comes before its permit is signed')
  if (!preview) return broken('RECIPIENT', 'the plan asks for a permit without showing the swap')
  must(Number.isSafeInteger(permit_now), 'RECIPIENT', 'a permit has no time')
  return { permit: readPermit(permit), preview }
}

/** Numbers and addresses of a permit's typed data: the client signs its own rebuild of them. */
function readPermit({ message }: NonNullable<PlanFacts['plan']['permit']>): PermitSingle {
  const { details, spender, sigDeadline } = message
  return {
    details: {
      token: lower(details.token),
      amount: BigInt(details.amount),
      expiration: Number(details.expiration),
      nonce: Number(details.nonce),
    },
    spender: lower(spender),
    sigDeadline: BigInt(sigDeadline),
  }
}

/** Twice the same costs gas twice. */
export function mustBeOnce(steps: readonly UnsignedStep[]): void {
  const seen = new Set(steps.map(({ to, value, data }) => `${to} ${value} ${data}`))
  must(seen.size === steps.length, 'RECIPIENT', 'a step appears twice')
}

/** The calls of a batch that a delegated wallet makes of itself; any other transaction is one call. */
export function inside(wallet: Address, { to, value, data }: UnsignedStep): UnsignedStep[] {
  if (to !== wallet) return [{ to, value, data }]
  // execute(bytes32 mode, bytes executions) with the mode for a batch in which one failing call reverts all.
  const batch = /^0xe9ae5c5301(0{62})(.*)$/.exec(data)
  must(batch !== null && value === 0n, 'RECIPIENT', 'the wallet’s call to itself is not a batch')
  try {
    const [mode, executions] = decodeAbiParameters(EXECUTE, `0x${data.slice(10)}`)
    const [calls] = decodeAbiParameters(EXECUTIONS, executions)
    const rebuilt = encodeAbiParameters(EXECUTE, [mode, encodeAbiParameters(EXECUTIONS, [calls])])
    if (rebuilt.slice(2) !== data.slice(10)) throw new TypeError('not the canonical encoding')
    return calls.map((call) => ({ to: lower(call.target), value: call.value, data: lower(call.callData) }))
  } catch {
    return broken('RECIPIENT', 'the batch cannot be read')
  }
}

const EXECUTE = [{ type: 'bytes32' }, { type: 'bytes' }] as const
const EXECUTIONS = [
  {
    type: 'tuple[]',
    components: [
      { name: 'target', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'callData', type: 'bytes' },
    ],
  },
] as const

type CallsReading = Omit<PlanReading, 'transactions'>

/** One swap, and around it only approvals and the fee. */
function readCalls(facts: PlanFacts, byTransaction: readonly (readonly UnsignedStep[])[]): CallsReading {
  const { pins } = facts
  const calls = byTransaction.flat()
  const approvals = calls.flatMap((call) => readApproval(pins, call) ?? [])
  const rest = calls.filter((call) => readApproval(pins, call) === null)
  const swaps = rest.filter((call) => call.to === pins.router || readCurveCall(call.data))
  const [swap] = swaps
  must(swap !== undefined && swaps.length === 1, 'RECIPIENT', 'the plan does not have exactly one swap')
  // In a batch of a sale the fee comes after the swap, and all of it or nothing is mined.
  must(byTransaction.at(-1)!.includes(swap), 'RECIPIENT', 'a transaction comes after the swap')
  const others = rest.filter((call) => call !== swap)
  if (swap.to !== pins.router) return { ...readCurveTrade(facts, swap, others), approvals }
  must(others.length === 0, 'RECIPIENT', 'a transaction is neither an approval nor the swap')
  return { ...readRouterCall(pins, swap), approvals }
}

export function readRouterCall(
  pins: Pins,
  { value, data }: Pick<UnsignedStep, 'value' | 'data'>,
): Omit<CallsReading, 'approvals'> {
  const swap = readSwap(data, { weth: pins.weth, layout: pins.layout })
  if ('fault' in swap) return broken('RECIPIENT', `the router call cannot be read: ${swap.fault}`)
  const { fee, tokenIn, tokenOut, amountIn } = swap
  must(value === swap.valueWei, 'RECIPIENT', 'the router call sends another ETH value than it spends')
  if (fee) must(fee.recipient === pins.feeRecipient, 'RECIPIENT', 'the fee goes to an unexpected address')
  const hops = swap.legs.flatMap((leg) => leg.hops)
  const passed = hops.flatMap((hop) => [hop.tokenIn, hop.tokenOut])
  return {
    kind: 'router',
    tokenIn,
    tokenOut,
    amountIn,
    taken: amountIn,
    amountOutMin: swap.amountOutMin,
    direct: swap.direct,
    legs: swap.legs,
    deadlineS: swap.deadlineS,
    fee: fee && {
      side: fee.side,
      token: fee.side === 'input' ? tokenIn : tokenOut,
      pays: fee.side === 'input' ? { atoms: fee.amount } : { bps: fee.bps },
      isOf: (bps) => (fee.side === 'input' ? fee.amount === feeOf(amountIn, bps) : fee.bps === bps),
    },
    hooks: hops.flatMap((hop) => (hop.version === 'v4' && hop.key.hooks !== NATIVE ? [hop.key.hooks] : [])),
    between: passed.filter((token) => token !== tokenIn && token !== tokenOut),
    permit: swap.permit,
    curve: null,
  }
}

/** How far a curve sale's fee may lie above that of its minimum: it goes by the expected proceeds. */
const MAX_TOLERATED_BPS = Math.max(...TRADE.slippageToleranceBySize.map(({ other }) => other.cap_bps))

/** The curve's own buy or sell, and the fee as a plain transfer beside it. */
function readCurveTrade(
  facts: PlanFacts,
  swap: UnsignedStep,
  transfers: readonly UnsignedStep[],
): Omit<CallsReading, 'approvals'> {
  must(transfers.length <= 1, 'RECIPIENT', 'more than one transfer goes with the swap')
  return readCurveSwap(facts, swap, (pair) =>
    transfers[0] ? readTransfer(facts.pins, transfers[0], pair) : 0n,
  )
}

/** A curve's call whose fee is paid beside it. */
export function readCurveSwap(
  { wallet, tokenIn, tokenOut }: Pick<PlanFacts, 'wallet' | 'tokenIn' | 'tokenOut'>,
  swap: UnsignedStep,
  feeIn: (pair: Address) => bigint,
): Omit<CallsReading, 'approvals'> {
  const call = readCurveCall(swap.data)
  if (!call) return broken('RECIPIENT', 'the call is none of a curve')
  must(/^0x[0-9a-f]{40}$/.test(swap.to), 'RECIPIENT', 'the curve is not an address')
  must(call.recipient === wallet, 'RECIPIENT', 'the curve pays another recipient')
  const isBuy = call.side === 'buy'
  const pair = isBuy ? tokenIn : tokenOut
  const spends = isBuy && pair === NATIVE ? call.amountIn : 0n
  must(swap.value === spends, 'RECIPIENT', 'the curve call sends another ETH value than it spends')
  const feeAmount = feeIn(pair)
  const maxOut = (call.amountOutMin * 10_000n) / BigInt(10_000 - MAX_TOLERATED_BPS) + 1n
  const amountIn = isBuy ? call.amountIn + feeAmount : call.amountIn
  const isOf = (bps: number): boolean =>
    isBuy
      ? feeAmount === feeOf(amountIn, bps)
      : feeAmount >= feeOf(call.amountOutMin, bps) && feeAmount <= feeOf(maxOut, bps)
  return {
    kind: 'curve',
    tokenIn,
    tokenOut,
    amountIn,
    taken: call.amountIn,
    amountOutMin: isBuy ? call.amountOutMin : maxBigint(call.amountOutMin - feeAmount, 0n),
    direct: false,
    legs: [],
    deadlineS: call.deadlineS,
    fee:
      feeAmount === 0n
        ? null
        : { side: isBuy ? 'input' : 'output', token: pair, pays: { atoms: feeAmount }, isOf },
    hooks: [],
    between: [],
    permit: null,
    curve: { id: swap.to, launchpad: call.launchpad },
  }
}

/** A token's `approve(spender, amount)`, or Permit2's `approve(token, spender, amount, expiration)`. */
export function readApproval(pins: Pins, { to, value, data }: UnsignedStep): Approval | null {
  const plain = /^0x095ea7b30{24}([0-9a-f]{40})([0-9a-f]{64})$/.exec(data)
  if (plain && value === 0n)
    return { token: to, spender: `0x${plain[1]}`, amount: BigInt(`0x${plain[2]}`), expiresS: null }
  const permit = /^0x87517c450{24}([0-9a-f]{40})0{24}([0-9a-f]{40})([0-9a-f]{64})([0-9a-f]{64})$/.exec(data)
  if (!permit || value !== 0n || to !== pins.permit2) return null
  return {
    token: `0x${permit[1]}`,
    spender: `0x${permit[2]}`,
    amount: BigInt(`0x${permit[3]}`),
    expiresS: Number(BigInt(`0x${permit[4]}`)),
  }
}

/** The fee's own transfer: plain ether, or `transfer(recipient, amount)` of the pair. */
function readTransfer(pins: Pins, { to, value, data }: UnsignedStep, pair: Address): bigint {
  if (pair === NATIVE) {
    must(to === pins.feeRecipient && data === '0x', 'RECIPIENT', 'the fee goes to an unexpected address')
    return value
  }
  const words = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/.exec(data)
  const isFee = words !== null && value === 0n && to === pair && `0x${words[1]}` === pins.feeRecipient
  must(isFee, 'RECIPIENT', 'the fee goes to an unexpected address')
  return BigInt(`0x${words[2]}`)
}

/** The gas limit a transaction asks for, within reason: what is burnt for nothing is the wallet's too. */
export function gasOf({ limits }: Pick<Pins, 'limits'>, { gas }: { gas: string }): bigint {
  const limit = BigInt(gas)
  const isUsual = limit > 0n && limit <= BigInt(limits.plan_gas)
  must(isUsual, 'RECIPIENT', 'a transaction has a higher gas limit than any trade needs')
  return limit
}

const maxBigint = (one: bigint, other: bigint): bigint => (one > other ? one : other)
