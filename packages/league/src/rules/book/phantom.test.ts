import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MarketRecord } from '../marks.ts'
import { type BookNumbers, numbersOf } from '../season.ts'
import { seasonOf } from '../seasons.ts'
import type { BookTrade } from './book.ts'
import type { SeenBalance } from './cutToSeen.ts'
import { replay } from './replay.ts'

const ETH = `0x${'0'.repeat(40)}`
const USDG = '0xd0'
const MEME = '0x3e'
const HOUR = 3_600
const E18 = 10n ** 18n
const span = seasonOf(1_767_571_200, 1)
const usd = (dollars: number): bigint => BigInt(Math.round(dollars * 1e6))

/** ETH by the hour of the season; the price of a time is that of the hour it lies in. */
const marketOf = (priceOf: (hour: number) => number): MarketRecord => {
  const priceAt = (token: string, atS: number) =>
    token === USDG ? E18 : BigInt(Math.round(priceOf((atS - span.startsAtS) / HOUR) * 1e6)) * 10n ** 12n
  return {
    assets: new Map([
      [ETH, { decimals: 18 }],
      [USDG, { decimals: 6 }],
    ]),
    native: ETH,
    priceAt,
    endMark: (token) => ({ priceE18: priceAt(token, span.endsAtS), diverges: false }),
  }
}

/** A wallet whose trades are relayed, and which does other things that are not. */
function openWallet(priceOf: (hour: number) => number, start: Record<string, bigint>) {
  const trades: BookTrade[] = []
  const moves: { atS: number; token: string; atoms: bigint }[] = []
  const atOf = (hour: number) => span.startsAtS + Math.round(hour * HOUR)
  const move = (hour: number, token: string, atoms: bigint) => moves.push({ atS: atOf(hour), token, atoms })
  for (const [token, atoms] of Object.entries(start)) moves.push({ atS: 0, token, atoms })
  const ethFor = (micro: bigint, hour: number) => (micro * E18) / usd(priceOf(hour))
  const dollarsFor = (atoms: bigint, hour: number) => (atoms * usd(priceOf(hour))) / E18
  const swap = (hour: number, tokenIn: string, amountIn: bigint, tokenOut: string, amountOut: bigint) => {
    const id = trades.length + 1
    trades.push({
      id,
      minedAtS: atOf(hour),
      block: id,
      swap: { tokenIn, tokenOut, amountIn, amountOut },
      gasWei: 0n,
    })
    move(hour, tokenIn, -amountIn)
    move(hour, tokenOut, amountOut)
  }
  const balance: SeenBalance = (token, atS) =>
    moves.filter((one) => one.token === token && one.atS < atS).reduce((sum, { atoms }) => sum + atoms, 0n)
  return {
    move,
    swap,
    buy: (hour: number, micro: bigint) => swap(hour, USDG, micro, ETH, ethFor(micro, hour)),
    sell: (hour: number, atoms: bigint) => swap(hour, ETH, atoms, USDG, dollarsFor(atoms, hour)),
    ethFor,
    dollarsFor,
    balance: (token: string, hour: number) => balance(token, atOf(hour))!,
    numbers(): BookNumbers {
      const market = marketOf(priceOf)
      const book = replay(span, trades, span.endsAtS, market, balance)
      return numbersOf(book, span.endsAtS, market, 'ended', balance)
    },
  }
}
type TestWallet = ReturnType<typeof openWallet>

/** Buys, moves it out, sells it elsewhere, brings the money back: the same dollars over and over. */
function churn(wallet: TestWallet, { times, fromHour, everyHours }: Record<string, number>) {
  for (let i = 0; i < times!; i++) {
    const hour = fromHour! + i * everyHours!
    const dollars = wallet.balance(USDG, hour)
    wallet.buy(hour, dollars)
    if (i === times! - 1) return
    const bought = wallet.ethFor(dollars, hour)
    const out = hour + everyHours! / 2
    wallet.move(out, ETH, -bought)
    wallet.move(out, USDG, wallet.dollarsFor(bought, out))
  }
}

