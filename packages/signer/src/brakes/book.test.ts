import { NATIVE } from '@pit/chain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { E18, JUNK, PARTNER, PINS, STOCK, USDG, WETH } from '../../test/kit.ts'
import {
  type Book,
  type BookPriceOf,
  bookOf,
  bookTrade,
  EMPTY_BOOK,
  profitOf,
  storedBook,
  worstOf,
} from './book.ts'
import { isClosing } from './closing.ts'

const E6 = 1_000_000n
const priceOf =
  (usd: number): BookPriceOf =>
  (token) =>
    token === USDG
      ? { priceE18: E18, decimals: 6, feedless: false }
      : { priceE18: BigInt(usd) * E18, decimals: 18, feedless: token === JUNK }

describe('a book', () => {
  const buy = { tokenIn: USDG, tokenOut: NATIVE, amountIn: 100n * E6, received: E18, microUsd: 100n * E6 }

  it('takes input beyond it as capital, and values the rest at prices', () => {
    const book = bookTrade(EMPTY_BOOK, buy)
    expect(book.capitalMicroUsd).toBe(100n * E6)
    expect(profitOf(book, priceOf(90))).toBe(-10n * E6)
    const sold = { tokenIn: NATIVE, tokenOut: USDG, amountIn: E18, received: 95n * E6, microUsd: 95n * E6 }
    const after = bookTrade(book, sold)
    expect([...after.tokens]).toEqual([[USDG, { atoms: 95n * E6, costMicroUsd: 95n * E6 }]])
    expect(profitOf(after, priceOf(1))).toBe(-5n * E6)
    const more = bookTrade(after, { ...buy, amountIn: 200n * E6, microUsd: 200n * E6, received: 2n * E18 })
    expect(more.capitalMicroUsd).toBe(205n * E6)
  })

  it('never counts a token without a feed above its cost', () => {
    const book = bookTrade(EMPTY_BOOK, { ...buy, tokenOut: JUNK })
    expect(profitOf(book, priceOf(500))).toBe(0n)
    expect(profitOf(book, priceOf(40))).toBe(-60n * E6)
    const half = bookTrade(book, {
      tokenIn: JUNK,
      tokenOut: USDG,
      amountIn: E18 / 2n,
      received: 80n * E6,
      microUsd: 50n * E6,
    })
    expect(profitOf(half, priceOf(500))).toBe(30n * E6)
  })

  it('has no profit while a token has no price', () => {
    expect(profitOf(bookTrade(EMPTY_BOOK, buy), () => null)).toBeNull()
    expect(profitOf(EMPTY_BOOK, () => null)).toBe(0n)
  })

  it('is stored as it is', () => {
    const book = bookTrade(EMPTY_BOOK, buy)
    expect(bookOf(JSON.parse(JSON.stringify(storedBook(book))), Number(book.capitalMicroUsd))).toEqual(book)
  })

  it('never holds less than nothing, whatever the trades', () => {
    const token = fc.constantFrom(NATIVE, USDG, PARTNER)
    const amount = fc.bigInt({ min: 1n, max: 10n ** 24n })
    const trade = fc.record({
      tokenIn: token,
      tokenOut: token,
      amountIn: amount,
      received: amount,
      microUsd: amount,
    })
    fc.assert(
      fc.property(fc.array(trade, { maxLength: 20 }), (trades) => {
        let book: Book = EMPTY_BOOK
        for (const one of trades) {
          const before = book.capitalMicroUsd
          book = bookTrade(book, one)
          expect(book.capitalMicroUsd >= before).toBe(true)
          for (const { atoms, costMicroUsd } of book.tokens.values())
            expect(atoms > 0n && costMicroUsd >= 0n).toBe(true)
        }
      }),
    )
  })
})

it('an unsettled leaf costs its shortfall at most, and never gains', () => {
  const leaf = { tokenIn: USDG, tokenOut: NATIVE, amountIn: 100n * E6, minOut: E18 }
  expect(worstOf(leaf, priceOf(98))).toBe(-2n * E6)
  expect(worstOf(leaf, priceOf(120))).toBe(0n)
  expect(worstOf(leaf, () => null)).toBeNull()
  expect(worstOf({ ...leaf, tokenOut: JUNK }, priceOf(500))).toBe(0n)
})

it.each([
  [NATIVE, USDG, true],
  [STOCK, USDG, true],
  [STOCK, NATIVE, true],
  [JUNK, WETH, true],
  [PARTNER, WETH, true],
  [USDG, NATIVE, false],
  [NATIVE, WETH, false],
  [WETH, NATIVE, false],
  [USDG, STOCK, false],
  [NATIVE, STOCK, false],
  [STOCK, PARTNER, false],
])('from %s to %s closes: %s', (tokenIn, tokenOut, closes) => {
  expect(isClosing({ tokenIn, tokenOut }, PINS)).toBe(closes)
})
