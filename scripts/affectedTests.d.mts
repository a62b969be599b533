export function affectedTests(change: {
  files: ReadonlyMap<string, string>
  changed: readonly string[]
  exportsOf: Readonly<Record<string, Readonly<Record<string, string>>>>
}): string[]
export function withinBudget(
  tests: readonly string[],
  options: { budgetS: number; required: readonly string[] },
): string[]
