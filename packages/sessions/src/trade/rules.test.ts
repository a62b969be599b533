import { readFileSync } from 'node:fs'
import {
  createCrypto,
  curveRoots,
  delegationAddresses,
  NATIVE,
  readRoot,
  type SessionRoot,
  sessionRoot,
} from '@pit/chain'
import { bindingHash, createBinding, isPitError, ROUTES, type SessionBindingV3 } from '@pit/protocol'
import { NOW_S, RECIPIENT, ROUTER, USDG } from '@pit/trading/test/tradeFixtures'
import { describe, expect, it } from 'vitest'
import { OTHER, PROFILE, WHO } from '../../test/sessionWorld.ts'
import type { Session } from '../types.ts'
import type { SessionCall } from './readCall.ts'
import { whyUnbound } from './readRoots.ts'
import { checkSession, feeBpsOf, refuseBySession, SESSION_RULES, type TradeFacts } from './rules.ts'

const crypto = await createCrypto()
const addresses = delegationAddresses(PROFILE)
const bindingOf = (over: Partial<Parameters<typeof createBinding>[0]> = {}): SessionBindingV3 =>
  createBinding({
    wallet: WHO.owner,
    executor: WHO.executor,
    cosigner: WHO.cosigner,
    router: ROUTER,
    feeRecipient: RECIPIENT,
    tokens: [NATIVE, USDG.address],
    limits: { max_trade_micro_usd: 25_000_000, max_day_micro_usd: 100_000_000, max_trades: 5 },
    expires_at: NOW_S + 1_000,
    risk: { accept_risks: ['SELL_TAX'], shield: false, policies: [] },
    nonce: `0x${'11'.repeat(32)}`,
    ...over,
  })
const binding = bindingOf()
const request = {
  binding,
  bindingHash: bindingHash(crypto.keccakText, binding),
  eth: { dayWei: 40n, tradeWei: 10n },
  nowS: NOW_S,
}
const rootOf = sessionRoot(addresses, request)
const made = curveRoots(addresses, { ...request, curves: [OTHER], launchpads: ['pit'] })
const read = <Kind extends SessionRoot['kind']>(kind: Kind) =>
  [rootOf, made.curve, made.fee]
    .map((one) => readRoot(crypto, addresses, one))
    .find((root) => root?.kind === kind) as Extract<SessionRoot, { kind: Kind }>
const session: Session = {
  id: 'ses_1',
  wallet: WHO.owner,
  executor: WHO.executor,
  status: 'active',
  binding,
  root: rootOf,
  rootHash: read('router').hash,
  curveRoots: made,
  authorization: null,
  createdAtS: NOW_S,
  expiresAtS: binding.expires_at,
  revokedAtS: null,
  signerRevokedAtS: null,
}
const router: SessionCall = {
  kind: 'router',
  execution: { target: ROUTER, valueWei: 10n, data: '0x' },
  root: read('router'),
  reading: { fee: { side: 'input', recipient: RECIPIENT, amount: 1n, bps: 25 } } as never,
  fault: null,
  feeFault: null,
  setup: null,
  code: { state: 'in place' },
  maxWei: 10n,
}
const curve: SessionCall = {
  kind: 'curve',
  execution: { target: OTHER, valueWei: 10n, data: '0x' },
  roots: { curve: read('curve'), fee: read('fee') },
  fee: { recipient: RECIPIENT, amountWei: 1n },
  recipient: WHO.owner,
  oddSteps: [],
  fault: null,
  feeFault: null,
  setup: null,
  code: { state: 'in place' },
  maxWei: 10n,
}
const facts: TradeFacts = {
  session,
  nowS: NOW_S,
  unbound: null,
  requestedTerms: {},
  tokens: [NATIVE, USDG.address],
  used: { trades: 4, dayMicroUsd: 75_000_000n },
  microUsd: 25_000_000n,
  call: router,
  fee: { bps: 25, class: 'major' },
}
const withSession = (over: Partial<Session>): TradeFacts => ({ ...facts, session: { ...session, ...over } })
const shielded = (...policies: SessionBindingV3['risk']['policies']): SessionBindingV3 => ({
  ...binding,
  risk: { accept_risks: ['SELL_TAX'], shield: true, policies },
})
const withCall = (call: SessionCall): TradeFacts => ({ ...facts, call })
const failuresOf = (tradeFacts: TradeFacts) =>
  checkSession(tradeFacts)
    .filter(({ ok }) => !ok)
    .map(({ code }) => code)

