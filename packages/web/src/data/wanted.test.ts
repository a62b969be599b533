import { expect, it } from 'vitest'
import { shownWanted } from './wanted.ts'

it('folds wanted signatures to the three that expire first', () => {
  const signatures = [50, 20, 40, 10].map(
    (valid_until) => ({ id: String(valid_until), valid_until }) as never,
  )
  const idsOf = (isFolded: boolean) => shownWanted(signatures, isFolded).map(({ id }) => id)
  expect(idsOf(true)).toEqual(['10', '20', '40'])
  expect(idsOf(false)).toEqual(['10', '20', '40', '50'])
})
