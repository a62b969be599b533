import { checkWith, withDefaults } from '@pit/protocol'
import { dca } from './rules/dca.ts'
import { grid } from './rules/grid.ts'
import { meanReversion } from './rules/meanReversion.ts'
import { momentum } from './rules/momentum.ts'
import { rebalance } from './rules/rebalance.ts'
import type { RuleBrain, RuleBrainName } from './types.ts'

export const RULE_BRAINS: Readonly<Record<RuleBrainName, RuleBrain>> = {
  dca,
  momentum,
  mean_reversion: meanReversion,
  grid,
  rebalance,
}

export const isRuleBrain = (name: string): name is RuleBrainName => Object.hasOwn(RULE_BRAINS, name)

export type RuleParams =
  | { ok: true; params: Record<string, unknown> }
  | { ok: false; code: 'BAD_REQUEST' | 'UNKNOWN_FIELD'; field: string; message: string }

/** Validates params and adds defaults; with `pairs`, also checks that they fit. */
export function readRuleParams(
  brain: RuleBrain,
  input: Record<string, unknown>,
  pairs?: readonly string[],
): RuleParams {
  const checked = checkWith(brain.paramsSchema, withDefaults(brain.paramsSchema, input))
  if (!checked.ok) {
    const field = checked.field === '' ? 'params' : `params.${checked.field}`
    return { ok: false, code: checked.code, field, message: checked.message }
  }
  const params = withDefaults(brain.paramsSchema, input)
  const problem = brain.paramsProblem?.(params) ?? (pairs && brain.pairsProblem?.(params, pairs))
  return problem === undefined ? { ok: true, params } : { ok: false, code: 'BAD_REQUEST', ...problem }
}