describe('the rules of a session trade', () => {
  it('pass at every limit', () => {
    expect(failuresOf(facts)).toEqual([])
    expect(failuresOf(withCall(curve))).toEqual([])
    expect(refuseBySession(facts)).toHaveLength(checkSession(facts).length)
  })

  const broken: [string, TradeFacts][] = [
    ['SESSION_PENDING', withSession({ status: 'pending' })],
    ['SESSION_REVOKED', withSession({ status: 'revoked' })],
    ['SESSION_EXPIRED', { ...facts, nowS: NOW_S + 1_000 }],
    ['SESSION_EXPIRY', { ...facts, nowS: NOW_S + 990 }],
    ['SESSION_BOUND', { ...facts, unbound: 'changed' }],
    ['SESSION_TERMS', { ...facts, requestedTerms: { accept_risks: [] } }],
    ['SESSION_TERMS', { ...facts, requestedTerms: { accept_risks: ['SELL_TAX', 'HONEYPOT'] } }],
    ['SESSION_TERMS', { ...facts, requestedTerms: { accept_risks: 'SELL_TAX' } }],
    ['SESSION_TERMS', { ...facts, requestedTerms: { shield: 1 } }],
    ['SESSION_TERMS', { ...facts, requestedTerms: { policies: ['block_new'] } }],
    [
      'SESSION_TERMS',
      {
        ...withSession({ binding: shielded('block_new') }),
        requestedTerms: { policies: false },
        fee: { bps: 35, class: 'major' },
      },
    ],
    ['FEE_MISMATCH', withCall({ ...router, feeFault: 'The call pays nothing.' })],
    ['TOKEN_NOT_ALLOWED', { ...facts, tokens: [NATIVE, 'DOGE'] }],
    ['SESSION_TOKENS', { ...facts, tokens: [NATIVE, OTHER] }],
    [
      'TOKEN_UNVERIFIED',
      { ...withSession({ binding: { ...binding, version: 2 } as never }), unverified: [OTHER] },
    ],
    ['SESSION_TRADES_LEFT', { ...facts, used: { trades: 5, dayMicroUsd: 0n } }],
    ['SESSION_MAX_TRADE', { ...facts, microUsd: 25_000_001n, used: { trades: 0, dayMicroUsd: 0n } }],
    ['SESSION_MAX_DAY', { ...facts, used: { trades: 0, dayMicroUsd: 75_000_001n } }],
    ['SESSION_CURVE_ROOTS', withCall({ ...curve, roots: null })],
    ['SESSION_CURVE', withCall({ ...curve, execution: { ...curve.execution, target: ROUTER } })],
    ['SESSION_CURVE_STEPS', withCall({ ...curve, oddSteps: ['batch'] })],
    ['SESSION_TARGET', withCall({ ...router, execution: { ...router.execution, target: OTHER } })],
    ['SESSION_RECIPIENTS', withCall({ ...router, reading: { fee: { recipient: OTHER } } as never })],
    ['SESSION_RECIPIENTS', withCall({ ...curve, recipient: OTHER })],
    ['SESSION_RECIPIENTS', withCall({ ...curve, fee: { recipient: OTHER, amountWei: 1n } })],
    ['SESSION_EXECUTION', withCall({ ...router, fault: 'odd' })],
    ['WALLET_CODE', withCall({ ...router, code: { state: 'unfit', why: 'other code' } })],
    ['WALLET_CODE', withCall({ ...router, code: { state: 'unsigned', why: 'sent more', sign: {} } })],
    ['SESSION_SETUP', withCall({ ...router, setup: 'approve first' })],
    ['SESSION_ROOT_ALLOWS', withCall({ ...router, maxWei: 9n })],
    ['FEE_BPS', { ...facts, fee: { bps: 50, class: 'major' } }],
    ['FEE_BPS', { ...facts, fee: { bps: 25, class: 'other' } }],
  ]
  it.each(broken)('%s fails alone, and is a code of the route', (code, tradeFacts) => {
    // An expired session also fails the expiry margin, and an unknown token is in no session.
    const others: Partial<Record<string, string>> = {
      SESSION_EXPIRED: 'SESSION_EXPIRY',
      TOKEN_NOT_ALLOWED: 'SESSION_TOKENS',
    }
    const alone = [code, ...(others[code] === undefined ? [] : [others[code]])]
    expect(failuresOf(tradeFacts)).toEqual(alone)
    expect(ROUTES['live.session.trade'].errors).toContain(code)
    try {
      refuseBySession(tradeFacts)
      expect.unreachable()
    } catch (error) {
      if (!isPitError(error)) throw error
      expect(error.code).toBe(code)
    }
  })
  it.each([
    ['accept_risks', { accept_risks: ['HONEYPOT'], shield: true }],
    ['shield', { accept_risks: ['SELL_TAX'], shield: true }],
    ['policies', { policies: ['block_new'] }],
  ])('reports %s as the field', (field, requestedTerms) => {
    expect(() => refuseBySession({ ...facts, requestedTerms })).toThrow(
      expect.objectContaining({ code: 'SESSION_TERMS', extras: { field } }),
    )
  })

  it('each fails in this table', () => {
    expect(new Set(broken.map(([code]) => code))).toEqual(new Set(SESSION_RULES.map(({ code }) => code)))
  })

  it('report the first of several failures, in order', () => {
    for (const [i, [first, one]] of broken.entries()) {
      for (const [second, other] of broken.slice(i + 1)) {
        const both: TradeFacts = {
          ...one,
          ...Object.fromEntries(
            Object.entries(other).filter(([name, value]) => value !== facts[name as keyof TradeFacts]),
          ),
        }
        const failed = failuresOf(both)
        if (!failed.includes(first) || !failed.includes(second)) continue
        const order = SESSION_RULES.map(({ code }) => code as string)
        const expected = order.find((code) => failed.includes(code))
        expect(() => refuseBySession(both)).toThrow(expect.objectContaining({ code: expected }))
      }
    }
  })

  it('are documented in this order', () => {
    const doc = readFileSync('docs/reference/sessions.md', 'utf8')
    const [, list] = /in order: (.*?)\. All that ran/.exec(doc) ?? []
    const codes = list?.replaceAll(/ \([^)]*\)/g, '').split(', ')
    expect(codes).toEqual(SESSION_RULES.map(({ code }) => code))
  })

  it('do not run without their facts', () => {
    const { call: _c, fee: _f, used: _u, microUsd: _m, tokens: _t, ...early } = facts
    expect(checkSession(early).map(({ code }) => code)).toEqual([
      'SESSION_PENDING',
      'SESSION_REVOKED',
      'SESSION_EXPIRED',
      'SESSION_EXPIRY',
      'SESSION_BOUND',
      'SESSION_TERMS',
    ])
  })
})

