// Whether a regular expression can take more than linear time: nested quantifiers, adjacent quantifiers over
// overlapping characters, and searches that start inside the run of an earlier one (`/\s*,/` on spaces).
import { EVERY, LINE_ENDS, parsePattern } from './parsePattern.mjs'

/** The reason why a pattern is super-linear; null if it is linear. */
export function findBacktracking(source, flags) {
  let tree
  try {
    tree = parsePattern(source, flags)
  } catch (error) {
    return error.message
  }
  const isSticky = flags.includes('y')
  const patterns = [{ tree, isSearch: false }, ...(isSticky ? [] : [{ tree, isSearch: true }])]
  // Lookarounds are searched from every position.
  for (const inner of lookarounds(tree)) patterns.push({ tree: inner, isSearch: true })
  for (const { tree, isSearch } of patterns) {
    const why = findAmbiguity(positionsOf(tree, { isSearch, isMultiline: flags.includes('m') }))
    if (why !== null) return why
  }
  return null
}

function lookarounds(node) {
  const inner = (node.items ?? (node.item ? [node.item] : [])).flatMap(lookarounds)
  const isLookaround = node.kind === 'ahead' || (node.kind === 'behind' && !isOneChar(node.item))
  return isLookaround ? [node.item, ...inner] : inner
}
const isOneChar = (node) =>
  node.kind === 'chars' || (node.kind === 'sequence' && node.items.length === 1 && isOneChar(node.items[0]))
const oneChar = (node) => (node.kind === 'chars' ? node.set : oneChar(node.items[0]))

/**
 * The positions of the pattern with the positions that may follow each (Glushkov). A search is one more position,
 * 0, that reads any character and is followed by itself.
 */
function readPositions(tree, { isSearch, isMultiline, isEndFree }) {
  const all = [{ set: EVERY, next: new Map() }]
  const link = (from, to) => {
    for (const one of from) {
      for (const other of to) all[one].next.set(other, (all[one].next.get(other) ?? 0) + 1)
    }
  }
  const nothing = { isNullable: true, isFree: true, first: [], last: [], lastFree: [] }
  const never = { ...nothing, isNullable: false, isFree: false }
  const condition = { ...nothing, isFree: false }

  function read(set) {
    const id = all.push({ set, next: new Map() }) - 1
    return { isNullable: false, isFree: false, first: [id], last: [id], lastFree: [id] }
  }
  const either = (parts) => ({
    isNullable: parts.some((part) => part.isNullable),
    isFree: parts.some((part) => part.isFree),
    first: parts.flatMap((part) => part.first),
    last: parts.flatMap((part) => part.last),
    lastFree: parts.flatMap((part) => part.lastFree),
  })
  function then(one, other) {
    link(one.last, other.first)
    return {
      isNullable: one.isNullable && other.isNullable,
      isFree: one.isFree && other.isFree,
      first: one.isNullable ? [...one.first, ...other.first] : one.first,
      last: other.isNullable ? [...one.last, ...other.last] : other.last,
      // Where the match may be complete without a further condition.
      lastFree: other.isFree ? [...one.lastFree, ...other.lastFree] : other.lastFree,
    }
  }

  /** Two copies of a bounded repetition show the same ambiguity as a thousand. */
  function repeat({ item, min, max }) {
    let result = nothing
    for (let copy = 0; copy < Math.min(min, max === Number.POSITIVE_INFINITY ? min - 1 : min, 2); copy++)
      result = then(result, visit(item))
    if (max !== Number.POSITIVE_INFINITY) {
      for (let copy = 0; copy < Math.min(max - min, 2); copy++)
        result = then(result, either([nothing, visit(item)]))
      return result
    }
    const loop = visit(item)
    link(loop.last, loop.first)
    return then(result, min === 0 ? either([nothing, loop]) : loop)
  }

  function visit(node) {
    if (node.kind === 'chars') return read(node.set)
    if (node.kind === 'sequence') return node.items.map(visit).reduce(then, nothing)
    if (node.kind === 'alternatives') return either(node.items.map(visit))
    if (node.kind === 'repeat') return repeat(node)
    if (node.kind === 'end' && isEndFree) return nothing
    if (node.kind === 'start') {
      if (!isSearch) return condition
      return isMultiline ? read(LINE_ENDS) : never
    }
    // The character before: a separate position, as if it were consumed.
    if (node.kind === 'behind' && isOneChar(node.item)) {
      const before = oneChar(node.item)
      return read(node.isNegative ? EVERY & ~before : before)
    }
    return condition
  }

  const { first, lastFree } = visit(tree)
  if (isSearch) {
    link([0], [0])
    link([0], first)
  }
  return { all, lastFree }
}

/** The positions without those after which the match succeeds, because nothing is tried again then. */
function positionsOf(tree, options) {
  const { all, lastFree } = readPositions(tree, options)
  for (const id of lastFree) all[id].set = 0n
  if (options.isMultiline) return all
  // A run of any characters always reaches the end of the text.
  for (const id of readPositions(tree, { ...options, isEndFree: true }).lastFree)
    if (all[id].set === EVERY && all[id].next.has(id)) all[id].set = 0n
  return all
}

/** Two ways to read one text: from p to p, from p to q and from q to q (infinite degree of ambiguity). */
function findAmbiguity(all) {
  const next = all.map(({ next }) => [...next.keys()].filter((id) => all[id].set !== 0n))
  const reach = all.map((_, from) => closure(next, from))
  const loops = all.map((_, id) => id).filter((id) => all[id].set !== 0n && reach[id].has(id))
  const sameLoop = (one, other) => reach[one].has(other) && reach[other].has(one)
  for (const one of loops) {
    for (const [other, ways] of all[one].next)
      if (ways > 1 && all[other].set !== 0n && sameLoop(one, other)) return 'nested quantifiers'
  }
  for (const p of loops) {
    for (const q of loops) {
      if (p !== q && reach[p].has(q) && (all[p].set & all[q].set) !== 0n && isAmbiguous(p, q))
        return p === 0 ? 'a search that starts again inside its own run' : 'adjacent quantifiers that overlap'
    }
  }
  return null

  function isAmbiguous(p, q) {
    const seen = new Set()
    const open = [[p, p, q]]
    while (open.length > 0) {
      const [a, b, c] = open.pop()
      for (const x of next[a].filter((id) => sameLoop(id, p))) {
        for (const z of next[c].filter((id) => sameLoop(id, q) && (all[id].set & all[x].set) !== 0n)) {
          for (const y of next[b]) {
            if ((all[x].set & all[y].set & all[z].set) === 0n || !(y === q || reach[y].has(q))) continue
            if (x === p && y === q && z === q) return true
            const key = (x * all.length + y) * all.length + z
            if (!seen.has(key)) open.push([x, y, z])
            seen.add(key)
          }
        }
      }
    }
    return false
  }
}

function closure(next, from) {
  const reached = new Set(next[from])
  for (const id of reached) for (const further of next[id]) reached.add(further)
  return reached
}
