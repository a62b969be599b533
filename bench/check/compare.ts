/** By name; less is better. */
export type Figures = Record<string, number>

const MAX_WORSE = 1.25

/** Every figure beside its baseline. Worse: over a quarter above it, or no longer measured. */
export function compare(figures: Figures, baseline: Figures): { lines: string[]; worse: string[] } {
  const names = [...new Set([...Object.keys(baseline), ...Object.keys(figures)])]
  const rows = names.map((name) => {
    const [value, before] = [figures[name], baseline[name]]
    if (before === undefined) return { line: `${name}: ${value!.toFixed(3)}, no baseline`, worse: null }
    if (value === undefined) return { line: `${name}: not measured`, worse: `${name} was not measured` }
    const line = `${name}: ${value.toFixed(3)} against ${before} (${(value / before).toFixed(2)}x)`
    return { line, worse: value > before * MAX_WORSE ? line : null }
  })
  return { lines: rows.map(({ line }) => line), worse: rows.flatMap(({ worse }) => worse ?? []) }
}
