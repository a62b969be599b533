import { feeOf } from '@pit/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TradeToken } from '../types.ts'
import { feeClassOf, feeOfTrade, feeRecipientOf, feeSideOf } from './fee.ts'
import { JUNK, OTHER, profile, RECIPIENT, record, refused, STOCK } from './test/fakeWorld.ts'

type End = Pick<TradeToken, 'address' | 'core' | 'record'>
const core = (symbol: NonNullable<TradeToken['core']>): End => ({
  address: profile.core_tokens.find((token) => token.symbol === symbol)!.address as End['address'],
  core: symbol,
  record: record(JUNK, { kind: 'core' }),
})
const junk: End = { address: JUNK, core: null, record: record(JUNK) }
const other: End = { address: OTHER, core: null, record: record(OTHER) }
const stock: End = { address: STOCK, core: null, record: record(STOCK, { stock_beacon: true }) }
/** Listed as a stock but not read from the beacon: the beacon decides, not the kind. */
const unread: End = { address: STOCK, core: null, record: record(STOCK, { kind: 'stock' }) }

describe('the class', () => {
  it.each([
    [core('ETH'), core('USDG'), 'major'],
    [core('PARTNER'), core('SPY'), 'major'],
    [core('ETH'), stock, 'major'],
    [core('ETH'), unread, 'other'],
    [core('ETH'), junk, 'other'],
    [stock, junk, 'other'],
    [junk, other, 'other'],
  ] as const)('%#', (tokenIn, tokenOut, cls) => {
    expect(feeClassOf({ tokenIn, tokenOut })).toBe(cls)
    expect(feeClassOf({ tokenIn: tokenOut, tokenOut: tokenIn })).toBe(cls)
  })
})

describe('the side', () => {
  it.each([
    [core('ETH'), core('USDG'), 'input'],
    [core('USDG'), core('ETH'), 'output'],
    [core('USDG'), core('WETH'), 'output'],
    [core('USDG'), core('NVDA'), 'input'],
    [core('NVDA'), core('cbBTC'), 'output'],
    [core('SPY'), core('NVDA'), 'output'],
    [junk, core('SPY'), 'output'],
    [core('SPY'), junk, 'input'],
    [stock, core('USDG'), 'output'],
    [junk, other, 'input'],
    [other, junk, 'input'],
  ] as const)('%#', (tokenIn, tokenOut, side) => {
    expect(feeSideOf({ tokenIn, tokenOut })).toBe(side)
  })
})

describe('the fee', () => {
  const terms = (majorBps = 25) => ({ recipient: RECIPIENT, majorBps: async () => majorBps })
  const major = { tokenIn: core('USDG'), tokenOut: core('ETH') }
  const minor = { tokenIn: core('USDG'), tokenOut: junk }

  it('is the tier of a major trade or the flat rate of any other, plus shield', async () => {
    const fee = (ends: typeof minor | typeof major, shield: boolean) =>
      feeOfTrade(ends, { shield }, terms(15))
    expect(await fee(major, false)).toEqual({
      bps: 15,
      class: 'major',
      tier: 15,
      side: 'output',
      token: core('ETH').address,
      recipient: RECIPIENT,
    })
    expect(await fee(major, true)).toMatchObject({ bps: 25, tier: 15 })
    expect(await fee(minor, false)).toMatchObject({
      bps: 50,
      tier: 50,
      side: 'input',
      token: core('USDG').address,
    })
    expect(await fee(minor, true)).toMatchObject({ bps: 60, tier: 50, class: 'other' })
  })

  it('does not read the tier if it does not apply', async () => {
    const never = { recipient: RECIPIENT, majorBps: () => Promise.reject(new Error('asked')) }
    expect(await feeOfTrade(minor, { shield: false }, never)).toMatchObject({ bps: 50 })
    expect(await feeOfTrade(major, { shield: false, feeBps: () => 12 }, never)).toMatchObject({ bps: 12 })
    await expect(feeOfTrade(major, { shield: false }, never)).rejects.toThrow('asked')
  })

  it('follows a session’s terms by class, shield included, capped at the maximum', async () => {
    const feeBps = (cls: string) => (cls === 'major' ? 30 : 45)
    expect(await feeOfTrade(major, { shield: true, feeBps }, terms())).toMatchObject({ bps: 30, tier: 20 })
    expect(await feeOfTrade(minor, { shield: false, feeBps }, terms())).toMatchObject({ bps: 45, tier: 45 })
    expect(await feeOfTrade(minor, { shield: true, feeBps: () => 5_000 }, terms())).toMatchObject({
      bps: 100,
    })
    expect(await feeOfTrade(major, { shield: true }, terms(95))).toMatchObject({ bps: 100, tier: 95 })
  })

  it('requires the pinned recipient', async () => {
    const mixed = `0x${'aB'.repeat(20)}`
    expect(feeRecipientOf({ ...profile, fee_recipient: mixed })).toBe(mixed.toLowerCase())
    const none = (async () => feeRecipientOf({ ...profile, fee_recipient: null }))()
    expect(await refused(none)).toBe('LIVE_UNAVAILABLE')
  })

  it('is rounded down for every amount', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: (1n << 128n) - 1n }),
        fc.integer({ min: 0, max: 100 }),
        (amount, bps) => {
          const fee = feeOf(amount, bps)
          expect(fee * 10_000n <= amount * BigInt(bps)).toBe(true)
          expect((fee + 1n) * 10_000n > amount * BigInt(bps)).toBe(true)
          expect(amount - fee > 0n).toBe(true)
        },
      ),
    )
  })
})
