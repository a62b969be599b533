import { MICRO_USD_PER_USD } from '@pit/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AT_S, anyTick } from '../../test/arbitraries.ts'
import { type BrainInput, type PairNow, RULE_BRAINS, type RuleBrainName, readRuleParams } from '../index.ts'

const SHARE = Number(process.env['ROUNDS_SHARE'] ?? 1)

const E18 = 10n ** 18n

const PARAMS: Record<RuleBrainName, Record<string, unknown>[]> = {
  dca: [{}, { usd: 40, total_usd: 100 }, { side: 'sell' }],
  momentum: [{}, { lookback_s: 60, threshold_bps: 0, cooldown_s: 0 }, { exit: 'usd', exit_bps: 0 }],
  mean_reversion: [
    {},
    { lookback_s: 600, min_points: 2, band_bps: 0 },
    { lookback_s: 600, min_points: 2, z: 1 },
  ],
  grid: [
    { start: 'filled', levels: 3 },
    { start: 'filled', usd: 2 },
    { low: 1_500, high: 2_500, levels: 20, start: 'filled' },
  ],
  rebalance: [{}, { weights: { ETH: 60, cbBTC: 40 }, drift_bps: 10 }, { weights: {} }],
}

const paramsOf = (name: RuleBrainName, settings: Record<string, unknown>) => {
  const read = readRuleParams(RULE_BRAINS[name], settings)
  if (!read.ok) throw new Error(read.message)
  return read.params
}

const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value)
    for (const inner of Object.values(value)) freeze(inner)
  }
  return value
}

describe.each(Object.values(RULE_BRAINS))('$name at any tick', (brain) => {
  it.each(PARAMS[brain.name])(
    'respects the limits and never trades on a missing or stale price: %j',
    (settings) => {
      const params = paramsOf(brain.name, settings)
      let orders = 0
      fc.assert(
        fc.property(anyTick, (tick) => {
          const input: BrainInput = freeze({ ...tick, params })
          const decision = brain.decide(input)
          expect(brain.decide(input)).toEqual(decision)
          expect(decision.reason).not.toBe('')
          expect(JSON.parse(JSON.stringify(decision.state))).toEqual(decision.state)
          orders += decision.orders.length
          expectInside(input, decision.orders)
          const moved = tick.market.pairs.map((pair) => ({
            ...pair,
            priceE18: pair.priceE18 === null ? null : (pair.priceE18 * 3n) / 4n,
          }))
          const later: BrainInput = {
            ...input,
            market: { atS: AT_S + 300, pairs: moved },
            state: decision.state,
          }
          const next = brain.decide(freeze(later))
          orders += next.orders.length
          expectInside(later, next.orders)
        }),
        // Fewer may not lead to an order.
        { numRuns: Math.max(200, 1_000 * SHARE) },
      )
      // Make sure that the property was actually exercised.
      expect(orders).toBeGreaterThan(0)
    },
    60_000,
  )
})

function expectInside(input: BrainInput, orders: ReturnType<typeof RULE_BRAINS.dca.decide>['orders']): void {
  const { market, book, limits } = input
  const held = new Map(book.positions.map(({ token, microUsd }) => [token, microUsd]))
  held.set('USDG', book.cashMicroUsd)
  const spent = new Map<string, bigint>()
  const bought = new Map<string, bigint>()
  let day = book.dayUsedMicroUsd
  for (const order of orders) {
    const pair = market.pairs.find((row) => row.pair === order.pair) as PairNow
    expect(pair).toBeDefined()
    expect(pair.stale).toBe(false)
    expect(pair.priceE18).not.toBeNull()
    expect(order.microUsd).toBeGreaterThanOrEqual(MICRO_USD_PER_USD)
    expect(order.microUsd).toBeLessThanOrEqual(limits.maxTradeMicroUsd)
    const from = order.side === 'buy' ? pair.quote : pair.base
    spent.set(from, (spent.get(from) ?? 0n) + order.microUsd)
    expect(spent.get(from)).toBeLessThanOrEqual(held.get(from) ?? 0n)
    if (order.side === 'buy') {
      bought.set(pair.base, (bought.get(pair.base) ?? 0n) + order.microUsd)
      expect((held.get(pair.base) ?? 0n) + (bought.get(pair.base) ?? 0n)).toBeLessThanOrEqual(
        limits.maxPositionMicroUsd,
      )
    }
    day += order.microUsd
    expect(day).toBeLessThanOrEqual(limits.maxDayMicroUsd)
  }
}

