import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matches, readCriteria } from './logCriteria.ts'

const hex = (bytes: number) => (value: number) => `0x${value.toString(16).padStart(bytes * 2, '0')}`
const address = hex(20)
const topic = hex(32)
const small = fc.integer({ min: 0, max: 3 })
const choice = (name: (value: number) => string) =>
  fc.oneof(fc.constant(null), small.map(name), fc.array(small.map(name), { maxLength: 3 }))

/** Reference: absent, null and the empty list match anything, a list is an or, positions are an and. */
const expected = (wanted: unknown, found: string | undefined) => {
  if (wanted === null || wanted === undefined) return true
  const list = Array.isArray(wanted) ? wanted : [wanted]
  if (list.length === 0) return true
  return found !== undefined && list.includes(found)
}

test('a log matches if its address and each topic are among the requested ones', () => {
  fc.assert(
    fc.property(
      choice(address),
      fc.array(choice(topic), { maxLength: 4 }),
      small.map(address),
      fc.array(small.map(topic), { maxLength: 4 }),
      (wantedAddress, wantedTopics, at, topics) => {
        const criteria = readCriteria({ address: wantedAddress, topics: wantedTopics })
        const right =
          expected(wantedAddress, at) &&
          wantedTopics.every((wanted, index) => expected(wanted, topics[index]))
        expect(matches(criteria, { address: at, topics })).toBe(right)
      },
    ),
  )
})

test('case does not matter, invalid input is rejected', () => {
  const upper = `0x${'AB'.repeat(20)}`
  expect(matches(readCriteria({ address: upper }), { address: upper.toLowerCase(), topics: [] })).toBe(true)
  for (const bad of [
    5,
    [],
    { address: '0x1' },
    { topics: 'x' },
    { topics: ['0x1'] },
    { topics: [1, 2, 3, 4, 5] },
  ])
    expect(() => readCriteria(bad)).toThrow()
})
