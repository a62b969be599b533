import { keccak256, stringToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  bindingHash,
  boundFeeBps,
  boundMarks,
  boundRiskTerms,
  boundToVerified,
  createBinding,
  expiryFaults,
  limitFaults,
} from './binding.ts'
import type { SessionBinding } from './bindingSchema.ts'
import { readBinding } from './readBinding.ts'

const keccakText = (text: string) => keccak256(stringToHex(text))
const at = (digit: string) => `0x${digit.repeat(40)}` as const
const [ETH, USDG, STRANGE] = [at('0'), at('5'), at('9')]

/** As sessions of each version stand in stores: never edit one, a wallet has signed its hash. */
const STORED = {
  1: '{"chain_id":4663,"cosigner":"0x3333333333333333333333333333333333333333","executor":"0x2222222222222222222222222222222222222222","expires_at":1768564800,"fee":{"fee_bps":30,"recipient":"0x6666666666666666666666666666666666666666","schedule":1},"limits":{"max_day_micro_usd":100000000,"max_trade_micro_usd":25000000,"max_trades":50},"nonce":"0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","router":"0x4444444444444444444444444444444444444444","tokens":["0x0000000000000000000000000000000000000000","0x5555555555555555555555555555555555555555"],"version":1,"wallet":"0x1111111111111111111111111111111111111111"}',
  2: '{"chain_id":4663,"cosigner":"0x3333333333333333333333333333333333333333","executor":"0x2222222222222222222222222222222222222222","expires_at":1768564800,"fee":{"fee_bps":30,"recipient":"0x6666666666666666666666666666666666666666","schedule":1},"limits":{"max_day_micro_usd":100000000,"max_trade_micro_usd":25000000,"max_trades":50},"nonce":"0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","risk":{"accept_risks":["NO_REFERENCE"],"shield":true},"router":"0x4444444444444444444444444444444444444444","tokens":["0x0000000000000000000000000000000000000000","0x5555555555555555555555555555555555555555","0x9999999999999999999999999999999999999999"],"unverified_tokens":["0x9999999999999999999999999999999999999999"],"version":2,"wallet":"0x1111111111111111111111111111111111111111"}',
  3: '{"chain_id":4663,"cosigner":"0x3333333333333333333333333333333333333333","executor":"0x2222222222222222222222222222222222222222","expires_at":1768564800,"fee":{"major_max_bps":25,"major_min_bps":10,"other_bps":50,"recipient":"0x6666666666666666666666666666666666666666","schedule":2,"shield_add_bps":10},"limits":{"max_day_micro_usd":100000000,"max_trade_micro_usd":25000000,"max_trades":50},"nonce":"0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc","risk":{"accept_risks":["NO_REFERENCE","UNSCREENED"],"policies":["block_flagged","block_new"],"shield":true},"router":"0x4444444444444444444444444444444444444444","tokens":["0x0000000000000000000000000000000000000000","0x5555555555555555555555555555555555555555"],"version":3,"wallet":"0x1111111111111111111111111111111111111111"}',
} as const
const HASHES = {
  1: '0xb98571671c622a56ab768663a5c71efb46836685a56556740a46dccb0178c50f',
  2: '0x3581c9b7ef5c776eea4efe11dd6e0c1ae2ca208d1aeb960eb4e06a3b986e9696',
  3: '0xfcb8609d4d326e725ce09a9bc51e4e506985df8f54a7a01b876b38efcc22561f',
} as const

const stored = (version: 1 | 2 | 3): SessionBinding => {
  const read = readBinding(JSON.parse(STORED[version]))
  if (!read.ok) throw new Error(`version ${version}: ${read.field} ${read.message}`)
  return read.binding
}
const today = () =>
  createBinding({
    wallet: at('1'),
    executor: at('2'),
    cosigner: at('3'),
    router: at('4'),
    tokens: [USDG, ETH, USDG],
    limits: { max_trade_micro_usd: 25_000_000, max_day_micro_usd: 100_000_000, max_trades: 50 },
    expires_at: 1_768_564_800,
    feeRecipient: at('6'),
    risk: {
      accept_risks: ['UNSCREENED', 'NO_REFERENCE'],
      shield: true,
      policies: ['block_new', 'block_flagged'],
    },
    nonce: `0x${'C'.repeat(64)}`,
  })

