import { stockSessionOf } from '@pit/protocol'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { drawsFor } from './random.ts'
import type { Asset } from './types.ts'
import { moves, shouldPublish, stepPrice } from './walk.ts'

const TOKEN = '0x0000000000000000000000000000000000000001'
const asset = (volatility: number, session: 'always' | 'stock' = 'always'): Asset => ({
  symbol: 'ETH',
  token: TOKEN,
  decimals: 18,
  feed: { address: TOKEN, decimals: 8, session, deviationBps: 50, heartbeatS: 86_400 },
  volatility,
})
const HOURS = { session: 'hours', isOpen: stockSessionOf({ market_holidays: [] }) } as const
const terms = { seed: 'a', blockS: 0.1 }

it('is deterministic by seed, label and block', () => {
  const list = (seed: string, label: string, block: number) => {
    const draws = drawsFor(seed, label, block)
    return Array.from({ length: 8 }, () => draws.unit())
  }
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.nat(), (seed, label, block) => {
      const first = list(seed, label, block)
      expect(list(seed, label, block)).toEqual(first)
      expect(list(seed, label, block + 1)).not.toEqual(first)
      for (const draw of first) expect(draw >= 0 && draw < 1).toBe(true)
    }),
  )
})

it('draws normals and counts of the given mean and spread', () => {
  const draws = drawsFor('moments', 'x', 1)
  const normals = Array.from({ length: 20_000 }, draws.normal)
  const mean = normals.reduce((sum, x) => sum + x, 0) / normals.length
  const variance = normals.reduce((sum, x) => sum + x * x, 0) / normals.length - mean ** 2
  expect(Math.abs(mean)).toBeLessThan(0.03)
  expect(Math.abs(variance - 1)).toBeLessThan(0.05)
  const counts = Array.from({ length: 5_000 }, () => draws.poisson(3))
  expect(Math.abs(counts.reduce((sum, n) => sum + n, 0) / counts.length - 3)).toBeLessThan(0.15)
  for (const n of counts) expect(Number.isInteger(n) && n >= 0).toBe(true)
})

function walk(volatility: number, start: number, blocks: number, seed = 'a') {
  const prices = [start]
  for (let block = 1; block <= blocks; block++) {
    prices.push(
      stepPrice({ ...terms, seed }, asset(volatility), prices.at(-1) as number, 3_000, BigInt(block)),
    )
  }
  return prices
}

it('moves according to its volatility', () => {
  const blocks = 2_000
  const ends = Array.from({ length: 40 }, (_, i) =>
    Math.log((walk(0.8, 3_000, blocks, `s${i}`).at(-1) as number) / 3_000),
  )
  const spread = Math.sqrt(ends.reduce((sum, x) => sum + x * x, 0) / ends.length)
  const expected = 0.8 * Math.sqrt((blocks * terms.blockS) / (365 * 24 * 3_600))
  expect(spread / expected).toBeGreaterThan(0.6)
  expect(spread / expected).toBeLessThan(1.5)
})

it('repeats by seed and stays positive from any start', () => {
  expect(walk(0.8, 3_000, 100)).toEqual(walk(0.8, 3_000, 100))
  expect(walk(0.8, 3_000, 100, 'b')).not.toEqual(walk(0.8, 3_000, 100))
  fc.assert(
    fc.property(
      fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
      fc.double({ min: 0, max: 5, noNaN: true }),
      (start, vol) => {
        for (const price of walk(vol, start, 20)) expect(price > 0 && Number.isFinite(price)).toBe(true)
      },
    ),
  )
})

it('reverts to the mean: half of a gap closes in a day', () => {
  let price = 6_000
  for (let block = 1n; block <= 1_440n; block++)
    price = stepPrice({ seed: 'a', blockS: 60 }, asset(0), price, 3_000, block)
  expect(Math.log(price / 3_000) / Math.log(2)).toBeCloseTo(0.5, 1)
})

it('stands still outside the stock session, by New York time in every season', () => {
  const hourS = 3_600
  const newYork = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'America/New_York',
    weekday: 'long',
    hour: '2-digit',
    hour12: false,
  })
  fc.assert(
    fc.property(fc.integer({ min: 1_577_836_800, max: 2_208_988_800 }), (atS) => {
      const parts = Object.fromEntries(
        newYork.formatToParts(atS * 1000).map(({ type, value }) => [type, value]),
      )
      const day = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'].indexOf(
        parts.weekday ?? '',
      )
      const hourOfWeek = day * 24 + (Number(parts.hour) % 24)
      const open = hourOfWeek >= 20 && hourOfWeek < 5 * 24 + 20
      expect(moves(asset(0.3, 'stock'), HOURS, BigInt(atS))).toBe(open)
      expect(moves(asset(0.3, 'stock'), { ...HOURS, session: 'always' }, BigInt(atS))).toBe(true)
      expect(moves(asset(0.3), HOURS, BigInt(atS))).toBe(true)
    }),
  )
  // The first Sunday of November 2026 has 25 hours: the session opens an hour later in UTC than the week
  // before.
  const opensAt = (dayMs: number) => {
    let s = dayMs / 1000
    while (!moves(asset(0.3, 'stock'), HOURS, BigInt(s))) s += hourS / 4
    return s - dayMs / 1000
  }
  expect(opensAt(Date.UTC(2026, 9, 25))).toBe(24 * hourS)
  expect(opensAt(Date.UTC(2026, 10, 1))).toBe(25 * hourS)
})

it('publishes past a deviation or an age, and not before', () => {
  const rule = { deviationBps: 5, heartbeatS: 15 }
  const published = { price: 3_000, atS: 1_000n }
  expect(shouldPublish(rule, published, 3_001, 1_001n)).toBe(false)
  expect(shouldPublish(rule, published, 3_001.6, 1_001n)).toBe(true)
  expect(shouldPublish(rule, published, 2_998.4, 1_001n)).toBe(true)
  expect(shouldPublish(rule, published, 3_000, 1_014n)).toBe(false)
  expect(shouldPublish(rule, published, 3_000, 1_015n)).toBe(true)
})
