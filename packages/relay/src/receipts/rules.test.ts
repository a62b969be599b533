import { askReceipt } from '@pit/platform/reads'
import { feeOf } from '@pit/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { curveSale, transfer, v4Swap, withdrawal } from '../../test/logs.ts'
import { CURVE, MEME, NATIVE, POOL_MANAGER, RECIPIENT, ROUTER, USDG, WETH } from '../../test/openTestRelay.ts'
import {
  type Addresses,
  etherDelivered,
  etherMade,
  etherMadeFor,
  netReceived,
  tokenFeeByLogs,
} from './amounts.ts'
import { weekStartOf } from './bookOutcomes.ts'
import { decide, type Look, MUST_HAVE_LEFT_MS, nextLookMs } from './rules.ts'
import type { FollowedRow } from './types.ts'

const receiptOf = askReceipt('0x').parse
const POOL = `0x${'e'.repeat(64)}` as const
const addresses: Addresses = {
  router: ROUTER,
  weth: WETH,
  poolManager: POOL_MANAGER,
  isEtherPool: (id) => (id === POOL ? true : undefined),
  curveOf: (token) => (token === MEME ? { id: CURVE, launchpad: 'pit' } : undefined),
}
const WALLET = `0x${'1'.repeat(40)}` as const
const row = (own: Partial<FollowedRow> = {}): FollowedRow =>
  ({
    kind: 'swap',
    wallet: WALLET,
    token_in: USDG,
    token_out: NATIVE,
    fee_bps: 25,
    fee_side: 'output',
    fee_token: NATIVE,
    fee_amount: null,
    fee_recipient: RECIPIENT,
    fee_apart: false,
    ...own,
  }) as FollowedRow

describe('an open row', () => {
  const look = (own: Partial<Look>): Look => ({
    status: 'pending',
    ageMs: 1_000,
    known: false,
    unseenForMs: 0,
    nonceGoneForMs: 0,
    leftBehind: false,
    ...own,
  })
  it.each<[string, Partial<Look>, ReturnType<typeof decide>]>([
    ['being relayed, young', { status: 'relaying', unseenForMs: 6_000, ageMs: 6_500 }, 'wait'],
    ['being relayed, known', { status: 'relaying', known: true }, 'seen'],
    ['left behind, just looked for', { status: 'relaying', leftBehind: true, unseenForMs: 4_999 }, 'wait'],
    ['left behind, unseen', { status: 'relaying', leftBehind: true, unseenForMs: 5_000 }, 'dropped'],
    ['too old to leave, unseen', { status: 'relaying', ageMs: 8_001, unseenForMs: 5_000 }, 'dropped'],
    ['too old to leave, not looked for long', { status: 'relaying', ageMs: 90_000, unseenForMs: 10 }, 'wait'],
    ['pending', { unseenForMs: 3_000_000, ageMs: 3_000_000 }, 'wait'],
    ['pending for an hour', { ageMs: 3_600_001 }, 'dropped'],
    ['pending for an hour, known', { ageMs: 3_600_001, known: true }, 'dropped'],
    ['its nonce gone for a moment', { nonceGoneForMs: 1_400 }, 'wait'],
    ['its nonce gone', { nonceGoneForMs: 1_500 }, 'dropped'],
    ['its nonce gone but still shown', { nonceGoneForMs: 1_500, known: true }, 'wait'],
  ])('%s', (_, own, decision) => expect(decide(look(own))).toBe(decision))

  it('is decided within ten seconds of a restart if it was being relayed', () => {
    expect(MUST_HAVE_LEFT_MS).toBeLessThan(9_000)
  })
  it('is checked less often with age', () => {
    const steps = [0, 3_000, 15_000, 120_000].map(nextLookMs)
    expect(steps).toEqual([...steps].sort((a, b) => a - b))
    expect(steps[0]).toBe(150)
  })
})

