import { NATIVE } from '@pit/chain'
import { atomsDown, markPrice, maxOf, minOf, TRADE } from '@pit/protocol'
import { approveStep, type Draft, isUnlimited, MAX_UINT160, permit2ApproveStep } from '@pit/trading'
import type { SessionAddresses } from '../addresses.ts'
import type { TokenApprovals } from '../readWallet.ts'
import type { GrantToken } from './findTokens.ts'

export interface TokenBudget {
  token: GrantToken
  /** What the session may take of it in all, as far as approvals bound it. */
  budget: bigint
  before: TokenApprovals
}

/** The ERC-20 tokens with what may leave of each: ETH needs no approval. */
export function budgetsOf(
  tokens: readonly GrantToken[],
  approvals: readonly TokenApprovals[],
  budgetMicroUsd: bigint,
): TokenBudget[] {
  return tokens.flatMap((token, i) => {
    if (token.address === NATIVE) return []
    const atoms = atomsDown(budgetMicroUsd, markPrice(token.priceE18, token.decimals))
    // Permit2 takes its largest amount for no limit at all.
    return [{ token, budget: minOf(atoms, MAX_UINT160 - 1n), before: approvals[i]! }]
  })
}

/** Sessions carry no permits: the main key approves the router or a curve once, before. */
export function setupDrafts(
  { permit2, router }: SessionAddresses,
  budgets: readonly TokenBudget[],
  expiresAtS: number,
): Draft[] {
  // A trade may be made in the last seconds and land by its own deadline.
  const expirationS = expiresAtS + TRADE.deadlineS
  return budgets.flatMap(({ token, budget, before }) => {
    if (budget === 0n) return []
    const drafts: Draft[] = []
    const approve = (spender: typeof permit2, allowance: bigint, why: string) => {
      if (allowance >= budget) return
      // Some tokens take a new approval only after the old one is gone; core assets take it.
      if (allowance > 0n && !token.isCore) {
        drafts.push(approveStep(token, spender, 0n, 'Takes the old approval back before a new one.'))
      }
      drafts.push(approveStep(token, spender, budget, why))
    }
    if (token.hasPools) {
      approve(permit2, before.permit2, `Lets Permit2 move the session’s budget of ${named(token)}.`)
      const { amount, expirationS: until } = before.permit
      if (amount < budget || until < expirationS) {
        drafts.push(permit2ApproveStep({ permit2, token, router, amount: budget, expirationS }))
      }
    }
    if (token.curve)
      approve(token.curve, before.curve, `Lets its curve take the session’s budget of ${named(token)}.`)
    return drafts
  })
}

/** What could leave of a token if everything approved were taken, earlier approvals included. */
export function approvedAtoms({ token, budget, before }: TokenBudget): bigint | 'unlimited' {
  const byRouter = token.hasPools
    ? minOf(maxOf(budget, before.permit2), maxOf(budget, before.permit.amount))
    : 0n
  const byCurve = token.curve ? maxOf(budget, before.curve) : 0n
  const total = byRouter + byCurve
  return isUnlimited(byRouter) || isUnlimited(byCurve) ? 'unlimited' : total
}

const named = ({ symbol }: GrantToken): string => symbol.slice(0, 32)
