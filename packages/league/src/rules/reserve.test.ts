import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { capAtoms, countLedger, splitBudget } from './reserve.ts'

const E18 = 10n ** 18n
const amount = fc.bigInt({ min: 0n, max: 10n ** 30n })

describe('a budget', () => {
  it('is split to the atom, what rounding leaves to the first', () => {
    expect(splitBudget(100n)).toEqual([50n, 30n, 20n])
    expect(splitBudget(7n)).toEqual([4n, 2n, 1n])
    expect(splitBudget(1n)).toEqual([1n, 0n, 0n])
    fc.assert(
      fc.property(amount, (budget) => {
        const [first, second, third] = splitBudget(budget) as [bigint, bigint, bigint]
        expect(first + second + third).toBe(budget)
        expect(second).toBe((budget * 3n) / 10n)
        expect(third).toBe(budget / 5n)
      }),
    )
  })
})

describe('the ledger', () => {
  // 5,000 dollars at half a dollar are 10,000 tokens.
  const price = E18 / 2n
  it('adds half of the gain and budgets a third', () => {
    const ledger = countLedger({
      reserveBefore: 900n * E18,
      gain: 1_200n * E18,
      partnerPriceE18: price,
      placesWon: 3,
    })
    expect(ledger).toMatchObject({
      cap: 10_000n * E18,
      ceiling: 30_000n * E18,
      halfGain: 600n * E18,
      added: 600n * E18,
      keptStaked: 600n * E18,
      reserve: 1_500n * E18,
      budget: 500n * E18,
      shares: [250n * E18, 150n * E18, 100n * E18],
      paidTotal: 500n * E18,
      reserveAfter: 1_000n * E18,
    })
  })
  it('keeps what is over three caps staked, and pays one cap at most', () => {
    const ledger = countLedger({
      reserveBefore: 29_900n * E18,
      gain: 1_200n * E18,
      partnerPriceE18: price,
      placesWon: 3,
    })
    expect(ledger).toMatchObject({
      added: 100n * E18,
      keptStaked: 1_100n * E18,
      reserve: 30_000n * E18,
      budget: 10_000n * E18,
    })
    const fallen = countLedger({
      reserveBefore: 40_000n * E18,
      gain: 10n,
      partnerPriceE18: price,
      placesWon: 3,
    })
    expect(fallen).toMatchObject({
      added: 0n,
      keptStaked: 10n,
      reserve: 40_000n * E18,
      budget: 10_000n * E18,
    })
  })
  it('keeps the share of a place without a winner', () => {
    const ledger = countLedger({ reserveBefore: 300n, gain: 0n, partnerPriceE18: price, placesWon: 1 })
    expect(ledger).toMatchObject({ budget: 100n, paid: [50n], paidTotal: 50n, reserveAfter: 250n })
    const nobody = countLedger({ reserveBefore: 300n, gain: 0n, partnerPriceE18: price, placesWon: 0 })
    expect(nobody).toMatchObject({ paid: [], paidTotal: 0n, reserveAfter: 300n })
  })
  it('loses no atom for any input', () => {
    const places = fc.integer({ min: 0, max: 3 })
    const prices = fc.bigInt({ min: 1n, max: 10n ** 24n })
    fc.assert(
      fc.property(
        amount,
        fc.bigInt({ min: -(10n ** 24n), max: 10n ** 30n }),
        prices,
        places,
        (before, gain, at, n) => {
          const ledger = countLedger({ reserveBefore: before, gain, partnerPriceE18: at, placesWon: n })
          expect(ledger.added + ledger.keptStaked).toBe(gain > 0n ? gain : 0n)
          expect(before + ledger.added).toBe(ledger.reserveAfter + ledger.paidTotal)
          expect(ledger.budget <= capAtoms(at) && ledger.budget <= ledger.reserve / 3n).toBe(true)
          expect(ledger.reserve <= ledger.ceiling || ledger.reserve === before).toBe(true)
        },
      ),
    )
  })
})
