/** A rule of an ordered list; its rows may have more fields. Null: not applicable, or not enough facts. */
export interface Rule<Facts, Verdict, Code extends string = string> {
  code: Code
  check(facts: Facts): Verdict | null
}

type AnyRule = Rule<never, unknown>
type FactsOf<R extends AnyRule> = Parameters<R['check']>[0]
type VerdictOf<R extends AnyRule> = Exclude<Awaited<ReturnType<R['check']>>, null>
/** Builds the list's own row from a rule and its verdict. */
type Describe<R extends AnyRule, Row> = (rule: R, verdict: VerdictOf<R>) => Row

/** Evaluates every applicable rule, in list order. */
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

/** Evaluates up to the first rule with a verdict; null if none has one. */
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

/** `judgeAll` for async rules: sequential, so that none runs after one that throws. */
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
