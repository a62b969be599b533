/** Longer names are not typing errors, and comparing them is expensive. */
const MAX_CHARS = 64
/** Share of the longer name's letters that may differ. */
const MAX_DIFFERENT = 0.4

/** The most similar known name, or null. Ignores case and separators. */
export function nearestName(given: string, known: readonly string[]): string | null {
  if (given.length > MAX_CHARS) return null
  const letters = plain(given)
  let nearest: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const name of known) {
    const candidate = plain(name)
    const changes = editDistance(letters, candidate)
    if (changes > MAX_DIFFERENT * Math.max(letters.length, candidate.length) || changes >= least) continue
    nearest = name
    least = changes
  }
  return nearest
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** How many letters have to be added, dropped or changed (Levenshtein), one row of the table at a time. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const changed = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[other.length]!
}
