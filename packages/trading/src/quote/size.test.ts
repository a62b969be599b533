import { slippageTolerance } from '@pit/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TradeToken } from '../types.ts'
import { ATOMS_END, checkRequestedSize, notionalOf, sizeOf } from './size.ts'
import { JUNK, OTHER, record, reference, refused, tradeParams, usd } from './test/fakeWorld.ts'

const token = (over: Partial<TradeToken> = {}): TradeToken => ({
  address: JUNK,
  symbol: 'JUNK',
  decimals: 18,
  core: null,
  stock: false,
  record: record(JUNK),
  mark: undefined,
  ...over,
})
const none = () => undefined
const sync = (work: () => unknown) => refused((async () => work())())

describe('the requested size', () => {
  it.each([
    [{ amountIn: 0n }, ['BAD_REQUEST', 'amount_in']],
    [{ amountIn: -1n }, ['BAD_REQUEST', 'amount_in']],
    [{ amountIn: ATOMS_END }, ['BAD_REQUEST', 'amount_in']],
    [{ amountIn: ATOMS_END - 1n }, undefined],
    [{ notionalUsd: 0.999999 }, ['MIN_NOTIONAL', 'notional_usd']],
    [{ notionalUsd: -3 }, ['MIN_NOTIONAL', 'notional_usd']],
    [{ notionalUsd: 1 }, undefined],
    [{ notionalUsd: 10_000 }, undefined],
    [{ notionalUsd: 10_000.0000001 }, ['MAX_NOTIONAL', 'notional_usd']],
    [{ notionalUsd: 1e300 }, ['MAX_NOTIONAL', 'notional_usd']],
  ])('%o', async (size, answer) => {
    expect(await sync(() => checkRequestedSize(tradeParams(size)))).toEqual(answer)
  })

  it('is either dollars or atoms', async () => {
    const { notionalUsd, ...nothing } = tradeParams()
    expect(notionalUsd).toBe(1_000)
    expect(await sync(() => checkRequestedSize(nothing))).toEqual(['BAD_REQUEST', 'notional_usd'])
  })
})

describe('a size', () => {
  it('uses the mark, else the reference, else the output', () => {
    const both = { mark: usd(2), record: record(JUNK, { reference: reference(4) }) }
    const dollar = { notionalUsd: 8 }
    const atoms = (one: TradeToken, byOutput: Parameters<typeof sizeOf>[2] = none) =>
      sizeOf(tradeParams(dollar), one, byOutput).amountIn
    expect(atoms(token(both))).toBe(4n * 10n ** 18n)
    expect(atoms(token({ ...both, mark: undefined }))).toBe(2n * 10n ** 18n)
    expect(atoms(token(), () => ({ num: 1n, den: 5n }))).toBe(40_000_000n)
  })

  it('requires a price, at least one atom and an amount that can be built', async () => {
    const dollars = (one: TradeToken) => sync(() => sizeOf(tradeParams({ notionalUsd: 1 }), one, none))
    expect(await dollars(token())).toEqual(['NO_MARK', 'notional_usd'])
    expect(await dollars(token({ decimals: 0, mark: usd(2) }))).toEqual(['BAD_REQUEST', 'notional_usd'])
    expect(await dollars(token({ decimals: 60, mark: usd(2) }))).toEqual(['BAD_REQUEST', 'notional_usd'])
  })

  it('in atoms is used unchanged', () => {
    expect(sizeOf(tradeParams({ amountIn: 7n }), token(), none)).toEqual({
      amountIn: 7n,
      askedMicroUsd: null,
    })
  })
})

describe('the value of a trade', () => {
  const size = { amountIn: 1_000n, askedMicroUsd: null }
  const swap = { swapIn: 900n, amountOut: 90n }
  /** One dollar per atom keeps sums simple. */
  const at = (dollars: number) => ({ decimals: 0, mark: usd(dollars) })
  const referred = (dollars: number) => ({
    decimals: 0,
    record: record(OTHER, { reference: reference(dollars) }),
  })

  it('is the requested one, by the input’s mark, by the output, by references, or unknown', () => {
    const ends = (tokenIn: Partial<TradeToken>, tokenOut: Partial<TradeToken>) => ({
      tokenIn: token(tokenIn),
      tokenOut: token(tokenOut),
    })
    expect(notionalOf({ ...size, askedMicroUsd: 5n }, ends(at(1), at(1)), swap)).toBe(5n)
    expect(notionalOf(size, ends(at(2), at(1)), swap)).toBe(2_000_000_000n)
    expect(notionalOf(size, ends(referred(9), at(3)), swap)).toBe(300_000_000n)
    expect(notionalOf(size, ends(referred(9), referred(3)), swap)).toBe(9_000_000_000n)
    expect(notionalOf(size, ends({}, referred(3)), swap)).toBe(300_000_000n)
    expect(notionalOf(size, ends({}, at(3)), undefined)).toBeNull()
    expect(notionalOf(size, ends({}, {}), swap)).toBeNull()
  })

  it('is that of the output if that exceeds the maximum trade size', () => {
    const requested = { amountIn: 1_000n, askedMicroUsd: 9_900_000_000n }
    const gives = (amountOut: bigint) => ({ swapIn: 1_000n, amountOut })
    const ends = { tokenIn: token(referred(9.9)), tokenOut: token(at(1)) }
    expect(notionalOf(requested, ends, gives(10_000n))).toBe(9_900_000_000n)
    expect(notionalOf(requested, ends, gives(10_001n))).toBe(10_001_000_000n)
    // With a mark on the input a better route does not raise the value.
    expect(notionalOf(requested, { ...ends, tokenIn: token(at(9.9)) }, gives(10_001n))).toBe(9_900_000_000n)
  })

  it('is never rounded up', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 24n }),
        fc.bigInt({ min: 1n, max: 10n ** 24n }),
        fc.integer({ min: 1, max: 1_000_000 }),
        (amountIn, priceE18, outScale) => {
          const mark = { ...usd(1), priceE18 }
          const worth = notionalOf(
            { amountIn, askedMicroUsd: null },
            { tokenIn: token({ mark }), tokenOut: token() },
            undefined,
          )!
          expect(worth * 10n ** 30n <= amountIn * priceE18).toBe(true)
          const out = { swapIn: amountIn, amountOut: amountIn / BigInt(outScale) }
          const byOutput = notionalOf(
            { amountIn, askedMicroUsd: null },
            { tokenIn: token(), tokenOut: token({ mark }) },
            out,
          )!
          expect(byOutput * 10n ** 30n <= out.amountOut * priceE18).toBe(true)
        },
      ),
    )
  })
})

describe('slippage', () => {
  it.each([
    ['major', 0n, 50, 200],
    ['major', 100_000_000n, 50, 200],
    ['major', 100_000_001n, 50, 150],
    ['other', 1_000_000_000n, 150, 700],
    ['other', 10_000_000_000n, 100, 500],
    ['other', 99_000_000_000n, 100, 500],
    ['major', null, 30, 100],
  ] as const)('%s of %s: %d, at most %d', (cls, micro, defaultBps, capBps) => {
    expect(slippageTolerance(cls, micro)).toEqual({ defaultBps, capBps })
  })
})
