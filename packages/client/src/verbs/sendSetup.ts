import { type Address, NATIVE } from '@pit/chain'
import {
  COSIGNER,
  markPrice,
  microUsdUp,
  SESSION,
  type SessionBindingV3,
  TRADE,
  worthUp,
} from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { broken, must } from '../errors.ts'
import { markOf, type OwnMarks } from '../own/marks.ts'
import { stepOf } from '../verify/facts.ts'
import type { GrantAsk, Pending } from '../verify/grant.ts'
import { gasOf, readApproval } from '../verify/readPlan.ts'
import { sendAll } from './revoke.ts'

export interface SetupFacts {
  ask: GrantAsk
  binding: SessionBindingV3
  marks: OwnMarks
  /** Curves that the session's own roots allow, each the launchpad's. */
  curves: readonly Address[]
}

/** Sends a grant's approvals: of the session's tokens alone, to Permit2, the router or its curves, within budget. */
export async function sendSetup(
  deps: ClientDeps,
  { setup }: Pending,
  facts: SetupFacts,
  options: VerbOptions,
): Promise<void> {
  const steps = setup.map(({ tx }) => {
    if (!tx) return broken('GRANT_CAPS', 'a step of the setup has no transaction')
    const step = stepOf(tx)
    const approval = readApproval(deps.pins, step)
    if (!approval) return broken('GRANT_CAPS', 'a step of the setup is no approval')
    checkApproval(deps, facts, approval)
    return { step, gas: gasOf(deps.pins, tx) }
  })
  await sendAll(deps, steps, options)
}

function checkApproval(
  { pins }: ClientDeps,
  { ask, binding, marks, curves }: SetupFacts,
  { token, spender, amount, expiresS }: NonNullable<ReturnType<typeof readApproval>>,
): void {
  const isBound = token !== NATIVE && binding.tokens.includes(token)
  must(isBound, 'GRANT_CAPS', 'the setup approves a token outside the session', { token })
  const isKnown =
    expiresS === null ? spender === pins.permit2 || curves.includes(spender) : spender === pins.router
  must(isKnown, 'GRANT_CAPS', 'the setup approves somebody else', { spender })
  if (expiresS !== null)
    must(
      expiresS <= binding.expires_at + TRADE.deadlineS,
      'GRANT_CAPS',
      'the setup’s approval outlasts the session',
    )
  if (amount === 0n) return
  const mark = markOf(marks, token, pins.weth)
  must(mark !== undefined, 'GRANT_CAPS', 'the client has no price to hold an approval against', { token })
  const budget = microUsdUp(ask.setup_budget_usd ?? ask.max_day_usd ?? SESSION.maxDayUsdDefault)
  const most = budget * BigInt(10_000 + COSIGNER.capPriceBandBps)
  const isWithin = worthUp(amount, markPrice(mark.priceE18, mark.decimals)) * 10_000n <= most
  must(isWithin, 'GRANT_CAPS', 'the setup approves more than the session’s budget', { token })
}