describe('the same 500 dollars counted forty times', () => {
  const rising = (hour: number) => (hour < 10 ? 2_000 : 2_200)
  const honest = () => {
    const wallet = openWallet(rising, { [USDG]: usd(500) })
    wallet.buy(2.1, usd(500))
    return wallet.numbers()
  }

  it.each([
    ['within one hour', 0.02],
    ['over hours, each seen once', 0.15],
  ])('makes what 500 dollars make, %s', (_, everyHours) => {
    const wallet = openWallet(rising, { [USDG]: usd(500) })
    churn(wallet, { times: 40, fromHour: 2.1, everyHours })
    expect(honest().profitMicroUsd).toBe(usd(50))
    expect(wallet.numbers().profitMicroUsd).toBe(usd(50))
  })

  it('is flagged when what it bought left before anyone saw it', () => {
    const wallet = openWallet(rising, { [USDG]: usd(500) })
    churn(wallet, { times: 40, fromHour: 2.1, everyHours: 0.02 })
    expect(wallet.numbers().unseenMicroUsd).toBe(usd(39 * 500))
    expect(honest().unseenMicroUsd).toBe(0n)
  })

  it('makes nothing by selling back, inside the hour and through whatever token', () => {
    const moving = (hour: number) => (hour % 1 < 0.5 ? 2_000 : 2_100)
    const wallet = openWallet(moving, { [USDG]: usd(500) })
    churn(wallet, { times: 40, fromHour: 2.1, everyHours: 0.005 })
    // The price has risen. Tokens sold elsewhere are bought back elsewhere and sold here, forty times.
    let dollars = 0n
    for (let i = 0; i < 40; i++) {
      const hour = 2.6 + i * 0.005
      if (i > 0) {
        wallet.move(hour, USDG, -dollars)
        wallet.move(hour, ETH, wallet.ethFor(dollars, hour))
      }
      const atoms = wallet.balance(ETH, hour + 0.001)
      const before = wallet.balance(USDG, hour)
      if (i % 2 === 0) wallet.sell(hour + 0.001, atoms)
      else {
        wallet.swap(hour + 0.001, ETH, atoms, MEME, atoms)
        wallet.swap(hour + 0.002, MEME, atoms, USDG, wallet.dollarsFor(atoms, hour))
      }
      dollars = wallet.balance(USDG, hour + 0.003) - (i > 0 ? before - dollars : 0n)
    }
    // Five per cent of 500 dollars, where forty times as much was booked.
    expect(wallet.numbers().profitMicroUsd).toBeLessThanOrEqual(usd(25))
  })

  it('never makes more than the same dollars could have made with every rise and no fall', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -0.1, max: 0.1, noNaN: true }), { minLength: 24, maxLength: 24 }),
        fc.array(
          fc.record({ fromHour: fc.integer({ min: 1, max: 22 }), times: fc.integer({ min: 1, max: 40 }) }),
          { minLength: 1, maxLength: 6 },
        ),
        (steps, bursts) => {
          const prices = [2_000]
          for (const step of steps) prices.push(prices.at(-1)! * (1 + step))
          const priceOf = (hour: number) => prices[Math.min(Math.floor(hour), 24)]!
          const wallet = openWallet(priceOf, { [USDG]: usd(500) })
          const hours = new Set(bursts.map(({ fromHour }) => fromHour))
          for (const hour of [...hours].sort((a, b) => a - b)) {
            const left = wallet.balance(ETH, hour)
            if (left > 0n) wallet.sell(hour + 0.01, left)
            const { times } = bursts.find(({ fromHour }) => fromHour === hour)!
            churn(wallet, { times, fromHour: hour + 0.02, everyHours: 0.02 })
          }
          const best = steps.reduce((worth, step) => worth * (1 + Math.max(0, step)), 500)
          const { profitMicroUsd } = wallet.numbers()
          expect(Number(profitMicroUsd) / 1e6).toBeLessThanOrEqual(best - 500 + 0.01)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('honest deposits and withdrawals', () => {
  const wavy = (hour: number) => 2_000 + 100 * Math.sin(hour / 5)
  const play = (wallet: TestWallet) => {
    wallet.buy(1.5, usd(400))
    wallet.sell(30.5, wallet.ethFor(usd(400), 1.5) / 2n)
    wallet.buy(60.5, usd(150))
    return wallet
  }
  const start = { [USDG]: usd(1_000), [ETH]: E18 }

  it('of what the book does not hold change nothing at all', () => {
    const plain = play(openWallet(wavy, start)).numbers()
    const busy = play(openWallet(wavy, start))
    busy.move(3.3, USDG, usd(5_000))
    busy.move(4.3, ETH, 3n * E18)
    busy.move(20.4, ETH, -2n * E18)
    busy.move(40.4, USDG, usd(-5_300))
    expect(busy.numbers()).toEqual(plain)
    expect(plain.unseenMicroUsd).toBe(0n)
  })

  it('of what it holds end its part there, as a sale at the mark would', () => {
    const flat = (hour: number) => (hour < 20 ? 2_000 : hour < 50 ? 2_300 : 2_600)
    const withdrawn = openWallet(flat, { [USDG]: usd(500) })
    withdrawn.buy(1.5, usd(500))
    withdrawn.move(30.2, ETH, -withdrawn.balance(ETH, 30))
    const sold = openWallet(flat, { [USDG]: usd(500) })
    sold.buy(1.5, usd(500))
    sold.sell(30.2, sold.balance(ETH, 30))
    const [a, b] = [withdrawn.numbers(), sold.numbers()]
    expect([a.profitMicroUsd, a.capitalMicroUsd]).toEqual([usd(75), usd(500)])
    expect([b.profitMicroUsd, b.capitalMicroUsd]).toEqual([usd(75), usd(500)])
    expect(a.unseenMicroUsd).toBe(0n)
  })

  it('that come back are brought in again, and do not count as profit', () => {
    const flat = () => 2_000
    const wallet = openWallet(flat, { [USDG]: usd(500) })
    wallet.buy(1.5, usd(500))
    const atoms = wallet.balance(ETH, 2)
    wallet.move(5.5, ETH, -atoms)
    wallet.move(9.5, ETH, atoms)
    wallet.sell(12.5, atoms)
    expect(wallet.numbers()).toMatchObject({ profitMicroUsd: 0n, capitalMicroUsd: usd(500) })
  })

  it('of a token without a mark write it off, as the season’s end would', () => {
    const flat = () => 2_000
    const wallet = openWallet(flat, { [USDG]: usd(500) })
    wallet.swap(1.5, USDG, usd(300), MEME, 3_000n)
    wallet.move(5.5, MEME, -1_000n)
    wallet.move(9.5, MEME, 1_000n)
    wallet.swap(12.5, MEME, 3_000n, USDG, usd(450))
    // Two thirds were the book's: they cost 200 and brought 300; 100 were written off.
    expect(wallet.numbers().profitMicroUsd).toBe(0n)
  })
})

describe('a balance that cannot be read', () => {
  const market = marketOf((hour) => (hour < 10 ? 2_000 : 1_500))
  const bought: BookTrade = {
    id: 1,
    minedAtS: span.startsAtS + 60,
    block: 1,
    swap: { tokenIn: USDG, tokenOut: ETH, amountIn: usd(1_000), amountOut: E18 / 2n },
    gasWei: 0n,
  }
  const numbers = (seen: SeenBalance) =>
    numbersOf(replay(span, [bought], span.endsAtS, market, seen), span.endsAtS, market, 'ended', seen)

  it('skips the sample, and never counts as zero', () => {
    const unread = numbers((_, atS) => (atS < span.endsAtS ? null : E18))
    expect(unread).toMatchObject({ profitMicroUsd: usd(-250), maxDrawdownBps: 2_500, unvalued: 0 })
    const atEnd = numbers((_, atS) => (atS < span.endsAtS ? E18 : null))
    expect(atEnd).toMatchObject({ profitMicroUsd: null, unvalued: 1 })
  })
})
