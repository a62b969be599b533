import { RISKS } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { describeToken, hasStockRules, isMajor } from './describeToken.ts'
import type { MarketView } from './marketView.ts'
import type { TokenReading, Trial } from './reading.ts'
import { type Judged, kindOf, limitsOf, risksOf, tierOf, warningsOf } from './rules.ts'

const TOKEN = '0x00000000000000000000000000000000000000ee'
const NOW_S = 1_800_000_000
const VENUE = {
  venue: 'venue_pool',
  protocol: 'v2',
  address: '0xpool',
  pair: TOKEN,
  fee: 3000,
  liquidity_usd: 1,
} as const
const GOOD_TRIAL = {
  status: 'done',
  pool: '0xpool',
  buyTaxBps: 0,
  transfer: { ok: true, taxBps: 0 },
  sell: { ok: true, taxBps: 0 },
  hookTakeBps: 0,
  balanceLies: false,
  rebased: false,
} satisfies Trial

type Change = {
  reading?: Partial<TokenReading>
  view?: Partial<MarketView>
  code?: Partial<TokenReading['code']>
} & Partial<Pick<Judged, 'standing' | 'imitates' | 'feedBacked' | 'multiplier'>>
function judge({ reading, view, code, ...rest }: Change = {}): Judged {
  return {
    nowS: NOW_S,
    standing: 'none',
    imitates: null,
    feedBacked: false,
    multiplier: null,
    ...rest,
    reading: {
      address: TOKEN,
      symbol: 'GOOD',
      name: 'Good',
      decimals: 18,
      textFaults: [],
      owner: '0x0000000000000000000000000000000000000007',
      proved: [],
      saysPaused: null,
      firstPoolAtS: NOW_S - 30 * 86_400,
      trial: GOOD_TRIAL,
      agentToken: false,
      screenedAtS: NOW_S,
      block: 1,
      ...reading,
      code: { codeHash: '0x', proxy: null, stockBeacon: false, powers: [], bridged: false, ...code },
    },
    view: {
      venues: [VENUE, VENUE],
      venueCount: 2,
      liquidityUsd: 120_000,
      reference: { source: 'spot', address: null, price_usd: 1, read_at: NOW_S },
      twapPool: null,
      routable: true,
      unknownHook: false,
      curve: null,
      markStale: false,
      ...view,
    },
  }
}
const codes = (change: Change = {}) => risksOf(judge(change)).map(({ code }) => code)
const trial = (change: Partial<Extract<Trial, { status: 'done' }>>) => ({
  reading: { trial: { ...GOOD_TRIAL, ...change } },
})
const proxy = {
  kind: 'implementation' as const,
  at: TOKEN as `0x${string}`,
  implementation: '0x0000000000000000000000000000000000000009' as const,
  implementationHash: '0x' as const,
}

