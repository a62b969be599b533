/** A seeded source of lies: each changes one place of an answer, the way a thief would or at random. */
export type Json = null | boolean | number | string | Json[] | { [field: string]: Json }

export function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

type Place = { parent: Json[] | { [field: string]: Json }; key: string | number; path: string }

function placesIn(value: Json, path = ''): Place[] {
  if (value === null || typeof value !== 'object') return []
  const parent = value
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  return keys.flatMap((key) => {
    const at = `${path}.${key}`
    return [{ parent, key, path: at }, ...placesIn(read(parent, key), at)]
  })
}

const read = (parent: Place['parent'], key: string | number): Json =>
  (parent as Record<string | number, Json>)[key]!
const THIEF = '0x00000000000000000000000000000000000bad01'

/** Changes one place of a copy; says where. */
export function lie(answer: Json, random: (below: number) => number): { answer: Json; path: string } {
  const copy = structuredClone(answer)
  const places = placesIn(copy).filter(
    ({ path }) => !/\.(timings|tokens|why|message|note|label)\b/.test(path),
  )
  // Most lies are told where the money is.
  const money = places.filter(({ path }) => /^\.(tx|permit|steps.*\.tx|amount|fee|deadline|risks)/.test(path))
  const list = money.length > 0 && random(4) > 0 ? money : places
  const { parent, key, path } = list[random(list.length)]!
  const told = changed(read(parent, key), random)
  if (told === undefined) {
    if (Array.isArray(parent)) parent.splice(Number(key), 1)
    else delete parent[key]
  } else (parent as Record<string | number, Json>)[key] = told
  return { answer: copy, path }
}

function changed(value: Json, random: (below: number) => number): Json | undefined {
  if (random(20) === 0) return undefined
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return [value + 1, value * 2, 0, -value, value + 1_000_000][random(5)]!
  if (typeof value === 'string') return changedText(value, random)
  if (value === null) return THIEF
  if (Array.isArray(value)) return random(2) === 0 ? [] : [...value, ...value]
  return random(2) === 0 ? null : {}
}

function changedText(text: string, random: (below: number) => number): string {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return THIEF
  if (/^\d+$/.test(text)) {
    const value = BigInt(text)
    return [value + 1n, value * 2n, value / 2n, 0n, value * 1000n][random(5)]!.toString()
  }
  if (/^0x[0-9a-fA-F]*$/.test(text) && text.length > 10) return changedCalldata(text, random)
  return [`${text}x`, '', 'HONEYPOT', 'severe', 'major', 'output'][random(6)]!
}

/** Bytes flipped, words replaced, an address put where another stood. */
function changedCalldata(text: string, random: (below: number) => number): string {
  const digits = text.slice(2)
  const words = Math.floor((digits.length - 8) / 64)
  const at = 8 + 64 * random(Math.max(words, 1))
  const put = (from: number, what: string) =>
    `0x${digits.slice(0, from)}${what}${digits.slice(from + what.length)}`
  switch (random(4)) {
    case 0: {
      const i = random(digits.length)
      return put(i, ((Number.parseInt(digits[i]!, 16) + 1 + random(15)) % 16).toString(16))
    }
    case 1:
      return put(at, THIEF.slice(2).padStart(64, '0'))
    case 2:
      return put(at, '0'.repeat(64))
    default:
      return put(at, random(1_000_000).toString(16).padStart(64, '0'))
  }
}