const usd = (n: number) => BigInt(n) * MICRO_USD_PER_USD

/** One pair with enough cash; prices in dollars. */
function tick(
  name: RuleBrainName,
  settings: Record<string, unknown>,
  at: {
    price: number | null
    history?: number[]
    eth?: bigint
    cash?: bigint
    state?: Record<string, unknown> | null
    stale?: boolean
    atS?: number
  },
) {
  const history = at.history ?? []
  const atS = at.atS ?? AT_S
  return RULE_BRAINS[name].decide({
    market: {
      atS,
      pairs: [
        {
          pair: 'ETH/USDG',
          base: 'ETH',
          quote: 'USDG',
          baseSymbol: 'ETH',
          quoteSymbol: 'USDG',
          priceE18: at.price === null ? null : BigInt(at.price) * E18,
          stale: at.stale ?? false,
          history: history.map((price, i) => ({
            atS: atS - (history.length - i) * 60,
            priceE18: BigInt(price) * E18,
          })),
        },
      ],
    },
    book: {
      cashMicroUsd: at.cash ?? usd(10_000),
      equityMicroUsd: null,
      positions: [{ token: 'ETH', symbol: 'ETH', atoms: 1n, microUsd: at.eth ?? 0n }],
      dayUsedMicroUsd: 0n,
    },
    params: paramsOf(name, settings),
    state: at.state ?? null,
    limits: { maxTradeMicroUsd: usd(100), maxDayMicroUsd: usd(100_000), maxPositionMicroUsd: usd(5_000) },
    intervalS: 300,
  })
}
const sizes = (decision: ReturnType<typeof tick>) =>
  decision.orders.map((o) => `${o.side} ${Number(o.microUsd) / 1e6}`)

describe('dca', () => {
  it('orders the same dollars until the total is ordered', () => {
    const settings = { usd: 40, total_usd: 100 }
    let state: Record<string, unknown> | null = null
    const seen: string[] = []
    for (let i = 0; i < 4; i++) {
      const decision = tick('dca', settings, { price: 2_000, state })
      seen.push(sizes(decision).join())
      state = decision.state
    }
    expect(seen).toEqual(['buy 40', 'buy 40', 'buy 20', ''])
  })
  it('explains why it holds', () => {
    expect(tick('dca', {}, { price: null }).reason).toContain('price is unavailable')
    expect(tick('dca', {}, { price: 2_000, stale: true }).reason).toContain('stale')
    expect(tick('dca', {}, { price: 2_000, cash: 1n }).reason).toContain('too little USDG')
  })
})

describe('momentum', () => {
  const settings = { lookback_s: 600, threshold_bps: 100, exit_bps: 50, usd: 25 }
  const flat = Array.from({ length: 15 }, () => 2_000)
  it('buys a rise, sells everything on a fall, waits in between', () => {
    expect(sizes(tick('momentum', settings, { price: 2_020, history: flat }))).toEqual(['buy 25'])
    expect(sizes(tick('momentum', settings, { price: 2_019, history: flat }))).toEqual([])
    expect(sizes(tick('momentum', settings, { price: 1_990, history: flat, eth: usd(70) }))).toEqual([
      'sell 70',
    ])
    expect(sizes(tick('momentum', settings, { price: 1_991, history: flat, eth: usd(70) }))).toEqual([])
  })
  it('waits between two buys', () => {
    const first = tick('momentum', settings, { price: 2_050, history: flat })
    const again = tick('momentum', settings, { price: 2_060, history: flat, state: first.state })
    expect(again.orders).toEqual([])
    expect(again.reason).toContain('less than 900 s ago')
  })
  it('holds without an old enough mark, and across a gap', () => {
    expect(tick('momentum', settings, { price: 2_500, history: [2_000, 2_000] }).reason).toContain('no mark')
  })
})

