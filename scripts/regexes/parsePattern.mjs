// A regular expression as a tree: characters as bit sets over a sample of the alphabet, sequences, alternatives,
// repetitions and assertions.

/** All of ASCII, and of the rest at least one character of each class that patterns distinguish. */
const SAMPLE = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...[
    '\u0085',
    '\u00a0',
    '\u00ad',
    '\u00df',
    '\u00e9',
    '\u0130',
    '\u017f',
    '\u0301',
    '\u0661',
    '\u200b',
    '\u202e',
  ],
  ...[
    '\u2028',
    '\u212a',
    '\u4e2d',
    '\ud800',
    '\ue000',
    '\ufe0f',
    '\ufeff',
    '\uff1d',
    '\u{1f600}',
    '\u{e0041}',
  ],
]
const sets = new Map()

/** The sample characters that an atom matches. */
function setOf(source, flags) {
  const key = `${flags}/${source}`
  if (!sets.has(key)) {
    const pattern = new RegExp(`^(?:${source})$`, flags)
    const bits = SAMPLE.map((char, at) => (pattern.test(char) ? 1n << BigInt(at) : 0n))
    sets.set(
      key,
      bits.reduce((all, bit) => all | bit, 0n),
    )
  }
  return sets.get(key)
}

const ESCAPE = /\\(?:u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|.)/suy
const CLASS = /\[(?:\\.|[^\]\\])*\]/sy
const COUNT = /\{(\d+)(,(\d*))?\}/y
const GROUP = /\((?:\?(?:[:=!]|<[=!]|<\w+>))?/y

/** Throws on what the analysis does not know, such as references to a group. */
export function parsePattern(source, flags) {
  const setFlags = flags.replace(/[^isuv]/g, '')
  let at = 0
  const take = (pattern) => {
    pattern.lastIndex = at
    const match = pattern.exec(source)
    if (match) at = pattern.lastIndex
    return match
  }

  function alternatives() {
    const options = [sequence()]
    while (source[at] === '|') {
      at += 1
      options.push(sequence())
    }
    return options.length === 1 ? options[0] : { kind: 'alternatives', items: options }
  }

  function sequence() {
    const items = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') items.push(repeated())
    return { kind: 'sequence', items }
  }

  function repeated() {
    const item = atom()
    const [min, max] = count()
    if (max === 1 && min === 1) return item
    // A lazy repetition tries the same matches in another order.
    if (source[at] === '?') at += 1
    return { kind: 'repeat', item, min, max }
  }

  function count() {
    const char = source[at]
    const bounds = { '*': [0, Number.POSITIVE_INFINITY], '+': [1, Number.POSITIVE_INFINITY], '?': [0, 1] }[
      char
    ]
    if (bounds) {
      at += 1
      return bounds
    }
    const match = char === '{' ? take(COUNT) : null
    if (!match) return [1, 1]
    const min = Number(match[1])
    return [min, match[2] ? (match[3] ? Number(match[3]) : Number.POSITIVE_INFINITY) : min]
  }

  function atom() {
    const char = source[at]
    if (char === '(') return group()
    if (char === '^' || char === '$') {
      at += 1
      return { kind: char === '^' ? 'start' : 'end' }
    }
    const text = char === '\\' ? take(ESCAPE)[0] : char === '[' ? take(CLASS)[0] : codePoint()
    if (text === '\\b' || text === '\\B') return { kind: 'condition' }
    if (/^\\[1-9k]/.test(text)) throw new Error('a reference to a group')
    return { kind: 'chars', set: setOf(char === '{' || char === '}' ? `\\${text}` : text, setFlags) }
  }

  function codePoint() {
    const char = /[uv]/.test(flags) ? String.fromCodePoint(source.codePointAt(at)) : source[at]
    at += char.length
    return char
  }

  function group() {
    const open = take(GROUP)[0]
    const item = alternatives()
    at += 1
    if (open === '(?=' || open === '(?!') return { kind: 'ahead', item }
    if (open === '(?<=' || open === '(?<!') return { kind: 'behind', item, isNegative: open === '(?<!' }
    return item
  }

  return alternatives()
}

/** Characters, and where lines end. */
export const EVERY = setOf('[^]', '')
export const LINE_ENDS = setOf('[\\n\\r\\u2028]', '')
