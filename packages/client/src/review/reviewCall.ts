import {
  type Address,
  type Delegation,
  decodeDelegations,
  encodeDisable,
  endAllCall,
  type Hex,
  NATIVE,
  permit2Abi,
  readCurveCall,
  readSwap,
} from '@pit/chain'
import { decodeFunctionData, encodeFunctionData } from 'viem'
import type { ListedCurve } from '../own/curves.ts'
import type { Pins } from '../pins.ts'
import type { UnsignedStep } from '../verify/facts.ts'
import { type Approval, readApproval } from '../verify/readPlan.ts'
import type { Effect, Spender } from './effects.ts'
import { deny, type Reading, type ReviewContext } from './terms.ts'

/** A call outside the allow-list, and why. */
export type Unknown = { unknown: string }

/**
 * The allow-list: which callees are called, which of their functions are known, and what each moves. A known call
 * that the wallet never makes is refused; anything else is unknown.
 */
export function reviewCall(context: ReviewContext, call: UnsignedStep): Reading | Unknown {
  const { pins, curves } = context
  const { to, data } = call
  const curve = curves.find(({ id }) => id === to)
  if (to === pins.router) return readRouterCall(pins, call)
  if (curve) return readCurve(context, curve, call)
  if (to === pins.permit2) return readPermit2Call(pins, call)
  if (to === pins.addresses.manager) return readDisable(context, call)
  if (to === pins.addresses.enforcers.Nonce) return readEndAll(pins, call)
  if (data === '0x') return readPayment(context, { token: NATIVE, to, amount: call.value })
  if (readCurveCall(data)) return { unknown: 'no pinned launchpad lists this curve on the wallet’s node' }
  return isContract(pins, to)
    ? { unknown: 'the function is not one of this service' }
    : readTokenCall(context, call)
}

/** Pinned contracts other than tokens: a token's function there would mean something else. */
const isContract = ({ profile, addresses, launchpads, weth, tokens }: Pins, to: Address): boolean =>
  to === NATIVE ||
  (to !== weth &&
    !tokens.has(to) &&
    [
      ...Object.values(profile.contracts),
      ...[addresses.manager, addresses.delegator, ...Object.values(addresses.enforcers)],
      ...launchpads.map(({ factory }) => factory),
      ...[profile.agent_registry?.address, profile.stocks.beacon],
    ].some((one) => one?.toLowerCase() === to))

/** Commands in the one order and form of a plan: nothing stays in the router, and it pays the wallet. */
function readRouterCall(pins: Pins, { value, data }: UnsignedStep): Reading | Unknown {
  const swap = readSwap(data, { weth: pins.weth, layout: pins.layout })
  if ('fault' in swap) return { unknown: `the router call has another form than a trade: ${swap.fault}` }
  const { tokenIn, tokenOut, amountIn, amountOutMin, fee, permit } = swap
  if (value !== swap.valueWei) deny('the trade sends another ETH value than it spends')
  if (fee && fee.recipient !== pins.feeRecipient)
    deny(`the fee goes to ${fee.recipient}, not to the pinned recipient`)
  if (permit && permit.permit.spender !== pins.router) deny('the trade carries a permit for another spender')
  const feeIn = fee?.amount ?? 0n
  // Pool and router count the minimum before they send the token, and any unpinned token may tax that.
  const bound = pins.tokens.has(tokenOut) ? 'strict' : 'before_tax'
  const hooks = swap.legs.flatMap(({ hops }) =>
    hops.flatMap((hop) => (hop.version === 'v4' && hop.key.hooks !== NATIVE ? [hop.key.hooks] : [])),
  )
  return {
    title: 'Trade',
    effects: [
      ...(permit ? [permitted(permit.permit)] : []),
      { kind: 'leaves', token: tokenIn, atMost: amountIn - feeIn, to: pins.router, payee: 'exchange' },
      ...(feeIn > 0n ? [feePaid(pins, tokenIn, feeIn)] : []),
      { kind: 'arrives', token: tokenOut, atLeast: amountOutMin, bound },
    ],
    warnings: hooks
      .filter((hook) => !pins.knownHooks.has(hook))
      .map((hook) => `A pool of the route runs code that is not pinned: ${hook}.`),
  }
}

const feePaid = ({ feeRecipient }: Pins, token: Address, amount: bigint): Effect => ({
  ...{ kind: 'leaves', token, atMost: amount, to: feeRecipient, payee: 'fee' },
})

/** An allowance at Permit2 for the pinned router. */
export const permitted = ({
  spender,
  details: { token, amount, expiration },
}: {
  spender: Address
  details: { token: Address; amount: bigint; expiration: number }
}): Effect => ({
  ...{ kind: 'allows', token, spender, role: 'router', atMost: amount, untilS: expiration },
})

