import { type Address, NATIVE } from '@pit/chain'
import {
  boundMarks,
  COSIGNER,
  markPrice,
  microUsdUp,
  SESSION,
  type SessionBindingV3,
  TRADE,
  worthUp,
} from '@pit/protocol'
import type { ClientDeps } from '../deps.ts'
import { broken, must } from '../errors.ts'
import { markOf, type OwnMarks } from '../own/marks.ts'
import { stepOf } from '../verify/facts.ts'
import type { GrantParams, Pending } from '../verify/grant.ts'
import { type Approval, mustBeOnce, readApproval } from '../verify/readPlan.ts'
import type { OwnCall } from './sendOwn.ts'

export interface SetupFacts {
  request: GrantParams
  binding: SessionBindingV3
  marks: OwnMarks
  /** Curves that the session's own roots allow, each the launchpad's. */
  curves: readonly Address[]
}

export interface Setup {
  approvals: readonly Approval[]
  calls: readonly OwnCall[]
}

/** A grant's approvals: of the session's tokens alone, to Permit2, the router or its curves, within budget. */
export function readSetup(deps: ClientDeps, { setup }: Pending, facts: SetupFacts): Setup {
  const read = setup.map(({ tx }) => {
    if (!tx) return broken('GRANT_CAPS', 'a step of the setup has no transaction')
    const step = stepOf(tx)
    const approval = readApproval(deps.pins, step)
    if (!approval) return broken('GRANT_CAPS', 'a step of the setup is not an approval')
    checkApproval(deps, facts, approval)
    return { step, approval }
  })
  mustBeOnce(read.map(({ step }) => step))
  return {
    approvals: read.map(({ approval }) => approval),
    calls: read.map(({ step: { to, data } }) => ({ to, data })),
  }
}

function checkApproval(
  { pins }: ClientDeps,
  { request, binding, marks, curves }: SetupFacts,
  { token, spender, amount, expiresS }: NonNullable<ReturnType<typeof readApproval>>,
): void {
  const isBound = token !== NATIVE && binding.tokens.includes(token)
  must(isBound, 'GRANT_CAPS', 'the setup approves a token outside the session', { token })
  const isKnown =
    expiresS === null ? spender === pins.permit2 || curves.includes(spender) : spender === pins.router
  must(isKnown, 'GRANT_CAPS', 'the setup approves an unexpected spender', { spender })
  if (expiresS !== null)
    must(
      expiresS <= binding.expires_at + TRADE.deadlineS,
      'GRANT_CAPS',
      'the setup’s approval outlasts the session',
    )
  if (amount === 0n) return
  const mark = markOf(marks, token, pins.weth) ?? signedMark(binding, token)
  must(mark !== undefined, 'GRANT_CAPS', 'the client has no price to check an approval', { token })
  const budget = microUsdUp(request.setup_budget_usd ?? request.max_day_usd ?? SESSION.maxDayUsdDefault)
  const most = budget * BigInt(10_000 + COSIGNER.capPriceBandBps)
  const isWithin = worthUp(amount, markPrice(mark.priceE18, mark.decimals)) * 10_000n <= most
  must(isWithin, 'GRANT_CAPS', 'the setup approves more than the session’s budget', { token })
}

/** The price the owner signs, which was compared with the client's own reading. */
function signedMark(binding: SessionBindingV3, token: Address) {
  const mark = boundMarks(binding).find((one) => one.token === token)
  return mark && { priceE18: BigInt(mark.price_e18), decimals: mark.decimals }
}
