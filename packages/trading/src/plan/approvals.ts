import { NATIVE } from '@pit/chain'
import {
  type APPROVAL_MODES,
  maxOf,
  microUsdDown,
  type PERMIT_MODES,
  type PERMIT_SCOPES,
  TRADE,
} from '@pit/protocol'
import type { TradeQuote, WalletState } from '../types.ts'

export const MAX_UINT256 = (1n << 256n) - 1n
export const MAX_UINT160 = (1n << 160n) - 1n
const MAX_UINT96 = (1n << 96n) - 1n

/** More than Permit2 can move, or the maximum of tokens that count in 96 bits. */
export const isUnlimited = (allowance: bigint): boolean =>
  allowance >= MAX_UINT160 || allowance === MAX_UINT96

export interface ApprovalTerms {
  mode: (typeof APPROVAL_MODES)[number]
  budgetUsd: number
  permitMode: (typeof PERMIT_MODES)[number]
  permitScope: (typeof PERMIT_SCOPES)[number]
}

/** Permit2's allowance to the router, with its expiry. */
export interface Grant {
  amount: bigint
  expirationS: number
}

/** Approvals required before the swap; none for ETH. */
export interface ApprovalNeed {
  /** Amount of the input that the spender takes. */
  needed: bigint
  /** The spender's current allowance. */
  allowance: bigint
  /** The token's own approval; null if the current allowance suffices. */
  approve: bigint | null
  /** Permit2's allowance to the router; null if a lasting one exists, and for curves. */
  grant: Grant | null
  reason: string
}

const NOTHING = { needed: 0n, allowance: 0n, approve: null, grant: null }

/** For the router: the token to Permit2, and Permit2 to the router until the deadline. */
export function routerNeed(
  quote: TradeQuote,
  wallet: Pick<WalletState, 'allowance' | 'permit'>,
  terms: ApprovalTerms,
  { anchorS, deadlineS }: { anchorS: number; deadlineS: number },
): ApprovalNeed {
  if (quote.tokenIn.address === NATIVE) return { ...NOTHING, reason: 'ETH needs no approval.' }
  const needed = quote.amountIn
  const { allowance, permit } = wallet
  const approve = allowance >= needed ? null : approvalAmount(quote, needed, terms)
  // Permit2 treats an allowance as expired from the second after its expiration.
  const lasts = permit.amount >= needed && permit.expirationS >= deadlineS
  const grant = lasts ? null : grantOf(quote, terms, anchorS)
  return { needed, allowance, approve, grant, reason: reasonOf(approve, grant, allowance) }
}

/** For a curve, which pulls its input itself. */
export function curveNeed(
  quote: TradeQuote,
  wallet: Pick<WalletState, 'curveAllowance'>,
  terms: ApprovalTerms,
  needed: bigint,
): ApprovalNeed {
  if (quote.tokenIn.address === NATIVE) return { ...NOTHING, reason: 'ETH needs no approval.' }
  const allowance = wallet.curveAllowance
  const approve = allowance >= needed ? null : approvalAmount(quote, needed, terms)
  return { needed, allowance, approve, grant: null, reason: reasonOf(approve, null, allowance) }
}

/** Remaining approval after the trade. Most tokens do not decrease an unlimited one. */
export function leftAfter({ approve, allowance, needed }: ApprovalNeed): bigint {
  const granted = approve ?? allowance
  return isUnlimited(granted) ? granted : granted - needed
}

/** At least what this trade spends. */
function approvalAmount(quote: TradeQuote, needed: bigint, { mode, budgetUsd }: ApprovalTerms): bigint {
  if (mode === 'unlimited') return MAX_UINT256
  if (mode === 'exact') return needed
  return maxOf(budgetAtoms(quote, budgetUsd), needed)
}

function grantOf(quote: TradeQuote, terms: ApprovalTerms, anchorS: number): Grant {
  if (terms.permitScope === 'trade') {
    return { amount: quote.amountIn, expirationS: anchorS + TRADE.permitTradeExpiryS }
  }
  const expirationS = anchorS + TRADE.permit30dExpiryS
  if (terms.mode === 'unlimited') return { amount: MAX_UINT160, expirationS }
  return { amount: approvalAmount(quote, quote.amountIn, terms), expirationS }
}

/** The budget in atoms at the price of this trade, rounded down. */
function budgetAtoms({ amountIn, notionalMicroUsd }: TradeQuote, budgetUsd: number): bigint {
  if (notionalMicroUsd === null || notionalMicroUsd === 0n) return 0n
  const atoms = (amountIn * microUsdDown(budgetUsd)) / notionalMicroUsd
  // A nearly worthless token is capped at what Permit2 can move.
  return isUnlimited(atoms) ? MAX_UINT160 - 1n : atoms
}

function reasonOf(approve: bigint | null, grant: Grant | null, allowance: bigint): string {
  if (approve !== null) {
    return allowance === 0n
      ? 'The wallet has not approved the input token yet.'
      : 'The remaining approval is smaller than this trade.'
  }
  return grant === null
    ? 'The existing approval suffices.'
    : 'The token is approved, but the router’s permit is missing, too small or about to expire.'
}