describe('ETH', () => {
  it('is the sum of unwrapped ether and payments of ETH pools and the curve', () => {
    const logs = [
      withdrawal(WETH, ROUTER, 5n),
      withdrawal(WETH, WALLET, 1_000n),
      withdrawal(USDG, ROUTER, 1_000n),
      v4Swap(POOL_MANAGER, POOL, ROUTER, 70n),
      v4Swap(POOL_MANAGER, POOL, ROUTER, -900n),
      v4Swap(POOL_MANAGER, POOL, WALLET, 900n),
      v4Swap(MEME, POOL, ROUTER, 900n),
    ]
    expect(etherMade(logs, row(), addresses)).toBe(75n)
    expect(etherMade([curveSale(CURVE, WALLET, 9n)], row({ token_in: MEME }), addresses)).toBe(9n)
    expect(etherMade([curveSale(CURVE, WALLET, 9n)], row(), addresses)).toBeNull()
    expect(etherMade([], row(), addresses)).toBeNull()
  })
  it('is unknown for an unknown pool', () => {
    const logs = [withdrawal(WETH, ROUTER, 5n), v4Swap(POOL_MANAGER, `0x${'d'.repeat(64)}`, ROUTER, 70n)]
    expect(etherMade(logs, row(), addresses)).toBeNull()
  })
  it('is derived from the delivered amount within an atom, never too high', () => {
    const amounts = fc.bigInt(1n, 10n ** 24n)
    fc.assert(
      fc.property(amounts, fc.integer({ min: 0, max: 100 }), (made, fee_bps) => {
        const own = row({ fee_bps })
        const delivered = etherDelivered(own, made)
        const back = etherMadeFor(own, delivered)
        expect(etherDelivered(own, back)).toBe(delivered)
        expect(made - back === 0n || made - back === 1n).toBe(true)
        expect(feeOf(back, fee_bps) <= feeOf(made, fee_bps)).toBe(true)
      }),
    )
  })
  it('distinguishes a fixed fee from a separate one', () => {
    expect(etherDelivered(row({ fee_amount: '30' }), 100n)).toBe(70n)
    expect(etherDelivered(row({ fee_amount: '30', fee_apart: true }), 100n)).toBe(100n)
    expect(etherDelivered(row({ fee_side: 'input' }), 100n)).toBe(100n)
    expect(etherMadeFor(row({ fee_amount: '30' }), 70n)).toBe(100n)
  })
})

describe('tokens', () => {
  it('are counted from their own logs, in and out', () => {
    const logs = [
      transfer(MEME, ROUTER, WALLET, 10n),
      transfer(MEME, WALLET, ROUTER, 3n),
      transfer(USDG, ROUTER, WALLET, 99n),
      { ...transfer(MEME, ROUTER, WALLET, 9n), data: '0x' as const },
      { ...transfer(MEME, ROUTER, WALLET, 9n), topics: [] },
    ]
    expect(netReceived(logs, MEME, WALLET)).toBe(7n)
  })
  it('show a fee from its payer to its recipient only', () => {
    const logs = [
      transfer(USDG, ROUTER, RECIPIENT, 5n),
      transfer(USDG, WALLET, RECIPIENT, 7n),
      transfer(USDG, ROUTER, WALLET, 900n),
    ]
    expect(tokenFeeByLogs(logs, row({ fee_token: USDG }), addresses)).toBe(5n)
    expect(tokenFeeByLogs(logs, row({ fee_token: USDG, fee_amount: '7' }), addresses)).toBe(7n)
    expect(tokenFeeByLogs([], row({ fee_token: USDG }), addresses)).toBeNull()
    expect(tokenFeeByLogs(logs, row(), addresses)).toBeNull()
  })
})

it('starts a week on Monday 00:00 UTC', () => {
  const monday = Date.UTC(2026, 0, 5) / 1000
  expect(weekStartOf(monday)).toBe(monday)
  expect(weekStartOf(monday - 1)).toBe(monday - 604_800)
  expect(weekStartOf(monday + 604_799)).toBe(monday)
  expect(weekStartOf(0)).toBe(-3 * 86_400)
})

describe('a receipt', () => {
  const raw = {
    status: '0x1',
    blockNumber: '0x10',
    blockHash: '0xAB',
    gasUsed: '0x2',
    effectiveGasPrice: '0x3',
  }
  it('is read with its gas cost', () => {
    expect(receiptOf({ ...raw, logs: [] })).toEqual({
      ok: true,
      block: 16,
      blockHash: '0xab',
      from: null,
      logs: [],
      gasCostWei: 6n,
    })
    expect(receiptOf({ ...raw, l1Fee: '0x5', logs: [] })).toMatchObject({ gasCostWei: 11n })
    // Unknown is not free.
    expect(receiptOf({ ...raw, gasUsed: null, logs: [] })).toMatchObject({ gasCostWei: null })
  })
  it('is null without a block, and unknown if malformed', () => {
    expect(receiptOf(null)).toBeNull()
    expect(receiptOf({ ...raw, blockHash: null, logs: [] })).toBeNull()
    expect(receiptOf(raw)).toBeUndefined()
    expect(receiptOf(undefined)).toBeUndefined()
    expect(receiptOf({ error: 'busy' })).toBeUndefined()
  })
})
