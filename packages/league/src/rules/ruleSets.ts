/** How a season is ranked and how its owner clusters are judged. */
export interface RuleSet {
  /** `profit`: all of it. `profit at marks`: without the part that no independent mark confirms. */
  ranksBy: 'profit' | 'profit at marks'
  /** Which cluster an entry joins that linked itself to several: the earliest one, or every one of them. */
  joins: 'earliest' | 'all'
}

/** By version. A version that judged a season never changes: its record is verified with it. */
const RULE_SETS: ReadonlyMap<number, RuleSet> = new Map([
  [1, { ranksBy: 'profit', joins: 'earliest' }],
  [2, { ranksBy: 'profit at marks', joins: 'all' }],
])

/** Seasons that open from now on are judged by this version, seasons that are open keep theirs. */
export const RULES_VERSION = 2

export function ruleSetOf(version: number): RuleSet {
  const rules = RULE_SETS.get(version)
  if (!rules) throw new Error(`League rules version ${version} is unknown; use a newer release.`)
  return rules
}

export const CURRENT_RULES = ruleSetOf(RULES_VERSION)
