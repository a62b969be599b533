import { boundControls } from '@pit/protocol'
import type { Rehearsal, RuleVerdict } from '@pit/signer-wire'
import { verdictsOf } from '../checks.ts'
import { readStanding } from '../ledger/readStanding.ts'
import { ledgerRules, standingRules } from '../ledger/rules.ts'
import { addedBy, type ControlFacts, controlRules, isAgain } from '../orders/controlRules.ts'
import { showTrigger } from '../orders/countControlled.ts'
import { readControls } from '../orders/readControls.ts'
import { type CosignDeps, factsOf, findSession, leafRequestOf } from './cosignTrade.ts'
import { leafRules } from './rules.ts'
import type { CosignRequest } from './types.ts'

/** Every rule of a trade with its verdict. Nothing is signed, counted or stored. */
export async function rehearseTrade(deps: CosignDeps, request: CosignRequest): Promise<Rehearsal> {
  const { controls: control } = deps
  const session = await findSession(deps, request)
  const { facts, touchesStock } = await factsOf(deps, session, request)
  const leaf = leafRequestOf({ facts, touchesStock, failures: [] })
  const isControlled = boundControls(session.binding) !== undefined
  const fault = isControlled ? await showTrigger(control, { session, facts }, 'forget') : null
  const atMs = control.clock.nowMs()
  const standing = await readStanding(control.db, session.rootHash, atMs)
  if (!standing) throw new Error('a session is not in the ledger')
  let controls: ControlFacts | null = null
  if (isControlled) {
    const input = { session, facts, triggerFault: fault, atMs }
    controls = markShown((await readControls(control.db, control, input)).controls, fault)
  }
  const isRepeated = controls !== null && isAgain(controls) !== null
  const added = isRepeated ? { ...leaf, microUsd: addedBy(controls!)?.microUsd ?? null } : leaf
  const checks: RuleVerdict[] = [
    ...verdictsOf(leafRules, facts).filter(({ rule }) => !isControlled || rule !== 'ORDER_SESSION'),
    ...(controls ? verdictsOf(controlRules, controls) : []),
    ...verdictsOf(isRepeated ? standingRules : ledgerRules, { request: added, standing }),
  ]
  const { max_trades, max_day_micro_usd } = session.binding.limits
  return {
    checks,
    spend: {
      trades: standing.sequence,
      trades_left: max_trades - standing.sequence,
      day_micro_usd: Number(standing.dayMicroUsd),
      day_left_micro_usd: max_day_micro_usd - Number(standing.dayMicroUsd),
      this_micro_usd: leaf.microUsd === null ? null : Number(leaf.microUsd),
    },
  }
}

/** A trigger that the named rounds show as met counts as met, although that is not stored. */
function markShown(controls: ControlFacts, fault: Awaited<ReturnType<typeof showTrigger>>): ControlFacts {
  const stored = controls.order?.stored
  if (!stored || fault !== null) return controls
  return { ...controls, order: { ...controls.order!, stored: { ...stored, triggerFault: null } } }
}
