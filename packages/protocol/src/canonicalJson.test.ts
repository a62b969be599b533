import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type Json } from './canonicalJson.ts'

const hasPython = (() => {
  try {
    execFileSync('python3', ['-c', ''], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\u0000\u001f', '\u007f\u0080', 'é"\\/', '\u2028\u2029', '😀', '\ud800', '～'),
)
const numbers = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -1, 0.5, 0.001, -2.25, 12345.678),
)
const values = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    numbers,
    texts,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(texts, tie('value'), { maxKeys: 6, noNullPrototype: true }),
  ),
})).value

describe('canonicalJson', () => {
  it.each<[Json, string]>([
    [{}, '{}'],
    [[], '[]'],
    [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
    [{ a: undefined, b: -0 }, '{"b":0}'],
    [{ a10: 1, a9: 2, A: 3, '': 4 }, '{"":4,"A":3,"a10":1,"a9":2}'],
    // Object keys that look like numbers come first in JavaScript; here they are texts.
    [{ b: 1, 10: 2, 9: 3 }, '{"10":2,"9":3,"b":1}'],
    ['é😀\u007f\n"\\/', '"\\u00e9\\ud83d\\ude00\\u007f\\n\\"\\\\/"'],
    [{ '～': 1, '😀': 2 }, '{"\\uff5e":1,"\\ud83d\\ude00":2}'],
    ['\ud800', '"\\ud800"'],
  ])('writes %j as %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })

  it('keeps a field named __proto__', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}') as Json)).toBe(
      '{"__proto__":{"a":2},"b":1}',
    )
  })

  it.each([
    ['a bigint', 1n],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['a function', () => 1],
    ['nothing in a list', [undefined]],
    ['not a number', Number.NaN],
    ['endless', { a: Number.POSITIVE_INFINITY }],
    ['a number past 2^53', 2 ** 53],
  ])('refuses %s', (_, value) => {
    expect(() => canonicalJson(value as Json)).toThrow()
  })

  it('reads back as what went in, ASCII only, the same for any order of fields', () => {
    fc.assert(
      fc.property(values, (value) => {
        const text = canonicalJson(value)
        expect(text).toMatch(/^[\x20-\x7e]*$/)
        const back = JSON.parse(text) as Json
        expect(back).toEqual(JSON.parse(JSON.stringify(value)))
        expect(canonicalJson(back)).toBe(text)
        expect(canonicalJson(turned(value))).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  it.skipIf(!hasPython)('is what Python writes, for texts and whole numbers', () => {
    const samples = fc.sample(values, { numRuns: 300, seed: 3 })
    const script =
      'import json,sys\nfor line in sys.stdin:\n' +
      ' print(json.dumps(json.loads(line),sort_keys=True,separators=(",",":")))'
    // Read by Python from another order and another escaping than ours.
    const input = samples.map((sample) => JSON.stringify(turned(sample))).join('\n')
    const lines = execFileSync('python3', ['-c', script], { input, encoding: 'utf8' }).trimEnd().split('\n')
    expect(samples.map(canonicalJson)).toEqual(lines)
  })
})

/** The same value, its fields in the opposite order. */
function turned(value: Json): Json {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, turned(inner as Json)]),
  )
}
