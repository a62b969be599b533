import { type Address, type Hex, NATIVE, type PermitSingle } from '@pit/chain'
import { type CURVE_FEE_MODES, TRADE } from '@pit/protocol'
import type { TradeQuote, WalletState } from '../types.ts'
import type { TradeAddresses } from './addresses.ts'
import { type ApprovalNeed, type ApprovalTerms, curveNeed, routerNeed } from './approvals.ts'
import type { BuildableRoute } from './chooseRoute.ts'
import type { SignedPermit } from './permits.ts'
import { approveStep, type Draft } from './steps.ts'

/** Source of a permit's signature. */
export type PermitSource =
  | { kind: 'asked' }
  | ({ kind: 'signed' } & SignedPermit)
  | { kind: 'own key'; sign(permit: PermitSingle): Hex }

export interface BuildRequest {
  quote: TradeQuote
  route: BuildableRoute
  wallet: WalletState
  minAmountOut?: bigint
  approval: ApprovalTerms
  permit: PermitSource
  /** Amount of an earlier call's permit, if this call must reuse it. */
  granted?: bigint
  curveFeeMode: (typeof CURVE_FEE_MODES)[number]
  nowS: number
}

export interface Spending extends ApprovalNeed {
  /** Null for ETH. */
  spender: Address | null
  /** The token accepts a new approval only after the old one was set to zero. */
  resetsFirst: boolean
}

export const deadlineOf = (nowS: number): number => nowS + TRADE.deadlineS

/** Required approvals and their spender; pure, so that it can run before the plan is built. */
export function spendingOf(addresses: TradeAddresses, request: BuildRequest): Omit<Spending, 'resetsFirst'> {
  const { quote, route, wallet, approval, permit, nowS } = request
  const isEth = quote.tokenIn.address === NATIVE
  if (route.way.kind === 'curve') {
    const need = curveNeed(quote, wallet, approval, quote.swapIn)
    return { ...need, spender: isEth ? null : route.way.curve.id }
  }
  const anchorS = permit.kind === 'signed' ? permit.nowS : nowS
  const need = routerNeed(quote, wallet, approval, { anchorS, deadlineS: deadlineOf(nowS) })
  const grant = need.grant && { ...need.grant, amount: request.granted ?? need.grant.amount }
  return { ...need, grant, spender: isEth ? null : addresses.permit2 }
}

export const floorOf = ({ minAmountOut }: Pick<BuildRequest, 'minAmountOut'>) =>
  minAmountOut === undefined ? {} : { minAmountOut }

/** The token's own approval, in one step or, if the token requires it, in two. */
export function approvalDrafts(
  { quote }: BuildRequest,
  { spender, approve, resetsFirst, reason }: Spending,
): Draft[] {
  if (approve === null || spender === null) return []
  const token = quote.tokenIn
  const reset = 'This token accepts a new approval only after the old one was set to zero.'
  return [
    ...(resetsFirst ? [approveStep(token, spender, 0n, reset)] : []),
    approveStep(token, spender, approve, reason),
  ]
}
