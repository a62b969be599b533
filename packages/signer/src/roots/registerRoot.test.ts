import { type Address, type Delegation, encodeCaveat, NATIVE } from '@pit/chain'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { SESSION, type SessionBinding } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import {
  CAPS,
  CURVE,
  E18,
  ETH_PRICE,
  FEE_RECIPIENT,
  type Granted,
  grant,
  JUNK,
  JUNK_MARK,
  keyOf,
  makeBinding,
  NOW_S,
  ownPrice,
  PARTNER,
  PINS,
  STRANGER,
  storedOf,
  USDG,
  WETH,
  WHO,
} from '../../test/kit.ts'
import { ask, launchpad, type RootChange, refused, rootDeps, signed } from '../../test/rootKit.ts'
import type { OwnPrice } from '../prices/followPrices.ts'
import { registerRoot } from './registerRoot.ts'

describe('a root its owner signed', () => {
  it('is registered by its hash', async () => {
    const granted = grant()
    expect(await registerRoot(rootDeps(), ask(granted))).toBe(storedOf(granted).hash)
  })

  it.each([
    ['without ETH', makeBinding({ tokens: [USDG, PARTNER].sort() })],
    ['of thirty days', makeBinding({ expires_at: NOW_S + SESSION.expiresInSMax })],
    [
      'of a day with a token that has only a pool',
      makeBinding({ tokens: [NATIVE, PARTNER].sort(), expires_at: NOW_S + 86_400 }),
    ],
    ['with an owner’s mark', makeBinding({ tokens: [NATIVE, JUNK].sort(), marks: [JUNK_MARK] })],
  ])('%s', async (_, binding) => expect(await refused(grant(binding))).toEqual([]))

  it('to a hosted executor of its owner', async () => {
    const hosted = { owner: WHO.wallet, closedAtMs: null }
    expect(await refused(grant(), { hosted })).toEqual([])
  })

  it('with curve roots', async () => {
    const binding = makeBinding({ tokens: [NATIVE, JUNK].sort(), marks: [JUNK_MARK] })
    expect(await refused(grant(binding, { curves: [CURVE] }))).toEqual([])
  })
})

describe('a root of a session with controls', () => {
  const controls = { signature_above_micro_usd: 0 }
  const junk = { tokens: [NATIVE, JUNK].sort(), marks: [JUNK_MARK], controls }

  it('is registered with the wallet’s nonce, its curve roots too', async () => {
    expect(await refused(grant(makeBinding({ controls })))).toEqual([])
    expect(await refused(grant(makeBinding(junk), { curves: [CURVE] }))).toEqual([])
  })

  it.each([6n, 8n])('is refused with the nonce %s of another time', async (nonce) => {
    expect(await refused(grant(makeBinding({ controls }), { nonce }))).toEqual(['ROOT_BINDS_LIMITS'])
    expect(await refused(grant(makeBinding(junk), { nonce, curves: [CURVE] }))).toEqual(['ROOT_BINDS_LIMITS'])
  })

  it('is refused if its curve roots have another nonce', async () => {
    const binding = makeBinding(junk)
    const [one, other] = [8n, 7n].map((nonce) => grant(binding, { nonce, curves: [CURVE] }))
    expect(await refused({ ...other!, curveRoots: one!.curveRoots })).toEqual(['ROOT_BINDS_LIMITS'])
  })

  it('is refused without a nonce, and while the nonce cannot be read', async () => {
    const [controlled, plain] = [makeBinding({ controls }), makeBinding()]
    const { root } = grant(plain)
    expect(await refused({ ...grant(controlled), root })).toContain('ROOT_BINDS_LIMITS')
    const rpc = rpcOf(async (method, params) => {
      const { to } = params[0] as { to: Address }
      if (to === PINS.addresses.enforcers.Nonce) throw new Error('no answer')
      return launchpad({}).request(method, params)
    })
    expect(await refused(grant(controlled), { rpc })).toEqual(['CHAIN_UNAVAILABLE'])
  })
})

