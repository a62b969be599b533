import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CONTRACT } from '../test/contract.ts'
import {
  codeDeviations,
  extraCodes,
  limitDeviations,
  routeDeviations,
  setDeviations,
} from '../test/contractDeviations.ts'
import { NUMBERS, OTHER_NUMBERS, VALUE_SETS } from '../test/contractTables.ts'
import { DIFFERENCES } from './differences.ts'

/** Conditions that the documents state, and the catalogue of their fields leaves out. */
const CONDITIONS: readonly { deviation: RegExp; because: string }[] = [
  {
    deviation: /terms\.fee_bps is not in every answer$/,
    because: 'only terms of a session granted under schedule 1 keep fee_bps',
  },
  { deviation: /estimate\.why is not in every answer$/, because: 'only a pending estimate has a reason' },
  {
    deviation: /^league\.(statement|enter|leave): board defaults to nothing$/,
    because: 'the default is prize, but practice with a hosted_id',
  },
]

const deviations = [
  ...routeDeviations(CONTRACT),
  ...extraCodes(CONTRACT),
  ...codeDeviations(CONTRACT),
  ...limitDeviations(CONTRACT),
  ...setDeviations(CONTRACT),
]

const ACCEPTED: readonly RegExp[] = [
  ...CONDITIONS.map(({ deviation }) => deviation),
  ...DIFFERENCES.flatMap(({ shownBy }) => (typeof shownBy === 'string' ? [] : [shownBy.deviation])),
]

describe('the tables', () => {
  it('are the contract’s, but for the differences in the documentation', () => {
    expect(deviations.filter((what) => !ACCEPTED.some((pattern) => pattern.test(what)))).toEqual([])
  })

  it('still have every difference and condition that is listed', () => {
    expect(ACCEPTED.filter((pattern) => !deviations.some((what) => pattern.test(what)))).toEqual([])
  })

  it('name a test for each difference that they do not show', () => {
    const tests = DIFFERENCES.flatMap(({ shownBy }) => (typeof shownBy === 'string' ? [shownBy] : []))
    const root = new URL('../../../', import.meta.url)
    expect(tests.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
  })

  it('have a row for each value set and number of the contract', () => {
    expect(Object.keys(VALUE_SETS).toSorted()).toEqual(Object.keys(CONTRACT.value_sets).toSorted())
    const numbers = [...Object.keys(NUMBERS), ...Object.keys(OTHER_NUMBERS)]
    expect(numbers.toSorted()).toEqual(Object.keys(CONTRACT.numbers).toSorted())
  })

  it.each(Object.entries(NUMBERS))('have the contract’s %s', (name, value) => {
    expect(value).toEqual(CONTRACT.numbers[name])
  })
})
