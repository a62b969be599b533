import { expect, it } from 'vitest'
import { compare } from '../bench/check/compare.ts'

it('accepts a quarter more, and names what is worse or missing', () => {
  expect(compare({ quote: 1.25, prepare: 2 }, { quote: 1, prepare: 2 }).worse).toEqual([])
  expect(compare({ quote: 1.26, prepare: 1 }, { quote: 1, prepare: 2 }).worse).toEqual([
    'quote: 1.260 against 1 (1.26x)',
  ])
  expect(compare({ quote: 1 }, { quote: 1, prepare: 2 }).worse).toEqual(['prepare was not measured'])
})

it('lists a new figure without judging it', () => {
  expect(compare({ quote: 1, submit: 3 }, { quote: 1 })).toEqual({
    lines: ['quote: 1.000 against 1 (1.00x)', 'submit: 3.000, no baseline'],
    worse: [],
  })
})