describe('stored bindings', () => {
  it.each([1, 2, 3] as const)('version %i is read and hashes to what its root carries', (version) => {
    expect(bindingHash(keccakText, stored(version))).toBe(HASHES[version])
    expect(keccakText(STORED[version])).toBe(HASHES[version])
  })

  it('version 3 is what is made today, however it was spelled', () => {
    expect(today()).toEqual(JSON.parse(STORED[3]))
  })

  it('each version trades at its own fee', () => {
    expect(boundFeeBps(stored(1), 'major')).toEqual([30])
    expect(boundFeeBps(stored(2), 'other')).toEqual([30])
    expect(boundFeeBps(stored(3), 'major')).toEqual([35, 30, 25, 20])
    expect(boundFeeBps(stored(3), 'other')).toEqual([60])
    const plain = { ...today(), risk: { accept_risks: [], shield: false, policies: [] } }
    expect(boundFeeBps(plain, 'major')).toEqual([25, 20, 15, 10])
    expect(boundFeeBps(plain, 'other')).toEqual([50])
  })

  it('each version trades under its own risk terms', () => {
    expect(boundRiskTerms(stored(1))).toEqual({ accept_risks: [], shield: false, policies: [] })
    expect(boundRiskTerms(stored(2))).toEqual({ accept_risks: ['NO_REFERENCE'], shield: true, policies: [] })
    expect(boundRiskTerms(stored(3)).policies).toEqual(['block_flagged', 'block_new'])
  })

  it('only before version 3 a token must be verified or listed', () => {
    expect(boundToVerified(stored(1), STRANGE)).toBe(true)
    expect(boundToVerified(stored(2), STRANGE)).toBe(false)
    expect(boundToVerified(stored(2), USDG)).toBe(true)
    expect(boundToVerified(stored(3), STRANGE)).toBe(false)
  })
})

