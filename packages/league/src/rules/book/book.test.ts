import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MarketRecord } from '../marks.ts'
import { numbersOf } from '../season.ts'
import { seasonOf } from '../seasons.ts'
import { type BookTrade, emptyBook } from './book.ts'
import type { SeenBalance } from './cutToSeen.ts'
import { decodeBook, encodeBook } from './encode.ts'
import { advance, replay } from './replay.ts'
import { sampleTo } from './sample.ts'
import { valueBook } from './valueBook.ts'

const ETH = `0x${'0'.repeat(40)}`
const USDG = '0xd0'
const BTC = '0xb7'
const MEME = '0x3e'
const OTHER = '0x07'
const span = seasonOf(1_767_571_200, 1)
const HOUR = 3_600
const E18 = 10n ** 18n
const usd = (dollars: number): bigint => BigInt(Math.round(dollars * 1e6))

/** Prices that stand still unless a test moves them; in dollars. */
function marketOf(prices: Record<string, (atS: number) => number | null>): MarketRecord {
  const priceAt = (token: string, atS: number): bigint | null => {
    const price = prices[token]?.(atS) ?? null
    return price === null ? null : BigInt(Math.round(price * 1e6)) * 10n ** 12n
  }
  return {
    assets: new Map([
      [ETH, { decimals: 18 }],
      [USDG, { decimals: 6 }],
      [BTC, { decimals: 8 }],
    ]),
    native: ETH,
    priceAt,
    endMark: (token) => ({ priceE18: priceAt(token, span.endsAtS), diverges: false }),
  }
}
const still = marketOf({ [ETH]: () => 2_000, [USDG]: () => 1, [BTC]: () => 50_000 })

/** A wallet that has all it bought, and more. */
const PLENTY: SeenBalance = () => 10n ** 30n

let nextId = 0
const trade = (
  tokenIn: string,
  amountIn: bigint,
  tokenOut: string,
  amountOut: bigint,
  afterS = 60 * ++nextId,
): BookTrade => ({
  id: ++nextId,
  minedAtS: span.startsAtS + afterS,
  block: (span.startsAtS + afterS) * 10,
  swap: { tokenIn, tokenOut, amountIn, amountOut },
  gasWei: 0n,
})
const bookOf = (trades: BookTrade[], market = still, seen = PLENTY) =>
  replay(span, trades, span.endsAtS, market, seen)
const profitOf = (trades: BookTrade[], market = still, when: 'running' | 'ended' = 'ended') =>
  valueBook(bookOf(trades, market), span.endsAtS, market, when).profitMicroUsd

