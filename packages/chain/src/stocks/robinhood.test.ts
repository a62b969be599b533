import { numberToHex } from 'viem'
import { expect, it } from 'vitest'
import { robinhood } from './robinhood.ts'
import { multiplierAt } from './types.ts'

const E18 = 10n ** 18n
const answers = (...words: bigint[]) => words.map((word) => numberToHex(word, { size: 32 }))

it('counts by the clock from the second a multiplier takes effect', () => {
  const read = robinhood.multiplierIn(answers(E18, 4n * E18, 1_000n))!
  expect([999, 1_000, 1_001].map((atS) => multiplierAt(read, atS))).toEqual([E18, 4n * E18, 4n * E18])
})

it('keeps to the current one where none was announced', () => {
  expect(multiplierAt(robinhood.multiplierIn(answers(E18, 0n, 0n))!, 5)).toBe(E18)
  expect(multiplierAt(robinhood.multiplierIn(answers(E18, 2n * E18, 2n ** 255n))!, 2 ** 40)).toBe(E18)
})

it('says nothing of what cannot be read', () => {
  expect(robinhood.multiplierIn([null, null, null])).toBeNull()
  expect(robinhood.multiplierIn(['0x', '0x', '0x'])).toBeNull()
  expect(robinhood.multiplierIn(answers(0n, E18, 1n))).toBeNull()
})