describe('risks', () => {
  it('are empty for a good token', () => {
    expect(codes()).toEqual([])
  })
  it.each<[string, Change, string[]]>([
    ['unsellable', trial({ sell: { ok: false, why: 'no', paused: false } }), ['HONEYPOT']],
    ['taxed at the limit', trial({ sell: { ok: true, taxBps: 1_000 } }), []],
    ['taxed past it', trial({ sell: { ok: true, taxBps: 1_001 } }), ['SELL_TAX']],
    ['taxed on purchase', trial({ buyTaxBps: 500 }), ['BUY_TAX']],
    [
      'taxed on every transfer',
      trial({ buyTaxBps: 300, transfer: { ok: true, taxBps: 300 }, sell: { ok: true, taxBps: 300 } }),
      ['FEE_ON_TRANSFER'],
    ],
    [
      'taxed on both, more on purchase',
      trial({ buyTaxBps: 900, transfer: { ok: true, taxBps: 300 } }),
      ['BUY_TAX', 'FEE_ON_TRANSFER'],
    ],
    ['a wei of rounding', trial({ buyTaxBps: 1, transfer: { ok: true, taxBps: 1 } }), []],
    ['stuck', trial({ transfer: { ok: false, why: 'no' } }), ['TRANSFER_BLOCKED']],
    [
      'stuck and unsellable',
      trial({ transfer: { ok: false, why: 'no' }, sell: { ok: false, why: 'no', paused: false } }),
      ['HONEYPOT', 'TRANSFER_BLOCKED'],
    ],
    [
      'paused after the purchase',
      trial({ sell: { ok: false, why: 'no', paused: true }, transfer: { ok: false, why: 'no' } }),
      ['TOKEN_PAUSED'],
    ],
    [
      'paused',
      { reading: { trial: { status: 'buy_failed', pool: 'x', paused: true, hooked: false, why: 'x' } } },
      ['TOKEN_PAUSED'],
    ],
    [
      'not to be bought',
      { reading: { trial: { status: 'buy_failed', pool: 'x', paused: false, hooked: false, why: 'x' } } },
      ['TRANSFER_BLOCKED'],
    ],
    [
      'not to be bought past its hook',
      {
        reading: { trial: { status: 'buy_failed', pool: 'x', paused: false, hooked: true, why: 'x' } },
        view: { unknownHook: true },
      },
      ['UNKNOWN_HOOK'],
    ],
    ['not tried', { reading: { trial: { status: 'unfinished', why: 'x' } } }, ['UNSCREENED']],
    [
      'not tried because it had no route then',
      { reading: { trial: { status: 'no_route' } } },
      ['UNSCREENED'],
    ],
    ['rebasing by itself', trial({ rebased: true }), ['REBASING']],
    ['rebased by its owner', { code: { powers: ['rebase'] } }, ['REBASING']],
    ['mintable', { code: { powers: ['mint'] } }, ['MINTABLE']],
    [
      'mintable, with a renounced owner',
      {
        code: { powers: ['mint', 'pause', 'blacklist'] },
        reading: { owner: '0x0000000000000000000000000000000000000000' },
      },
      [],
    ],
    ['mintable by an unknown owner', { code: { powers: ['mint'] }, reading: { owner: null } }, ['MINTABLE']],
    ['barring', { code: { powers: ['blacklist'] } }, ['BLACKLIST']],
    ['pausable', { code: { powers: ['pause'] } }, ['OWNER_CONTROLS']],
    ['a proxy', { code: { proxy } }, ['PROXY']],
    ['a clone', { code: { proxy: { ...proxy, kind: 'clone' } } }, []],
    ['a listed stock', { code: { stockBeacon: true }, standing: 'listed_stock' }, ['STOCK_TOKEN']],
    [
      'an unlisted token on the stock beacon',
      { code: { stockBeacon: true } },
      ['IMPERSONATOR', 'STOCK_TOKEN'],
    ],
    ['new', { reading: { firstPoolAtS: NOW_S - 72 * 3_600 + 1 } }, ['NEW_TOKEN']],
    ['no longer new', { reading: { firstPoolAtS: NOW_S - 72 * 3_600 } }, []],
    ['of unknown age', { reading: { firstPoolAtS: null } }, ['NEW_TOKEN']],
    ['shallow', { view: { liquidityUsd: 9_999 } }, ['LOW_LIQUIDITY']],
    ['of unknown depth', { view: { liquidityUsd: null } }, ['LOW_LIQUIDITY']],
    ['in one pool', { view: { venueCount: 1 } }, ['SINGLE_POOL']],
    [
      'on its curve',
      {
        view: {
          venueCount: 1,
          curve: { launchpad: 'pit', creatorTaxBps: 100, curveFeeBps: 100, graduated: false },
        },
      },
      ['CREATOR_TAX', 'CURVE'],
    ],
    [
      'off its curve',
      {
        view: {
          venueCount: 1,
          curve: { launchpad: 'pit', creatorTaxBps: 100, curveFeeBps: 100, graduated: true },
        },
      },
      ['SINGLE_POOL'],
    ],
    [
      'unpriced',
      { view: { reference: { source: 'none', address: null, price_usd: null, read_at: null } } },
      ['NO_REFERENCE'],
    ],
    [
      'nowhere',
      {
        view: {
          routable: false,
          liquidityUsd: null,
          venueCount: 0,
          reference: { source: 'none', address: null, price_usd: null, read_at: null },
        },
        reading: { trial: { status: 'no_route' } },
      },
      [],
    ],
    [
      'an imitation',
      { imitates: { address: '0xreal', symbol: 'USDG', name: 'Global Dollar' } },
      ['IMPERSONATOR'],
    ],
    ['of an old price', { view: { markStale: true } }, ['STALE_MARK']],
  ])('of one that is %s', (_, change, expected) => {
    expect(codes(change)).toEqual(expected)
  })
  it('come severe first, each with its severity and words', () => {
    const risks = risksOf(
      judge({
        ...trial({ buyTaxBps: 500, sell: { ok: false, why: 'no', paused: false } }),
        view: { venueCount: 1, unknownHook: true },
      }),
    )
    expect(risks.map(({ code }) => code)).toEqual(['HONEYPOT', 'UNKNOWN_HOOK', 'BUY_TAX', 'SINGLE_POOL'])
    for (const { code, severity, message, token } of risks) {
      expect(severity).toBe(RISKS[code].severity)
      expect(message).toMatch(/^[A-Z].*\.$/)
      expect(token).toBe(TOKEN)
    }
  })
  it('of a core asset are only its state', () => {
    const all = {
      ...trial({ buyTaxBps: 500 }),
      code: { powers: ['mint', 'pause'] as const, proxy, stockBeacon: true },
      view: { venueCount: 1, liquidityUsd: 1, markStale: true },
    }
    expect(codes({ ...all, code: { ...all.code, powers: [...all.code.powers] }, standing: 'core' })).toEqual([
      'STOCK_TOKEN',
      'STALE_MARK',
    ])
    expect(codes({ standing: 'core', reading: { trial: { status: 'no_route' }, saysPaused: true } })).toEqual(
      ['TOKEN_PAUSED'],
    )
  })
})

