import { NATIVE } from '@pit/chain'
import { MEME, USDG } from '@pit/trading/test/tradeFixtures'
import { describe, expect, it } from 'vitest'
import { checkTimes } from '../stock/attest.ts'
import type { TradeSums } from './liveTrades.ts'
import { livePnl, liveStats, paperPnl } from './results.ts'

const marks = {
  decimals: (token: string) => ({ [NATIVE]: 18, [USDG.address]: 6, [MEME.address]: 18 })[token],
  priceE18: (token: string) => ({ [NATIVE]: 2_500n * 10n ** 18n, [USDG.address]: 10n ** 18n })[token],
}
const sums = (over: Partial<TradeSums> = {}): TradeSums => ({
  agentId: 'a',
  status: 'mined',
  tokenIn: USDG.address,
  tokenOut: NATIVE,
  trades: 2,
  amountIn: 50_000_000n,
  amountOut: 2n * 10n ** 16n,
  volumeMicroUsd: 50_000_000n,
  firstAtMs: 5_000,
  lastAtMs: 9_000,
  ...over,
})

describe('live results', () => {
  it('are outputs less inputs at current marks', () => {
    const back = sums({
      tokenIn: NATIVE,
      tokenOut: USDG.address,
      amountIn: 10n ** 16n,
      amountOut: 30_000_000n,
      trades: 1,
    })
    expect(livePnl([sums(), back], marks)).toMatchObject({ profit_usd: 5, since: 5, unpriced: [] })
    expect(livePnl([sums({ status: 'reverted' })], marks)).toBeNull()
  })

  it('count inputs in full: a loss is never rounded away', () => {
    const lost = sums({ amountIn: 1n, amountOut: 0n })
    expect(livePnl([lost], marks)).toMatchObject({ profit_usd: -0.000001 })
    const tiny = sums({ tokenIn: NATIVE, tokenOut: USDG.address, amountIn: 1n, amountOut: 0n })
    expect(livePnl([tiny], marks)).toMatchObject({ profit_usd: -0.000001 })
  })

  it('are unknown, not smaller, without a mark', () => {
    const meme = sums({ tokenOut: MEME.address })
    expect(livePnl([meme], marks)).toMatchObject({ profit_usd: null, unpriced: [MEME.address] })
  })

  it('count trades by outcome, and volume', () => {
    const all = [sums(), sums({ status: 'pending', trades: 1, volumeMicroUsd: 0n, lastAtMs: 12_000 })]
    expect(liveStats(all, [{ agentId: 'a', token: NATIVE, atoms: 7n }])).toEqual({
      mined: 2,
      pending: 1,
      reverted: 0,
      dropped: 0,
      volume_usd: 50,
      fees: [{ token: NATIVE, amount_atoms: '7' }],
      last_trade_at: 12,
    })
    expect(liveStats([], [])).toMatchObject({ mined: 0, last_trade_at: null })
  })
})

describe('paper results', () => {
  const book = {
    startMicroUsd: 10_000_000_000n,
    openedAtS: 7,
    balances: [{ token: MEME.address, symbol: null, decimals: null, atoms: 3n, microUsd: null }],
    equityMicroUsd: 10_100_000_000n as bigint | null,
    unpriced: [],
  }
  it('are the book’s, with max drawdown if it was read', () => {
    const fall = { microUsd: 50_000_000n, fromMicroUsd: 10_000_000_000n }
    const tokens = [
      { token: MEME.address, symbol: 'MEME', address: MEME.address, decimals: 18, stock: false },
    ]
    expect(paperPnl(book, tokens, fall)).toMatchObject({
      since: 7,
      start_usd: 10_000,
      profit_usd: 100,
      return_pct: 1,
      max_drawdown_usd: 50,
      max_drawdown_pct: 0.5,
      positions: [{ symbol: 'MEME', amount_atoms: '3', value_usd: null }],
    })
    expect(paperPnl({ ...book, equityMicroUsd: null }, tokens)).toMatchObject({
      profit_usd: null,
      return_pct: null,
    })
    expect(paperPnl(book, tokens)).not.toHaveProperty('max_drawdown_usd')
  })
  it('never show a drawdown smaller than the loss', () => {
    const lost = { ...book, equityMicroUsd: 9_800_000_000n }
    const shown = { profit_usd: -200, max_drawdown_usd: 200, max_drawdown_pct: 2 }
    expect(paperPnl(lost, [], { microUsd: 50_000_000n, fromMicroUsd: 10_000_000_000n })).toMatchObject(shown)
    expect(paperPnl(lost, [], null)).toMatchObject(shown)
    expect(paperPnl({ ...lost, equityMicroUsd: null }, [], null)).toMatchObject({ max_drawdown_usd: null })
  })
})

describe('times of a stock attestation', () => {
  const now = 1_800_000_000
  const bounds = { notBeforeS: now - 100, sessionEndsS: now + 2_592_000, nowS: now }
  const refusalOf = (issued: number, expires: number, over = {}) => {
    try {
      checkTimes({ issuedS: issued, expiresS: expires }, { ...bounds, ...over })
    } catch (error) {
      return (error as { code: string }).code
    }
    return 'taken'
  }
  it.each([
    [now, now + 300, 'taken'],
    [now - 99, now + 300, 'taken'],
    [now - 100, now + 300, 'STOCK_ATTESTATION_OLD'],
    [now, now + 299, 'BAD_EXPIRY'],
    [now, now + 2_592_000, 'taken'],
    [now - 1, now + 2_592_000, 'BAD_EXPIRY'],
    [now + 60, now + 300, 'taken'],
    [now + 61, now + 400, 'STOCK_ATTESTATION'],
  ])('issued %d, ends %d: %s', (issued, expires, expected) =>
    expect(refusalOf(issued, expires)).toBe(expected),
  )

  it('end with the session, and are at most an hour old', () => {
    expect(refusalOf(now, now + 400, { sessionEndsS: now + 400 })).toBe('taken')
    expect(refusalOf(now, now + 401, { sessionEndsS: now + 400 })).toBe('BAD_EXPIRY')
    expect(refusalOf(now - 3_600, now + 300, { notBeforeS: null })).toBe('taken')
    expect(refusalOf(now - 3_601, now + 300, { notBeforeS: null })).toBe('STOCK_ATTESTATION')
    // The first failing check in the documented order is reported.
    expect(refusalOf(now - 3_601, now, { notBeforeS: now })).toBe('STOCK_ATTESTATION_OLD')
    expect(refusalOf(now - 3_601, now, { notBeforeS: null })).toBe('BAD_EXPIRY')
  })
})
