import { NATIVE } from '@pit/chain'
import { atomsDown, markPrice, maxOf, minOf, TRADE } from '@pit/protocol'
import { approveStep, type Draft, isUnlimited, MAX_UINT160, permit2ApproveStep } from '@pit/trading'
import type { SessionAddresses } from '../addresses.ts'
import type { TokenApprovals } from '../readWallet.ts'
import type { GrantToken } from './findTokens.ts'

export interface TokenBudget {
  token: GrantToken
  /** Maximum outflow during the session, as limited by approvals. */
  budget: bigint
  before: TokenApprovals
}

/** ERC-20 tokens with their budgets; ETH needs no approval. */
export function budgetsOf(
  tokens: readonly GrantToken[],
  approvals: readonly TokenApprovals[],
  budgetMicroUsd: bigint,
): TokenBudget[] {
  return tokens.flatMap((token, i) => {
    if (token.address === NATIVE) return []
    const atoms = atomsDown(budgetMicroUsd, markPrice(token.priceE18, token.decimals))
    // Permit2 treats its maximum amount as unlimited.
    return [{ token, budget: minOf(atoms, MAX_UINT160 - 1n), before: approvals[i]! }]
  })
}

/** Sessions use no permits: the main key approves the router or a curve once, in advance. */
export function setupDrafts(
  { permit2, router }: SessionAddresses,
  budgets: readonly TokenBudget[],
  expiresAtS: number,
): Draft[] {
  // A trade made in the last seconds may be mined until its own deadline.
  const expirationS = expiresAtS + TRADE.deadlineS
  return budgets.flatMap(({ token, budget, before }) => {
    if (budget === 0n) return []
    const drafts: Draft[] = []
    const approve = (spender: typeof permit2, allowance: bigint, why: string) => {
      if (allowance >= budget) return
      // Some tokens require a reset to zero before a new approval; core assets do not.
      if (allowance > 0n && !token.isCore) {
        drafts.push(approveStep(token, spender, 0n, 'Resets the old approval before a new one.'))
      }
      drafts.push(approveStep(token, spender, budget, why))
    }
    if (token.hasPools) {
      approve(permit2, before.permit2, `Allows Permit2 to move the session’s budget of ${named(token)}.`)
      const { amount, expirationS: until } = before.permit
      if (amount < budget || until < expirationS) {
        drafts.push(permit2ApproveStep({ permit2, token, router, amount: budget, expirationS }))
      }
    }
    if (token.curve)
      approve(token.curve, before.curve, `Allows the curve to take the session’s budget of ${named(token)}.`)
    return drafts
  })
}

/** Amount that could be taken with all approvals, including earlier ones. */
export function approvedAtoms({ token, budget, before }: TokenBudget): bigint | 'unlimited' {
  const byRouter = token.hasPools
    ? minOf(maxOf(budget, before.permit2), maxOf(budget, before.permit.amount))
    : 0n
  const byCurve = token.curve ? maxOf(budget, before.curve) : 0n
  const total = byRouter + byCurve
  return isUnlimited(byRouter) || isUnlimited(byCurve) ? 'unlimited' : total
}

const named = ({ symbol }: GrantToken): string => symbol.slice(0, 32)