describe('a token on the stock beacon', () => {
  const onBeacon = { code: { stockBeacon: true }, multiplier: 2 }
  const described = (change: Change) => describeToken(judge({ ...onBeacon, ...change }))

  it('is a stock token where the profile lists it', () => {
    const listed = described({ standing: 'listed_stock' })
    expect(listed).toMatchObject({
      kind: 'stock',
      stock_beacon: true,
      flags: { listed_stock: true },
      multiplier: 2,
    })
    expect(listed.limits).toMatchObject({ fee_class: 'major' })
    expect(isMajor(listed)).toBe(true)
    expect(described({ standing: 'core' })).toMatchObject({ kind: 'core', stock_beacon: true })
  })
  it('is one as a core asset too, whatever its code says', () => {
    for (const stockBeacon of [true, false]) {
      const core = described({ standing: 'core_stock', code: { stockBeacon } })
      expect(core).toMatchObject({
        kind: 'stock',
        tier: 'A',
        screen_status: 'CORE',
        stock_beacon: stockBeacon,
        flags: { listed_stock: true },
      })
      expect(core.risks.map(({ code }) => code)).toEqual(['STOCK_TOKEN'])
      expect(core.limits).toMatchObject({ fee_class: 'major' })
    }
  })
  it('pays the major fee without being listed, as a severe IMPERSONATOR under the rules of stocks', () => {
    const unlisted = described({ multiplier: null })
    expect(unlisted).toMatchObject({
      kind: 'erc20',
      stock_beacon: true,
      flags: { listed_stock: false },
      multiplier: null,
      limits: { fee_class: 'major' },
      risks: [
        { code: 'IMPERSONATOR', severity: 'severe', message: expect.stringContaining('not a listed stock') },
        { code: 'STOCK_TOKEN' },
      ],
    })
    expect(isMajor(unlisted)).toBe(true)
    expect(hasStockRules(unlisted)).toBe(true)
    expect(unlisted.warnings).toEqual([unlisted.risks[0]!.message])
  })
  it('is neither a stock nor major off the beacon, and unknown while its slot is unread', () => {
    const plain = describeToken(judge())
    expect(plain).toMatchObject({ stock_beacon: false, flags: { listed_stock: false } })
    expect([hasStockRules(plain), isMajor(plain)]).toEqual([false, false])
    // Readings stored before the slot was part of a screen lack the field.
    for (const stockBeacon of [null, undefined as never]) {
      const unread = described({ code: { stockBeacon } })
      expect(unread).toMatchObject({ stock_beacon: null, limits: { fee_class: 'other' }, risks: [] })
    }
  })
})

