/** A rule of an ordered list, whose rows may have more. Null: nothing to judge, or too little to judge by. */
export interface Rule<Facts, Verdict, Code extends string = string> {
  code: Code
  check(facts: Facts): Verdict | null
}

type AnyRule = Rule<never, unknown>
type FactsOf<R extends AnyRule> = Parameters<R['check']>[0]
type VerdictOf<R extends AnyRule> = Exclude<Awaited<ReturnType<R['check']>>, null>
/** Makes the list's own row of a rule and its verdict. */
type Describe<R extends AnyRule, Row> = (rule: R, verdict: VerdictOf<R>) => Row

/** Judges by every rule that can be judged, in the list's order. */
export function judgeAll<R extends AnyRule, Row>(
  rules: readonly R[],
  facts: FactsOf<R>,
  describe: Describe<R, Row>,
): Row[] {
  const rows: Row[] = []
  for (const rule of rules) {
    const verdict = rule.check(facts as never)
    if (verdict !== null) rows.push(describe(rule, verdict as VerdictOf<R>))
  }
  return rows
}

/** Judges up to the first rule that has something to say; null when none has. */
export function judgeFirst<R extends AnyRule, Row>(
  rules: readonly R[],
  facts: FactsOf<R>,
  describe: Describe<R, Row>,
): Row | null {
  for (const rule of rules) {
    const verdict = rule.check(facts as never)
    if (verdict !== null) return describe(rule, verdict as VerdictOf<R>)
  }
  return null
}

/** As `judgeAll` for rules that wait: one after the other, so that none is asked in vain after a throw. */
export async function judgeAllAsync<R extends AnyRule, Row>(
  rules: readonly R[],
  facts: FactsOf<R>,
  describe: Describe<R, Row>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const rule of rules) {
    const verdict = await rule.check(facts as never)
    if (verdict !== null) rows.push(describe(rule, verdict as VerdictOf<R>))
  }
  return rows
}