function readCurve(
  { wallet }: ReviewContext,
  { id, launchpad, token, pair }: ListedCurve,
  { value, data }: UnsignedStep,
): Reading | Unknown {
  const call = readCurveCall(data)
  if (call?.launchpad !== launchpad) return { unknown: 'it is not a buy or a sale of this curve' }
  if (call.recipient !== wallet) deny(`the curve pays ${call.recipient}, not this wallet`)
  const isBuy = call.side === 'buy'
  const [spent, got] = isBuy ? [pair, token] : [token, pair]
  if (value !== (spent === NATIVE ? call.amountIn : 0n))
    deny('the curve is sent another ETH value than it spends')
  const bound = isBuy && launchpad === 'pons' ? 'pro_rata' : 'strict'
  return {
    title: 'Trade on a launchpad curve',
    effects: [
      { kind: 'leaves', token: spent, atMost: call.amountIn, to: id, payee: 'curve' },
      { kind: 'arrives', token: got, atLeast: call.amountOutMin, bound },
    ],
    warnings:
      call.deadlineS === null ? ['This trade has no deadline: once signed it can be mined late.'] : [],
  }
}

function readPermit2Call(pins: Pins, call: UnsignedStep): Reading | Unknown {
  const approval = readApproval(pins, call)
  if (approval && approval.expiresS !== null && approval.amount < 2n ** 160n && approval.expiresS < 2 ** 48)
    return readApprove(approval, approval.spender === pins.router ? 'router' : 'stranger')
  const pairs = call.value === 0n ? lockdownPairs(call.data) : null
  if (!pairs) return { unknown: 'the function of Permit2 is not one of this service' }
  return {
    title: 'Take approvals back',
    effects: pairs.map(({ token, spender }) => ({ kind: 'ends_allowance', token, spender })),
  }
}

function lockdownPairs(data: Hex): { token: Address; spender: Address }[] | null {
  try {
    const decoded = decodeFunctionData({ abi: permit2Abi, data })
    if (decoded.functionName !== 'lockdown') return null
    const [pairs] = decoded.args
    if (pairs.length === 0 || encodeFunctionData({ abi: permit2Abi, ...decoded }).toLowerCase() !== data)
      return null
    return pairs.map(({ token, spender }) => ({ token: lowerOf(token), spender: lowerOf(spender) }))
  } catch {
    return null
  }
}
const lowerOf = (address: Address): Address => address.toLowerCase() as Address

function readDisable({ wallet }: ReviewContext, { value, data }: UnsignedStep): Reading | Unknown {
  const delegation = disabledIn(data)
  if (value !== 0n || !delegation || encodeDisable(delegation) !== data)
    return { unknown: 'the function of the delegation manager is not one of this service' }
  if (delegation.delegator !== wallet) deny('the session to end is of another wallet')
  return { title: 'End a session', effects: [{ kind: 'ends_sessions', which: 'one' }] }
}

function disabledIn(data: Hex): Delegation | undefined {
  const [, offset, tuple] = /^0x49934047(0{62}20)(.*)$/.exec(data) ?? []
  const count = '1'.padStart(64, '0')
  return tuple ? decodeDelegations(`0x${offset}${count}${offset}${tuple}`)?.[0] : undefined
}

function readEndAll({ addresses }: Pins, { value, data }: UnsignedStep): Reading | Unknown {
  if (value !== 0n || data !== endAllCall(addresses).data)
    return { unknown: 'the function of the nonce contract is not one of this service' }
  return { title: 'End all sessions', effects: [{ kind: 'ends_sessions', which: 'all' }] }
}

/** `approve` and `transfer` of any token: nothing but this token can move by them. */
function readTokenCall(context: ReviewContext, call: UnsignedStep): Reading | Unknown {
  const { pins, curves } = context
  const { to: token, value, data } = call
  const approval = readApproval(pins, call)
  if (approval) {
    const isCurve = curves.some((one) => one.id === approval.spender && [one.token, one.pair].includes(token))
    return readApprove(
      approval,
      approval.spender === pins.permit2 ? 'permit2' : isCurve ? 'curve' : 'stranger',
    )
  }
  const words = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/.exec(data)
  if (!words || value !== 0n) return { unknown: 'the function is not one of this service' }
  return readPayment(context, { token, to: `0x${words[1]}`, amount: BigInt(`0x${words[2]}`) })
}

function readApprove({ token, spender, amount, expiresS }: Approval, role: Spender): Reading {
  if (amount === 0n)
    return { title: 'Take an approval back', effects: [{ kind: 'ends_allowance', token, spender }] }
  const allows: Effect = { kind: 'allows', token, spender, role, atMost: amount, untilS: expiresS }
  if (role !== 'stranger') return { title: 'Approve a token', effects: [allows] }
  return {
    title: 'Approve an unpinned address',
    effects: [allows],
    warnings: [
      `${spender} is not a pinned contract. It can take this amount at any time, without another signature.`,
    ],
    confirmAddresses: [spender],
  }
}

/** To the return address, or a fee beside a curve trade. */
function readPayment(
  { pins, returnAddress }: ReviewContext,
  { token, to, amount }: { token: Address; to: Address; amount: bigint },
): Reading {
  if (to === returnAddress)
    return {
      title: 'Send to your return address',
      effects: [{ kind: 'leaves', token, atMost: amount, to, payee: 'return' }],
    }
  if (to !== pins.feeRecipient) deny(`this wallet pays only its return address, not ${to}`)
  return { title: 'Pay a fee', effects: [feePaid(pins, token, amount)] }
}
