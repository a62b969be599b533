import { Value } from '@sinclair/typebox/value'
import { expect, it } from 'vitest'
import { StatementRequest } from './leagueEntry.ts'

// Both values become part of a text that an owner signs, a line each.
it.each([
  ['agent_id', '7'],
  ['hosted_id', 'h_1'],
])('accepts an id and no other text as %s of a statement', (field, good) => {
  const accepts = (value: unknown) => Value.Check(StatementRequest, { agent_id: '7', [field]: value })
  expect(accepts(good)).toBe(true)
  const tails = ['\n', '\nI confirm', '\r', ' ', '\u2028x', '\u0000']
  for (const bad of ['', ...tails.flatMap((tail) => [good + tail, tail + good])])
    expect(accepts(bad)).toBe(false)
})
