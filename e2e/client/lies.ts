import type { Random } from '../fuzz/random.ts'

/** Lies about an answer: every change to each field that a thief would make, and random changes. */
export type Json = null | boolean | number | string | Json[] | { [field: string]: Json }

export const THIEF = '0x00000000000000000000000000000000000bad01'
const THIEF_WORD = THIEF.slice(2).padStart(64, '0')

interface Place {
  /** Keys from the root of the answer. */
  keys: readonly (string | number)[]
  value: Json
}
export interface Lie {
  path: string
  answer: Json
}

/** Texts for people: changing them changes nothing that is signed. */
const WORDS =
  /\.(timings|why|note|label|says|in_words|on_chain_bounds|not_enforced_on_chain|then|how|effective)\b/

const pathOf = (keys: Place['keys']): string => keys.map((key) => `.${key}`).join('')
const placesByAnswer = new WeakMap<object, Place[]>()

/** Every field of an answer except texts for people. */
function placesIn(answer: Json): Place[] {
  if (answer === null || typeof answer !== 'object') return []
  const before = placesByAnswer.get(answer)
  if (before) return before
  const places: Place[] = []
  const walk = (value: Json, keys: Place['keys']) => {
    if (value === null || typeof value !== 'object') return
    for (const [key, one] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
      const at = [...keys, key]
      if (WORDS.test(`.${key}`)) continue
      places.push({ keys: at, value: one })
      walk(one, at)
    }
  }
  walk(answer, [])
  placesByAnswer.set(answer, places)
  return places
}

/** Removes a field. */
const GONE = Symbol('gone')
type Change = Json | typeof GONE

/** Every change to a value, in a fixed order. */
function changesOf(value: Json): Change[] {
  if (typeof value === 'boolean') return [!value, null]
  if (typeof value === 'number')
    return [value + 1, value - 1, value * 2, 0, -value, value + 1_000_000, 1e300, String(value), GONE]
  if (typeof value === 'string') return [...changedTexts(value), '', null, GONE]
  if (value === null) return [THIEF, 0, {}]
  if (Array.isArray(value))
    return [[], [...value, ...value], value.slice(1), value.slice(0, -1), [...value].reverse(), GONE]
  return [null, {}, GONE]
}

function changedTexts(text: string): string[] {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return [THIEF, `0x${'0'.repeat(40)}`]
  if (/^\d+$/.test(text)) {
    const value = BigInt(text)
    const near = [value + 1n, value - 1n, (value * 101n) / 100n, (value * 99n) / 100n]
    const far = [value * 2n, value / 2n, 0n, value * 1000n, (1n << 160n) - 1n, (1n << 256n) - 1n]
    return [...near, ...far].filter((one) => one >= 0n).map(String)
  }
  if (/^0x[0-9a-fA-F]*$/.test(text) && text.length > 10) return changedCalldatas(text)
  return [`${text}x`, text.toUpperCase(), 'HONEYPOT', 'severe', 'info', 'major', 'other', 'input', 'output']
}

/** Each word of calldata replaced by the thief's address, zero, the maximum, half, or one more. */
function changedCalldatas(text: string): string[] {
  const digits = text.slice(2)
  const head = digits.length % 64 === 8 ? 8 : 0
  const put = (at: number, what: string) => `0x${digits.slice(0, at)}${what}${digits.slice(at + what.length)}`
  const words = Math.floor((digits.length - head) / 64)
  const changed = Array.from({ length: words }, (_, i) => head + 64 * i).flatMap((at) => {
    const word = BigInt(`0x${digits.slice(at, at + 64)}`)
    const next = ((word + 1n) % (1n << 256n)).toString(16).padStart(64, '0')
    return [THIEF_WORD, '0'.repeat(64), 'f'.repeat(64), next, (word / 2n).toString(16).padStart(64, '0')].map(
      (what) => put(at, what),
    )
  })
  return [...changed, `0x${digits}00`, `0x${digits.slice(2)}`, `0x${digits.slice(0, -64)}`]
}

/** Only this field; every field with the same value; or also inside calldata, as a skilled thief would do. */
const REACHES = ['here', 'everywhere', 'encoded'] as const
type Reach = (typeof REACHES)[number]

/** All lies about one answer, in order, each built when it is used. */
export function structuredLies(answer: Json): { isMoney: boolean; tell(): Lie }[] {
  return placesIn(answer).flatMap((place) => {
    const path = pathOf(place.keys)
    const isMoney = MONEY.test(path)
    return changesOf(place.value).flatMap((change, n) =>
      REACHES.filter((reach) => reach === 'here' || typeof place.value === 'string').map((reach) => ({
        isMoney,
        tell: () => ({
          path: `${path} change ${n} ${reach}`,
          answer: applyChange(answer, place, change, reach),
        }),
      })),
    )
  })
}

/** One to three changes, anywhere. */
export function randomLie(answer: Json, random: Random): Lie {
  let [now, path] = [answer, '']
  for (let times = 1 + random.below(3); times > 0; times--) {
    const places = placesIn(now)
    // Most lies concern fields with money.
    const money = places.filter(({ keys }) => MONEY.test(pathOf(keys)))
    const place = random.pick(money.length > 0 && random.chance(0.75) ? money : places)
    if (!place) break
    const change = random.chance(0.3) ? flipped(place.value, random) : random.pick(changesOf(place.value))
    const reach = random.pick(REACHES)
    now = applyChange(now, place, change as Change, reach)
    path += ` ${pathOf(place.keys)} ${reach}`
  }
  return { path: `at random${path}`, answer: now }
}

const MONEY =
  /\.(tx|permit|sign|typed_data|message|amount\w*|fee\w*|deadline|risks|raw|to|executor\w*|session\w*)\b/

/** A text with one character changed. */
function flipped(value: Json, random: Random): Json {
  if (typeof value !== 'string' || value.length < 3) return value
  const at = 2 + random.below(value.length - 2)
  const digit = random.below(16).toString(16)
  return value.slice(0, at) + digit + value.slice(at + 1)
}

function applyChange(answer: Json, { keys, value }: Place, change: Change, reach: Reach): Json {
  const copy = structuredClone(answer)
  let parent = copy as Record<string | number, Json>
  for (const key of keys.slice(0, -1)) parent = parent[key] as Record<string | number, Json>
  const last = keys.at(-1)!
  if (change === GONE) {
    if (Array.isArray(parent)) parent.splice(Number(last), 1)
    else delete parent[last]
    return copy
  }
  parent[last] = change as Json
  if (reach === 'here' || typeof value !== 'string' || typeof change !== 'string' || value.length < 4)
    return copy
  return spread(copy, (text) => {
    if (text === value) return change
    const [was, is] = [wordOf(value), wordOf(change)]
    const isLong = reach === 'encoded' && /^0x[0-9a-f]{74,}$/.test(text)
    return isLong && was && is ? text.replaceAll(was, is) : text
  })
}

/** An amount or an address as it is encoded in calldata. */
function wordOf(text: string): string | null {
  if (/^\d{4,}$/.test(text)) return BigInt(text).toString(16).padStart(64, '0').slice(-64)
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? text.slice(2).toLowerCase() : null
}

function spread(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one) => spread(one, change))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, spread(one, change)]))
}