describe('a root is refused', () => {
  const good = makeBinding()
  const rows: [string, Granted | ReturnType<typeof ask>, RootChange, string[]][] = [
    ['while frozen', grant(), { frozen: true }, ['SIGNER_FROZEN']],
    ['for a sanctioned wallet', grant(), { isSanctioned: (a) => a === WHO.wallet }, ['SANCTIONED']],
    ['for a sanctioned executor', grant(), { isSanctioned: (a) => a === WHO.executor }, ['SANCTIONED']],
    [
      'with a nonce of no form',
      { ...ask(grant()), binding: { ...good, nonce: '0x01' } as never },
      {},
      ['BINDING_NONCE'],
    ],
    [
      'with a field beside',
      { ...ask(grant()), binding: { ...good, extra: 1 } as never },
      {},
      ['BINDING_TERMS'],
    ],
    ['with no binding', { ...ask(grant()), binding: null as never }, {}, ['BINDING_TERMS']],
    ['for another co-signer', grant(makeBinding({ cosigner: STRANGER })), {}, ['BINDING_TERMS']],
    ['for another router', grant(makeBinding({ router: STRANGER })), {}, ['BINDING_TERMS']],
    [
      'with another fee recipient',
      grant(makeBinding({ fee: { ...good.fee, recipient: STRANGER } })),
      {},
      ['BINDING_TERMS'],
    ],
    ['with a lower fee', grant(makeBinding({ fee: { ...good.fee, other_bps: 0 } })), {}, ['BINDING_TERMS']],
    ['that lasts too long', grant(makeBinding({ expires_at: NOW_S + 2_592_031 })), {}, ['BINDING_TERMS']],
    [
      'without the mark of a feedless token',
      grant(makeBinding({ tokens: [NATIVE, JUNK].sort() })),
      {},
      ['BINDING_TERMS'],
    ],
    [
      'with a mark of a token that has a feed',
      grant(makeBinding({ marks: [{ ...JUNK_MARK, token: USDG }] })),
      {},
      ['BINDING_TERMS'],
    ],
    ['that has ended', grant(makeBinding({ expires_at: NOW_S })), {}, ['SESSION_EXPIRED']],
    [
      'over a day with a token that has only a pool',
      grant(makeBinding({ tokens: [NATIVE, PARTNER].sort(), expires_at: NOW_S + 86_431 })),
      {},
      ['NO_FEED_SESSION'],
    ],
    ['when the chain is silent', grant(), { isChainRead: false }, ['CHAIN_UNAVAILABLE']],
    [
      'without a price of ETH',
      grant(),
      { own: () => ({ kind: 'none', why: 'stale' }) },
      ['PRICE_UNAVAILABLE'],
    ],
    ['signed by another key', grant(good, { signer: keyOf('mallory') }), {}, ['BAD_SIGNATURE']],
    ['registered before', grant(), { outcome: 'reused' }, ['ROOT_REUSED']],
    ['revoked before it came', grant(), { outcome: 'revoked' }, ['SESSION_REVOKED']],
    ['with a nonce used before', grant(), { outcome: 'nonce used' }, ['BINDING_NONCE']],
    ['when frozen meanwhile', grant(), { outcome: 'frozen' }, ['SIGNER_FROZEN']],
    [
      'to a hosted executor of another wallet',
      grant(),
      { hosted: { owner: STRANGER, closedAtMs: null } },
      ['EXECUTOR_OWNER'],
    ],
    [
      'to a hosted executor that is closed',
      grant(),
      { hosted: { owner: WHO.wallet, closedAtMs: 1 } },
      ['EXECUTOR_CLOSED'],
    ],
    ['to an executor closed meanwhile', grant(), { outcome: 'closed' }, ['EXECUTOR_CLOSED']],
  ]
  it.each(rows)('%s', async (_, given, change, rules) => expect(await refused(given, change)).toEqual(rules))

  it('when its salt is not the hash of the limits it comes with', async () => {
    const { root, curveRoots: pair } = grant(good)
    const limits: [string, SessionBinding][] = [
      ['trade', { ...good, limits: { ...good.limits, max_trade_micro_usd: 26_000_000 } }],
      ['day', { ...good, limits: { ...good.limits, max_day_micro_usd: 101_000_000 } }],
      ['trades', { ...good, limits: { ...good.limits, max_trades: 51 } }],
      ['end', { ...good, expires_at: good.expires_at + 1 }],
      ['tokens', { ...good, tokens: [NATIVE, WETH, USDG].sort() }],
      ['executor', { ...good, executor: STRANGER }],
      ['shield', { ...good, risk: { ...good.risk, shield: true } }],
    ]
    for (const [what, binding] of limits) {
      expect({ [what]: await refused({ binding, root, curveRoots: pair }) }).toEqual({
        [what]: ['ROOT_BINDS_LIMITS'],
      })
    }
    const stranger = { ...good, wallet: STRANGER }
    expect(await refused({ binding: stranger, root, curveRoots: pair })).toEqual([
      'ROOT_BINDS_LIMITS',
      'BAD_SIGNATURE',
    ])
  })

  it('when a caveat is missing, doubled, widened or in another order, however well it is signed', async () => {
    const { root } = grant(good)
    const { addresses } = PINS
    const wider = encodeCaveat(addresses, { enforcer: 'LimitedCalls', limit: 51 })
    const changes: Record<string, Delegation> = {
      double: { ...root, caveats: [...root.caveats, root.caveats[0]!] },
      order: { ...root, caveats: [...root.caveats].reverse() },
      wider: { ...root, caveats: root.caveats.with(4, wider) },
      args: { ...root, caveats: root.caveats.with(0, { ...root.caveats[0]!, args: '0x00' }) },
      delegate: { ...root, delegate: WHO.executor },
      authority: { ...root, authority: `0x${'0'.repeat(64)}` },
      salt: { ...root, salt: root.salt ^ 1n },
    }
    root.caveats.forEach((_, i) => {
      // The sixth is the day's cap, which has its own rule.
      if (i !== 5) changes[`without ${i}`] = { ...root, caveats: root.caveats.toSpliced(i, 1) }
    })
    for (const [what, changed] of Object.entries(changes)) {
      const rules = await refused({ binding: good, root: signed(changed), curveRoots: [] })
      expect({ [what]: rules }).toEqual({ [what]: ['ROOT_BINDS_LIMITS'] })
    }
    const capless = signed({ ...root, caveats: root.caveats.toSpliced(5, 1) })
    expect(await refused({ binding: good, root: capless, curveRoots: [] })).toEqual([
      'ROOT_DAY_CAP',
      'ROOT_BINDS_LIMITS',
    ])
  })

  it('when its caps in ETH are far from its dollars', async () => {
    const scaled = (bps: bigint) => ({
      dayWei: (CAPS.dayWei * bps) / 10_000n,
      tradeWei: (CAPS.tradeWei * bps) / 10_000n,
    })
    expect(await refused(grant(makeBinding(), { caps: scaled(11_000n) }))).toEqual([])
    expect(await refused(grant(makeBinding(), { caps: scaled(9_000n) }))).toEqual([])
    expect(await refused(grant(makeBinding(), { caps: scaled(11_001n) }))).toEqual(['CAP_PRICE'])
    expect(await refused(grant(makeBinding(), { caps: scaled(8_999n) }))).toEqual(['CAP_PRICE'])
    const dear = (token: Address): OwnPrice =>
      token === NATIVE ? { kind: 'fresh', priceE18: 2n * ETH_PRICE, by: 'feed' } : ownPrice(token)
    expect(await refused(grant(), { own: dear })).toEqual(['CAP_PRICE'])
    expect(await refused(grant(makeBinding(), { caps: { ...CAPS, dayWei: E18 } }))).toEqual(['CAP_PRICE'])
  })

  it('of an older version, which only stored roots may have', async () => {
    const { fee: _, risk: __, ...common } = makeBinding()
    const fee = { schedule: 1, recipient: FEE_RECIPIENT, fee_bps: 30 } as const
    expect(await refused(grant({ ...common, version: 1, fee }))).toEqual(['BINDING_TERMS'])
    const risk = { accept_risks: [], shield: true }
    const second = grant({ ...common, version: 2, fee, risk, unverified_tokens: [] })
    expect(await refused(second)).toEqual(['BINDING_TERMS'])
  })

  it('when its first window lies ahead', async () => {
    expect(await refused(grant(makeBinding(), { nowS: NOW_S + 91 }))).toEqual(['ROOT_BINDS_LIMITS'])
  })
})