describe('kind and tier', () => {
  it('come from the profile, the registry, the curve or neither', () => {
    const curve = { launchpad: 'pit' as const, creatorTaxBps: 0, curveFeeBps: 100, graduated: false }
    expect(kindOf(judge({ standing: 'core', code: { stockBeacon: true } }))).toBe('core')
    expect(kindOf(judge({ standing: 'listed_stock', code: { stockBeacon: true } }))).toBe('stock')
    expect(kindOf(judge({ reading: { agentToken: true }, view: { curve } }))).toBe('partner_agent')
    expect(kindOf(judge({ view: { curve } }))).toBe('curve')
    expect(kindOf(judge({ view: { curve: { ...curve, graduated: true } } }))).toBe('erc20')
    expect(kindOf(judge({ code: { bridged: true } }))).toBe('bridged')
    expect(kindOf(judge())).toBe('erc20')
  })
  it('go by liquidity and by how well it is priced', () => {
    const tier = (
      liquidityUsd: number | null,
      source: MarketView['reference']['source'],
      more: Change = {},
    ) =>
      tierOf(
        judge({
          ...more,
          view: {
            liquidityUsd,
            reference: { source, address: null, price_usd: 1, read_at: 1 },
            ...more.view,
          },
        }),
      )
    expect(tier(250_000, 'twap')).toBe('A')
    expect(tier(249_999, 'twap')).toBe('B')
    expect(tier(9e9, 'median')).toBe('B')
    expect(tier(9e9, 'spot')).toBe('B')
    expect(tier(25_000, 'spot')).toBe('B')
    expect(tier(24_999, 'spot')).toBe('C')
    expect(tier(null, 'none')).toBe('C')
    expect(tier(0, 'none', { feedBacked: true })).toBe('A')
    expect(tier(0, 'none', { standing: 'core' })).toBe('A')
    expect(tier(9e9, 'twap', { view: { routable: false } })).toBe('blocked')
  })
})

it('reports no route only for a token that trades nowhere', () => {
  const screen = (change: Change) => describeToken(judge(change)).flags['screen']
  const untried = { reading: { trial: { status: 'no_route' } as const } }
  expect(screen({ ...untried, view: { venues: [], venueCount: 0, routable: false } })).toBe('no_route')
  expect(screen({ ...untried, view: { routable: false } })).toBe('untried')
  expect(screen(untried)).toBe('untried')
  expect(screen({ ...untried, standing: 'core' })).toBe('not_needed')
  expect(screen({})).toBe('done')
})

describe('limits and warnings', () => {
  it('limit a trade', () => {
    expect(limitsOf('A', true)).toMatchObject({
      max_price_impact_bps: 300,
      fee_class: 'major',
      max_notional_usd: 10_000,
    })
    expect(limitsOf('C', false)).toMatchObject({ max_price_impact_bps: 1_000, fee_class: 'other' })
    expect(limitsOf('blocked', false)).toMatchObject({ max_notional_usd: 0 })
  })
  it('describe what no code covers', () => {
    const warned = (change: Change) => {
      const judged = judge(change)
      return warningsOf(judged, risksOf(judged)).join('\n')
    }
    expect(warned({})).toBe('')
    expect(warned({ reading: { decimals: null, textFaults: ['symbol_unreadable', 'cut'] } })).toMatch(
      /symbol[\s\S]*truncated[\s\S]*decimals/,
    )
    expect(warned(trial({ balanceLies: true }))).toMatch(/cannot be trusted/)
    expect(warned(trial({ sell: { ok: true, taxBps: 700 } }))).toMatch(/7%/)
    expect(warned(trial({ buyTaxBps: 9_000 }))).toMatch(/Buying it costs 90%/)
    expect(warned(trial({ hookTakeBps: 500 }))).toMatch(/hook of its pool keeps 5%/)
    expect(warned(trial({ sell: { ok: false, why: 'NotToday', paused: false } }))).toMatch(
      /not sold \(NotToday\)/,
    )
  })
})
