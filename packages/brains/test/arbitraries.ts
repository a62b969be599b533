import fc from 'fast-check'
import type { BrainBook, BrainInput, BrainLimits, PairNow } from '../src/index.ts'

export const AT_S = 1_800_000_000
const E18 = 10n ** 18n

const PAIRS = ['ETH/USDG', 'cbBTC/USDG', 'PARTNER/USDG', 'cbBTC/ETH', 'USDG/ETH'] as const
const microUsd = (max: bigint) => fc.bigInt({ min: 0n, max })

const history = fc
  .tuple(
    fc.integer({ min: 0, max: 200 }),
    fc.integer({ min: 0, max: 400 }),
    fc.infiniteStream(fc.integer({ min: -300, max: 300 })),
  )
  .map(([count, skip, moves]) => {
    const marks: { atS: number; priceE18: bigint }[] = []
    let price = 2_000n * E18
    const steps = moves[Symbol.iterator]()
    for (let i = count; i > 0; i--) {
      price += (price * BigInt((steps.next().value as number) ?? 0)) / 10_000n
      marks.push({ atS: AT_S - i * 60 - skip, priceE18: price })
    }
    return marks
  })

const pairNow = (pair: string): fc.Arbitrary<PairNow> => {
  const [base, quote] = pair.split('/') as [string, string]
  return fc.record({
    pair: fc.constant(pair),
    base: fc.constant(base),
    quote: fc.constant(quote),
    baseSymbol: fc.constant(base),
    quoteSymbol: fc.constant(quote),
    priceE18: fc.option(fc.bigInt({ min: 0n, max: 5_000n * E18 }), { freq: 6 }),
    stale: fc.boolean(),
    history,
  })
}

const book: fc.Arbitrary<BrainBook> = fc
  .tuple(
    microUsd(20_000_000_000n),
    fc.dictionary(fc.constantFrom('ETH', 'cbBTC', 'PARTNER'), fc.option(microUsd(10_000_000_000n))),
    microUsd(5_000_000_000n),
  )
  .map(([cashMicroUsd, held, dayUsedMicroUsd]) => ({
    cashMicroUsd,
    equityMicroUsd: null,
    positions: Object.entries(held).map(([token, value]) => ({
      token,
      symbol: token,
      atoms: 1n,
      microUsd: value,
    })),
    dayUsedMicroUsd,
  }))

const limits: fc.Arbitrary<BrainLimits> = fc.record({
  maxTradeMicroUsd: fc.bigInt({ min: 1n, max: 2_000_000_000n }),
  maxDayMicroUsd: fc.bigInt({ min: 1n, max: 10_000_000_000n }),
  maxPositionMicroUsd: fc.bigInt({ min: 1n, max: 10_000_000_000n }),
})

/** Any tick: missing and stale prices, unknown values, limits below a dollar, another brain's state. */
export const anyTick: fc.Arbitrary<Omit<BrainInput, 'params'>> = fc
  .uniqueArray(fc.constantFrom(...PAIRS), { minLength: 1, maxLength: 5 })
  .chain((pairs) =>
    fc.record({
      market: fc.record({ atS: fc.constant(AT_S), pairs: fc.tuple(...pairs.map(pairNow)) }),
      book,
      state: fc.option(
        fc.dictionary(fc.constantFrom('pairs', 'other'), fc.jsonValue()) as fc.Arbitrary<
          Record<string, unknown>
        >,
      ),
      limits,
      intervalS: fc.constant(300),
    }),
  )