describe('a book', () => {
  it('counts what its trades made, not what was held before', () => {
    // Bought with a thousand dollars, the price then rises by a tenth.
    const rising = marketOf({
      [USDG]: () => 1,
      [ETH]: (atS) => (atS < span.startsAtS + 5 * HOUR ? 2_000 : 2_200),
    })
    const bought = trade(USDG, usd(1_000), ETH, E18 / 2n, HOUR)
    expect(profitOf([bought], rising)).toBe(usd(100))
    // ETH that was there before and is sold before the rise made nothing, and lost nothing.
    expect(profitOf([trade(ETH, E18, USDG, usd(2_000), HOUR)], rising)).toBe(0n)
  })

  it('brings in only what it lacks: money that comes back is used again', () => {
    const value = valueBook(
      bookOf([
        trade(USDG, usd(1_000), ETH, E18 / 2n),
        trade(ETH, E18 / 2n, USDG, usd(990)),
        trade(USDG, usd(1_000), ETH, E18 / 2n),
      ]),
      span.endsAtS,
      still,
      'ended',
    )
    expect(value).toMatchObject({
      capitalMicroUsd: usd(1_010),
      profitMicroUsd: usd(-10),
      returnBps: -100,
      unvalued: 0,
    })
  })

  it('separates the profit that no mark confirms', () => {
    const beyond = (trades: BookTrade[]) => {
      const numbers = numbersOf(bookOf(trades), span.endsAtS, still, 'ended')
      return [numbers.beyondMarksMicroUsd, numbers.profitMicroUsd]
    }
    // Each nine per cent off the mark, which is not an outlier.
    const bought = trade(USDG, usd(1_000), ETH, E18 / 2n)
    const sold = trade(ETH, E18 / 2n, USDG, usd(1_090))
    expect(
      beyond([bought, sold, trade(USDG, usd(1_000), ETH, E18 / 2n), trade(ETH, E18 / 2n, USDG, usd(1_090))]),
    ).toEqual([usd(180), usd(180)])
    // Own money through a pool of a token without a mark; losses against the marks take nothing off that.
    const odd = '0x00000000000000000000000000000000000000dd'
    const worse = trade(USDG, usd(1_000), ETH, E18 / 4n)
    expect(beyond([trade(USDG, usd(10), odd, 5n), trade(odd, 5n, USDG, usd(310)), worse])).toEqual([
      usd(300),
      usd(-200),
    ])
  })

  it('pays gas at ETH’s price, of reverted swaps and approvals too, and counts those as no trades', () => {
    const gas = (afterS: number): BookTrade => ({
      ...trade(USDG, 1n, ETH, 1n, afterS),
      swap: null,
      gasWei: E18 / 1_000n,
    })
    const book = bookOf([gas(60), { ...trade(USDG, usd(100), ETH, E18 / 20n, 120), gasWei: E18 / 1_000n }])
    expect(book.trades).toBe(1)
    expect(book.days.size).toBe(1)
    expect(valueBook(book, span.endsAtS, still, 'ended').profitMicroUsd).toBe(usd(-4))
  })

  describe('with a token that has no mark', () => {
    const bought = trade(USDG, usd(300), MEME, 3_000n, 60)
    it('holds it at cost, sells it at its proceeds, and writes off what is left', () => {
      const half = trade(MEME, 1_000n, USDG, usd(250), 120)
      expect(profitOf([bought], still, 'running')).toBe(0n)
      expect(profitOf([bought], still, 'ended')).toBe(usd(-300))
      expect(profitOf([bought, half], still, 'running')).toBe(usd(150))
      expect(profitOf([bought, half], still, 'ended')).toBe(usd(-50))
      expect(valueBook(bookOf([bought, half]), span.endsAtS, still, 'running').openUnpriced).toBe(1)
    })
    it('carries the cost into another such token', () => {
      const swapped = trade(MEME, 3_000n, OTHER, 7n, 120)
      expect(profitOf([bought, swapped], still, 'running')).toBe(0n)
      expect(profitOf([bought, swapped, trade(OTHER, 7n, USDG, usd(400), 180)])).toBe(usd(100))
    })
    it('counts nothing of one that was sent to the wallet, whatever it sells for', () => {
      expect(profitOf([trade(MEME, 1_000n, USDG, usd(5_000), 60)])).toBe(0n)
      const through = [
        trade(MEME, 1_000n, OTHER, 50n, 60),
        trade(OTHER, 50n, USDG, usd(5_000), 120),
        trade(USDG, usd(5_000), ETH, (E18 * 5n) / 2n, 180),
      ]
      expect(profitOf(through)).toBe(0n)
      // Half of what it sells it bought: half of the proceeds are its own.
      const mixed = [bought, trade(MEME, 6_000n, USDG, usd(1_000), 120)]
      expect(profitOf(mixed)).toBe(usd(200))
    })
    it('writes off what a pool never gave', () => {
      expect(profitOf([trade(USDG, usd(10), ETH, 0n)])).toBe(usd(-10))
    })
  })

  describe('without a price', () => {
    const outage = marketOf({
      [USDG]: () => 1,
      [ETH]: (atS) => (atS > span.startsAtS + HOUR && atS < span.startsAtS + 3 * HOUR ? null : 2_000),
    })
    it('is unvalued if ETH was brought in, and never zero', () => {
      const value = valueBook(
        bookOf([trade(ETH, E18, USDG, usd(2_000), 2 * HOUR)], outage),
        span.endsAtS,
        outage,
        'ended',
      )
      expect(value).toMatchObject({ profitMicroUsd: null, unvalued: 1, returnBps: null })
    })
    it('needs none for what it holds already', () => {
      const trades = [trade(USDG, usd(2_000), ETH, E18, 60), trade(ETH, E18, USDG, usd(2_100), 2 * HOUR)]
      expect(profitOf(trades, outage)).toBe(usd(100))
    })
    it('is unvalued while it holds what cannot be priced, and valued again after', () => {
      const book = bookOf([trade(USDG, usd(2_000), ETH, E18, 60)], outage)
      expect(valueBook(book, span.startsAtS + 2 * HOUR, outage, 'running')).toMatchObject({
        profitMicroUsd: null,
        unvalued: 1,
      })
      expect(valueBook(book, span.startsAtS + 4 * HOUR, outage, 'running').profitMicroUsd).toBe(0n)
    })
    it('has no cost for a token without a mark until it is sold or written off', () => {
      const bought = [trade(USDG, usd(2_000), ETH, E18, 60), trade(ETH, E18, MEME, 5n, 2 * HOUR)]
      expect(profitOf(bought, outage, 'running')).toBeNull()
      expect(profitOf(bought, outage, 'ended')).toBe(usd(-2_000))
      expect(profitOf([...bought, trade(MEME, 5n, USDG, usd(2_500), 4 * HOUR)], outage)).toBe(usd(500))
    })
  })

  it('counts trades far from the marks', () => {
    expect(bookOf([trade(USDG, usd(2_000), ETH, E18)]).outliers).toBe(0)
    expect(bookOf([trade(USDG, usd(2_000), ETH, (E18 * 9n) / 10n)]).outliers).toBe(0)
    expect(bookOf([trade(USDG, usd(2_000), ETH, (E18 * 89n) / 100n)]).outliers).toBe(1)
    expect(bookOf([trade(USDG, usd(2_000), ETH, (E18 * 12n) / 10n)]).outliers).toBe(1)
    expect(bookOf([trade(USDG, usd(2_000), MEME, 1n)]).outliers).toBe(0)
  })

  it('counts round trips', () => {
    const there = (afterS: number) => trade(USDG, usd(100), ETH, 50_000n, afterS)
    const back = (afterS: number, atoms: bigint) => trade(ETH, atoms, USDG, usd(99), afterS)
    expect(bookOf([there(60), back(360, 50_000n)]).roundTrips).toBe(1)
    expect(bookOf([there(60), back(360, 49_000n)]).roundTrips).toBe(1)
    expect(bookOf([there(60), back(360, 40_000n)]).roundTrips).toBe(0)
    expect(bookOf([there(60), back(361, 50_000n)]).roundTrips).toBe(0)
  })

  it('measures the deepest fall at full hours, against capital and the highest profit', () => {
    const moving = marketOf({
      [USDG]: () => 1,
      [ETH]: (atS) => {
        const hour = Math.floor((atS - span.startsAtS) / HOUR)
        return hour < 2 ? 2_000 : hour < 5 ? 3_000 : hour < 8 ? 1_500 : 4_000
      },
    })
    const book = bookOf([trade(USDG, usd(2_000), ETH, E18, 60)], moving)
    // From 3,000 to 1,500.
    expect(book.maxDrawdownBps).toBe(5_000)
    expect(book.peakMicroUsd).toBe(usd(2_000))
  })
})