it('a request may send policies false if the shield’s defaults are bound', () => {
  const defaults = {
    ...withSession({ binding: shielded('block_flagged') }),
    requestedTerms: { policies: false },
  }
  const { fee: _, ...unpriced } = defaults
  expect(failuresOf(unpriced)).toEqual([])
})

describe('the fee of a binding', () => {
  it.each([
    [25, 'major', false, 25],
    [24, 'major', false, 20],
    [10, 'major', false, 10],
    [3, 'major', false, 10],
    [99, 'major', false, 25],
    [10, 'major', true, 20],
    [25, 'other', false, 50],
    [25, 'other', true, 60],
  ] as const)('of tier %i, class %s, shield %s is %i', (tier, cls, shield, bps) => {
    const own = bindingOf({ risk: { accept_risks: [], shield, policies: [] } })
    expect(feeBpsOf(own, tier)(cls)).toBe(bps)
  })
})

describe('a stored session', () => {
  const addressesOf = { delegation: addresses } as Parameters<typeof whyUnbound>[1]
  it('matches what its owner signed', () => {
    expect(whyUnbound(crypto, addressesOf, session)).toBeNull()
  })
  it.each<[string, Partial<Session>]>([
    ['limits', { binding: { ...binding, limits: { ...binding.limits, max_trades: 6 } } }],
    ['tokens', { binding: bindingOf({ tokens: [NATIVE, USDG.address, OTHER] }) }],
    ['terms', { binding: bindingOf({ risk: { accept_risks: ['HONEYPOT'], shield: false, policies: [] } }) }],
    ['shape', { binding: { ...binding, more: 1 } as never }],
    ['wallet', { wallet: WHO.stranger }],
    ['executor', { executor: WHO.stranger }],
    ['end', { expiresAtS: binding.expires_at + 1 }],
    ['hash', { rootHash: `0x${'00'.repeat(32)}` }],
    ['root', { root: made.curve }],
    ['curve root', { curveRoots: { curve: { ...made.curve, salt: 1n }, fee: made.fee } }],
  ])('does not match if its %s was changed', (_, change) => {
    expect(whyUnbound(crypto, addressesOf, { ...session, ...change })).toEqual(expect.any(String))
  })
})