describe('mean_reversion', () => {
  const marks = Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? 1_990 : 2_010))
  const settings = { lookback_s: 3_600, band_bps: 100, usd: 30 }
  it('buys under the band, sells over it', () => {
    expect(sizes(tick('mean_reversion', settings, { price: 1_980, history: marks }))).toEqual(['buy 30'])
    expect(sizes(tick('mean_reversion', settings, { price: 1_981, history: marks }))).toEqual([])
    expect(sizes(tick('mean_reversion', settings, { price: 2_020, history: marks, eth: usd(20) }))).toEqual([
      'sell 20',
    ])
    expect(sizes(tick('mean_reversion', settings, { price: 2_020, history: marks }))).toEqual([])
  })
  it('supports a band in standard deviations and an exit at the mean', () => {
    const byZ = { ...settings, z: 2, exit: 'mean' }
    expect(sizes(tick('mean_reversion', byZ, { price: 1_980, history: marks }))).toEqual(['buy 30'])
    expect(sizes(tick('mean_reversion', byZ, { price: 1_981, history: marks }))).toEqual([])
    expect(sizes(tick('mean_reversion', byZ, { price: 2_001, history: marks, eth: usd(90) }))).toEqual([
      'sell 30',
    ])
  })
  it('waits for enough marks', () => {
    expect(tick('mean_reversion', settings, { price: 1_000, history: marks.slice(5) }).reason).toContain(
      'needs 30',
    )
  })
})

describe('grid', () => {
  const settings = { low: 1_900, high: 2_100, levels: 4, usd: 20 }
  it('buys at each line on the way down and sells a line higher on the way up', () => {
    let state: Record<string, unknown> | null = null
    let eth = 0n
    const seen: string[] = []
    for (const price of [2_040, 2_010, 1_999, 1_940, 1_960, 2_001, 2_051]) {
      const decision = tick('grid', settings, { price, state, eth })
      seen.push(sizes(decision).join())
      for (const order of decision.orders) eth += order.side === 'buy' ? order.microUsd : -order.microUsd
      if (eth < 0n) eth = 0n
      state = decision.state
    }
    // Lines 1900, 1950, 2000, 2050, 2100. The level at 1950 is sold at 2000, the one at 2000 at 2050.
    expect(seen).toEqual([
      '',
      '',
      'buy 20',
      'buy 20',
      '',
      `sell ${20 * (2_001 / 1_940)}`.slice(0, 14),
      expect.stringContaining('sell'),
    ])
  })
  it('can start filled, in whole levels that fit one trade', () => {
    const decision = tick('grid', { ...settings, levels: 20, start: 'filled' }, { price: 1_950 })
    expect(sizes(decision)).toEqual(['buy 100'])
  })
  describe('after its owner changes the range', () => {
    const ranged = { range_bps: 500, levels: 10, usd: 20 }
    const linesOf = ({ state }: { state: unknown }) =>
      (state as { pairs: Record<string, { low: string; high: string; levels: string[] }> }).pairs['ETH/USDG']!
    const ends = (decision: { state: unknown }) =>
      [linesOf(decision).low, linesOf(decision).high].map((e18) => Number(BigInt(e18) / 10n ** 15n) / 1_000)

    it('redraws its lines around the current price only if the range changed', () => {
      const first = tick('grid', ranged, { price: 2_000 })
      expect(ends(first)).toEqual([1_900, 2_100])
      const later = tick(
        'grid',
        { ...ranged, usd: 30, start: 'filled' },
        { price: 2_050, state: first.state },
      )
      expect(ends(later)).toEqual([1_900, 2_100])
      const wider = { ...ranged, range_bps: 1_000 }
      const moved = tick('grid', wider, { price: 2_060, state: later.state })
      expect(ends(moved)).toEqual([1_854, 2_266])
      expect(ends(tick('grid', wider, { price: 1_900, state: moved.state }))).toEqual([1_854, 2_266])
      // Also from fixed lines to a range.
      const fixed = tick('grid', settings, { price: 2_000 })
      expect(ends(tick('grid', ranged, { price: 2_200, state: fixed.state }))).toEqual([2_090, 2_310])
    })

    it('waits for a price before drawing new lines', () => {
      const first = tick('grid', ranged, { price: 2_000 })
      const wider = { ...ranged, range_bps: 1_000 }
      const blind = tick('grid', wider, { price: null, state: first.state })
      expect(blind.state).toEqual(first.state)
      expect(ends(tick('grid', wider, { price: 2_100, state: blind.state }))).toEqual([1_890, 2_310])
    })

    it('still sells earlier buys, at the next lines above the price', () => {
      const first = tick('grid', ranged, { price: 2_000 })
      // Lines at 1900, 1920 and so on; 1980, 1960 and 1940 are crossed one after another.
      let { state } = first
      for (const price of [1_980, 1_960, 1_940])
        state = tick('grid', ranged, { price, state, eth: usd(1) }).state
      const bought = (decision: { state: unknown }) =>
        linesOf(decision).levels.filter((at) => at !== '0' && at !== '-1').length
      expect(bought({ state })).toBe(3)
      const narrow = { ...ranged, range_bps: 100 }
      const moved = tick('grid', narrow, { price: 1_940, state, eth: usd(60) })
      expect(moved.orders).toEqual([])
      expect(bought(moved)).toBe(3)
      // A step is now 3.88: the first is sold one step above the price, the last three steps above it.
      const up = tick('grid', narrow, { price: 1_944, state: moved.state, eth: usd(60) })
      expect(up.orders.map(({ side }) => side)).toEqual(['sell'])
      expect(bought(up)).toBe(2)
      const top = tick('grid', narrow, { price: 1_952, state: up.state, eth: usd(40) })
      expect(bought(top)).toBe(0)
    })
  })
  it('holds if low and high are set for several pairs', () => {
    const one = {
      pair: 'ETH/USDG',
      base: 'ETH',
      quote: 'USDG',
      baseSymbol: 'ETH',
      quoteSymbol: 'USDG',
      priceE18: 1_900n * E18,
      stale: false,
      history: [],
    }
    const decision = RULE_BRAINS.grid.decide({
      market: { atS: AT_S, pairs: [one, { ...one, pair: 'cbBTC/USDG', base: 'cbBTC' }] },
      book: { cashMicroUsd: usd(1_000), equityMicroUsd: null, positions: [], dayUsedMicroUsd: 0n },
      params: paramsOf('grid', { ...settings, start: 'filled' }),
      state: null,
      limits: { maxTradeMicroUsd: usd(100), maxDayMicroUsd: usd(100), maxPositionMicroUsd: usd(100) },
      intervalS: 60,
    })
    expect(decision.orders).toEqual([])
    expect(decision.reason).toContain('range_bps')
  })
})