describe('a book that goes on', () => {
  const wobbly = marketOf({
    [USDG]: () => 1,
    [ETH]: (atS) => 2_000 + ((atS / 60) % 700) - 350,
    [BTC]: (atS) => (Math.floor(atS / 7_200) % 9 === 0 ? null : 50_000 + ((atS / 60) % 9_000)),
  })
  const tokens = [ETH, USDG, BTC, MEME, OTHER]
  const someTrades = fc.array(
    fc.record({
      afterS: fc.integer({ min: 0, max: 14 * 86_400 - 1 }),
      tokenIn: fc.constantFrom(...tokens),
      hop: fc.integer({ min: 1, max: 4 }),
      amountIn: fc.bigInt({ min: 1n, max: 10n ** 19n }),
      amountOut: fc.bigInt({ min: 0n, max: 10n ** 19n }),
      gasWei: fc.bigInt({ min: 0n, max: 10n ** 15n }),
      reverted: fc.boolean(),
    }),
    { maxLength: 40 },
  )

  it('has the same result piece by piece through the store as all at once', () => {
    fc.assert(
      fc.property(someTrades, fc.integer({ min: 1, max: 9 }), fc.integer(), (drawn, pieces, salt) => {
        // Some hours see less than was bought, some nothing at all.
        const seen: SeenBalance = (token, atS) => {
          const n = Math.abs((atS / HOUR) * 7_919 + salt + token.length * 31) % 11
          return n === 0 ? null : n < 4 ? BigInt(n) * 10n ** 17n : 10n ** 30n
        }
        const trades = drawn.map((one, i): BookTrade => {
          const tokenOut = tokens[(tokens.indexOf(one.tokenIn) + one.hop) % tokens.length]!
          const { tokenIn, amountIn, amountOut, gasWei } = one
          const minedAtS = span.startsAtS + one.afterS
          const swap = one.reverted ? null : { tokenIn, tokenOut, amountIn, amountOut }
          return { id: i, minedAtS, block: minedAtS * 10, swap, gasWei }
        })
        const sorted = [...trades].sort((a, b) => a.minedAtS - b.minedAtS || a.id - b.id)
        let book = emptyBook(span.startsAtS)
        for (let i = 0; i < pieces; i++) {
          const part = sorted.slice(
            Math.floor((sorted.length * i) / pieces),
            Math.floor((sorted.length * (i + 1)) / pieces),
          )
          expect(advance(book, part, wobbly, seen)).toBe(true)
          // A look at the clock in between changes nothing that counts.
          const last = part.at(-1)
          if (last) sampleTo(book, last.minedAtS, wobbly, seen)
          book = decodeBook(JSON.parse(JSON.stringify(encodeBook(book))))
        }
        sampleTo(book, span.endsAtS, wobbly, seen)
        expect(encodeBook(book)).toEqual(encodeBook(replay(span, trades, span.endsAtS, wobbly, seen)))
      }),
      { numRuns: 60 },
    )
  })

  it('reports a trade that came late, and stays unchanged', () => {
    const book = bookOf([trade(USDG, usd(10), ETH, 5n, 5 * HOUR)])
    const before = encodeBook(book)
    expect(advance(book, [trade(USDG, usd(10), ETH, 5n, 4 * HOUR)], still, PLENTY)).toBe(false)
    expect(encodeBook(book)).toEqual(before)
  })
})
