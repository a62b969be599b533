/** The first path at which two values differ, depth first; null when they are equal as JSON. */
export function firstDifference(
  recorded: unknown,
  rebuilt: unknown,
  path = '',
): { path: string; recorded: unknown; rebuilt: unknown } | null {
  if (Object.is(recorded, rebuilt)) return null
  if (!isTree(recorded) || !isTree(rebuilt) || Array.isArray(recorded) !== Array.isArray(rebuilt))
    return { path: path || '(all)', recorded, rebuilt }
  const keys = new Set([...Object.keys(recorded), ...Object.keys(rebuilt)])
  for (const key of keys) {
    const at = path === '' ? key : `${path}.${key}`
    const difference = firstDifference(recorded[key], rebuilt[key], at)
    if (difference) return difference
  }
  return null
}

const isTree = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