describe('readBinding', () => {
  const refused = (change: Record<string, unknown>) => {
    const read = readBinding({ ...today(), ...change })
    return read.ok ? 'taken' : read.field
  }
  const { limits, fee, risk } = today()
  const rows: [string, Record<string, unknown>][] = [
    ['version', { version: 4 }],
    ['version', { version: '3' }],
    ['chain_id', { chain_id: 1 }],
    ['wallet', { wallet: `0x${'AB'.repeat(20)}` }],
    ['tokens', { tokens: [ETH] }],
    ['tokens', { tokens: [USDG, ETH] }],
    ['tokens', { tokens: [ETH, ETH] }],
    ['executor', { executor: at('1') }],
    ['executor', { executor: at('3') }],
    ['cosigner', { cosigner: at('1') }],
    ['router', { router: at('1') }],
    ['nonce', { nonce: '0x01' }],
    ['extra', { extra: 1 }],
    ['unverified_tokens', { unverified_tokens: [] }],
    ['expires_at', { expires_at: 1.5 }],
    ['limits.max_trades', { limits: { ...limits, max_trades: 10_001 } }],
    ['limits.max_trades', { limits: { ...limits, max_trades: 0 } }],
    ['limits.max_trade_micro_usd', { limits: { ...limits, max_trade_micro_usd: 1_000_000_001 } }],
    ['limits.max_trade_micro_usd', { limits: { ...limits, max_trade_micro_usd: 24.5 } }],
    ['max_day_usd', { limits: { ...limits, max_day_micro_usd: 24_999_999 } }],
    ['max_day_usd', { limits: { ...limits, max_day_micro_usd: 2_500_000_001 } }],
    ['fee.schedule', { fee: { ...fee, schedule: 1 } }],
    ['fee.other_bps', { fee: { ...fee, other_bps: 101 } }],
    ['fee', { fee: { ...fee, other_bps: 91 } }],
    ['fee.major_min_bps', { fee: { ...fee, major_min_bps: 26 } }],
    ['risk.accept_risks', { risk: { ...risk, accept_risks: ['UNSCREENED', 'NO_REFERENCE'] } }],
    ['risk.policies', { risk: { ...risk, policies: ['block_new', 'block_flagged'] } }],
    ['risk.policies.0', { risk: { ...risk, policies: ['block_all'] } }],
  ]
  it.each(rows)('refuses %s: %j', (field, change) => expect(refused(change)).toBe(field))

  it('takes the edges of every range', () => {
    expect(refused({ limits: { ...limits, max_day_micro_usd: 25_000_000 } })).toBe('taken')
    expect(refused({ limits: { ...limits, max_day_micro_usd: 2_500_000_000 } })).toBe('taken')
    expect(refused({ limits: { ...limits, max_trades: 10_000 } })).toBe('taken')
    expect(refused({ fee: { ...fee, other_bps: 90 } })).toBe('taken')
  })

  it.each([null, undefined, 3, 'text', [], {}])('rejects a value that is not an object: %j', (value) =>
    expect(readBinding(value)).toMatchObject({ ok: false, field: 'version' }),
  )

  it('takes owner-signed marks in one spelling: sorted, each once, of its tokens, or left out', () => {
    const mark = { token: USDG, decimals: 18, price_e18: '1250000000000' }
    const zero = { ...mark, token: ETH }
    expect(refused({ marks: [mark] })).toBe('taken')
    expect(refused({ marks: [zero, mark] })).toBe('taken')
    expect(refused({ marks: [] })).toBe('marks')
    expect(refused({ marks: [mark, zero] })).toBe('marks')
    expect(refused({ marks: [mark, mark] })).toBe('marks')
    expect(refused({ marks: [{ ...mark, token: STRANGE }] })).toBe('marks')
    expect(refused({ marks: [{ ...mark, price_e18: '0' }] })).toBe('marks.0.price_e18')
    expect(refused({ marks: [{ ...mark, price_e18: '1.5' }] })).toBe('marks.0.price_e18')
    expect(refused({ marks: [{ ...mark, decimals: 37 }] })).toBe('marks.0.decimals')
    for (const version of [1, 2] as const) {
      const old = { ...(JSON.parse(STORED[version]) as object), marks: [mark] }
      expect(readBinding(old)).toMatchObject({ ok: false, field: 'marks' })
      expect(boundMarks(stored(version))).toEqual([])
    }
  })

  it('makes marks sorted and lower-case, and leaves none out of an empty list', () => {
    const marks = [
      { token: at('B'), decimals: 0, price_e18: '1' },
      { token: USDG, decimals: 6, price_e18: '1' },
    ]
    const made = createBinding({ ...today(), feeRecipient: at('6'), tokens: [ETH, USDG, at('b')], marks })
    expect(boundMarks(made).map(({ token }) => token)).toEqual([USDG, at('b')])
    expect(readBinding(made).ok).toBe(true)
    expect(createBinding({ ...today(), feeRecipient: at('6'), marks: [] })).not.toHaveProperty('marks')
  })

  it('refuses an unverified token that is none of the session’s', () => {
    const binding = { ...(JSON.parse(STORED[2]) as object), unverified_tokens: [at('8')] }
    expect(readBinding(binding)).toMatchObject({ ok: false, field: 'unverified_tokens' })
  })
})

describe('a grant’s limits', () => {
  const limits = { max_trade_micro_usd: 25_000_000, max_day_micro_usd: 100_000_000, max_trades: 50 }
  it('are named as the grant names them', () => {
    expect(limitFaults(limits)).toEqual([])
    const fields = limitFaults({ max_trade_micro_usd: 0, max_day_micro_usd: 1, max_trades: 0 })
    expect(fields.map(({ field }) => field)).toEqual(['max_trade_usd', 'max_day_usd', 'max_trades'])
    expect(limitFaults({ ...limits, max_day_micro_usd: Number.NaN })).toHaveLength(1)
  })

  it('end within a day when a token has no feed', () => {
    expect(expiryFaults(60, 'all have a feed')).toEqual([])
    expect(expiryFaults(59, 'all have a feed')).toHaveLength(1)
    expect(expiryFaults(2_592_000, 'all have a feed')).toEqual([])
    expect(expiryFaults(2_592_001, 'all have a feed')).toHaveLength(1)
    expect(expiryFaults(86_400, 'some have no feed')).toEqual([])
    expect(expiryFaults(86_401, 'some have no feed')).toHaveLength(1)
  })
})
