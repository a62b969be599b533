import {
  type Address,
  type Delegation,
  decodeDelegations,
  encodeDisable,
  endAllCall,
  type Hex,
  permit2Abi,
  readCurveCall,
} from '@pit/chain'
import { etherText } from '@pit/protocol'
import { decodeFunctionData } from 'viem'
import type { Pins } from '../pins.ts'
import type { UnsignedStep } from '../verify/facts.ts'
import { readApproval, readRouterCall } from '../verify/readPlan.ts'
import { amountText, deny, type ReviewContext } from './terms.ts'

interface CallReview {
  title: string
  lines: string[]
  warnings?: string[]
  isReturn?: boolean
}

/** One call in words. Unknown calls are refused. */
export function reviewCall(context: ReviewContext, call: UnsignedStep): CallReview {
  const { pins, wallet } = context
  const { to, value, data } = call
  if (to === pins.router) {
    const swap = readRouterCall(pins, call)
    return {
      title: 'Trade',
      lines: [
        `Sell ${amountText(pins, swap.tokenIn, swap.amountIn)} for at least ${amountText(pins, swap.tokenOut, swap.amountOutMin)}, paid to this wallet.`,
      ],
    }
  }
  const curve = readCurveCall(data)
  if (curve) {
    if (curve.recipient !== wallet) deny('the curve pays another recipient')
    const least = `at least ${curve.amountOutMin} atoms`
    return {
      title: 'Trade on a launchpad curve',
      lines: [`${curve.side === 'buy' ? 'Buy' : 'Sell'} ${least}, paid to this wallet.`],
      warnings: [`The curve ${to} is not pinned. Check its address.`],
    }
  }
  const approval = readApproval(pins, call)
  if (approval) return reviewApprove(pins, approval)
  return reviewRevocation(context, call) ?? reviewPayment(context, { to, value, data })
}

function reviewApprove(
  pins: Pins,
  { token, spender, amount }: NonNullable<ReturnType<typeof readApproval>>,
): CallReview {
  const isPinned = spender === pins.permit2 || spender === pins.router
  if (amount === 0n)
    return { title: 'Take an approval back', lines: [`${spender} may take nothing more.`], isReturn: true }
  return {
    title: 'Approve a token',
    lines: [
      `${isPinned ? 'The pinned exchange' : spender} may take up to ${amountText(pins, token, amount)}.`,
    ],
    ...(!isPinned && { warnings: [`${spender} is not a pinned contract. Check its address.`] }),
  }
}

/** disableDelegation, the nonce of all sessions, and Permit2's lockdown: each only takes access back. */
function reviewRevocation({ pins, wallet }: ReviewContext, call: UnsignedStep): CallReview | null {
  const { to, value, data } = call
  if (value !== 0n) return null
  const back = (title: string, line: string): CallReview => ({ title, lines: [line], isReturn: true })
  const endAll = endAllCall(pins.addresses)
  if (to === endAll.to && data === endAll.data)
    return back('End all sessions', 'Every session with controls ends on chain.')
  if (to === pins.addresses.manager && data.startsWith('0x49934047')) {
    const delegation = disabledIn(data)
    if (delegation?.delegator !== wallet || encodeDisable(delegation) !== data) return null
    return back('End a session', 'Its delegation is disabled on chain.')
  }
  if (to === pins.permit2 && isLockdown(data))
    return back('Take approvals back', 'Allowances at Permit2 are set to zero.')
  return null
}

function disabledIn(data: Hex): Delegation | undefined {
  const [, offset, tuple] = /^0x49934047(0{62}20)(.*)$/.exec(data) ?? []
  const count = '1'.padStart(64, '0')
  return tuple ? decodeDelegations(`0x${offset}${count}${offset}${tuple}`)?.[0] : undefined
}

function isLockdown(data: Hex): boolean {
  try {
    return decodeFunctionData({ abi: permit2Abi, data }).functionName === 'lockdown'
  } catch {
    return false
  }
}

/** Plain ETH, or a token's `transfer`: to the return address, or a fee beside a curve trade. */
function reviewPayment(
  { pins, returnAddress }: ReviewContext,
  { to, value, data }: UnsignedStep,
): CallReview {
  const words = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/.exec(data)
  const isToken = words !== null && value === 0n
  if (!isToken && data !== '0x') return deny(`the call to ${to} is not one of this service`)
  const payee: Address = isToken ? `0x${words[1]}` : to
  const sum = isToken ? amountText(pins, to, BigInt(`0x${words[2]}`)) : etherText(value)
  if (payee === returnAddress)
    return { title: 'Send to your return address', lines: [`${sum} to ${payee}.`], isReturn: true }
  if (payee !== pins.feeRecipient) deny(`this wallet pays only its return address, not ${payee}`)
  return { title: 'Pay a fee', lines: [`${sum} to the pinned fee recipient.`] }
}