describe('rebalance', () => {
  const settings = { weights: { ETH: 50 }, drift_bps: 500 }
  it('trades towards the weight after a drift, up to the limit per trade', () => {
    expect(sizes(tick('rebalance', settings, { price: 2_000, cash: usd(60), eth: usd(40) }))).toEqual([
      'buy 10',
    ])
    expect(sizes(tick('rebalance', settings, { price: 2_000, cash: usd(54), eth: usd(46) }))).toEqual([])
    expect(sizes(tick('rebalance', settings, { price: 2_000, cash: usd(100), eth: usd(1_000) }))).toEqual([
      'sell 100',
    ])
  })
  it('holds if one value is unknown', () => {
    expect(tick('rebalance', settings, { price: null, eth: usd(500) }).orders).toEqual([])
  })
})

describe('params', () => {
  it.each([
    ['dca', { usd: 0 }, 'params.usd'],
    ['dca', { dollars: 5 }, 'params.dollars'],
    ['momentum', { lookback_s: 1 }, 'params.lookback_s'],
    ['mean_reversion', { lookback_s: 600, min_points: 30 }, 'params.min_points'],
    ['grid', { low: 5 }, 'params.high'],
    ['grid', { low: 5, high: 4 }, 'params.high'],
    ['rebalance', { weights: { ETH: 60, cbBTC: 41 } }, 'params.weights'],
    ['rebalance', { weights: { ETH: '60' } }, 'params.weights.ETH'],
  ] as const)('%s rejects %j at %s', (name, settings, field) => {
    expect(readRuleParams(RULE_BRAINS[name], settings)).toMatchObject({ ok: false, field })
  })
  it('fills in every default, so that {} is a working agent', () => {
    for (const brain of Object.values(RULE_BRAINS))
      expect(readRuleParams(brain, {})).toMatchObject({ ok: true })
  })
})
