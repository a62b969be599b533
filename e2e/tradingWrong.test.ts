import type { Hex } from '@pit/chain'
import type { RouteId } from '@pit/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VENDOR_KEY } from '../packages/devnet/src/vendors/index.ts'
import { refusedBy } from './trading/expectRefusal.ts'
import { readStoryTokens, type StoryTokens } from './trading/tokens.ts'
import { openTrader, type Plan, type Trader } from './trading/trader.ts'
import { openTradingWorld, type TradingWorld } from './trading/world.ts'
import { wrongSubmissions } from './tradingWrong/wrongSubmissions.ts'

// Requests that a careless server answers 200 or 500. Each differs from a good one in one thing, and gets its
// own code.

const NATIVE = `0x${'0'.repeat(40)}`
const TENTH_ETH = '100000000000000000'
const MAX_UINT256 = 2n ** 256n - 1n
let world: TradingWorld
let tokens: StoryTokens
let trader: Trader
let other: Trader
let nonceBefore: string

beforeAll(async () => {
  // No test here waits for a job. The node has a public node's limits, and its preferred address fails.
  world = await openTradingWorld({
    devnet: { DEVNET_PROVIDER: 'strict', DEVNET_ADDRESSES: '2' },
    server: { ROLE: 'api', VENDOR_KEYS: `uniswap=${VENDOR_KEY}` },
  })
  tokens = await readStoryTokens(world.devnet)
  trader = await openTrader(world.server.url, { account: 3 })
  other = await openTrader(world.server.url, { account: 4 })
  nonceBefore = await nonce()
})
afterAll(async () => {
  await world?.close()
})

const nonce = () => world.devnet.rpc<string>('eth_getTransactionCount', [trader.wallet, 'pending'])
const good = () => ({ wallet: trader.wallet, token_in: 'ETH', token_out: 'USDG', amount_in: TENTH_ETH })
/** A good request of a route, with only the fields it accepts. */
function goodFor(route: RouteId): object {
  const { wallet, ...trade } = good()
  if (route === 'live.quote') return trade
  return route === 'live.revoke' ? { wallet } : { wallet, ...trade }
}

const refused = (route: RouteId, body: object | string, key: string | null = trader.key) =>
  refusedBy(world.server.url, route, { body, key })

type Change = object | string
/** The refusal of each change to a good request (or of a text instead of it). */
async function check(route: RouteId, rows: readonly (readonly [Change, string])[]): Promise<void> {
  const answers: string[] = []
  for (const [change] of rows) {
    const body = typeof change === 'string' ? change : { ...goodFor(route), ...change }
    answers.push((await refused(route, body)).summary)
  }
  expect(answers).toEqual(rows.map(([, expected]) => expected))
}
const each = (field: string, values: readonly unknown[], expected: string): [Change, string][] =>
  values.map((value) => [{ [field]: value }, expected])

it('is good without a change', async () => {
  const { status, body } = await trader.post<Plan>('live/prepare', good())
  expect(status).toBe(200)
  expect(body).toMatchObject({ ready: true, amount_in: TENTH_ETH, simulation: { ok: true } })
})

describe('sizes', () => {
  const BAD = '400 BAD_REQUEST amount_in'

  it('that are not an amount of atoms', async () => {
    const signed = ['-1', '-0', '+5']
    const written = ['1e18', '1E3', '007', '00', '0x10', '', ' 1', '1\n', '1_000', '１２', '∞']
    const typed = [1_000, 1e18, null, true, ['1'], {}]
    const long = ['9'.repeat(79), '1'.repeat(5_000)]
    await check('live.prepare', each('amount_in', [...signed, ...written, ...typed, ...long], BAD))
    const fractions = ['1.5', '.5', '5.', '0.0000001']
    await check('live.prepare', each('amount_in', fractions, BAD))
    await check(
      'live.prepare',
      each('min_amount_out', [...fractions, '-1', 5], '400 BAD_REQUEST min_amount_out'),
    )
  })

  it('that no token can transfer', async () => {
    const sizes = [0n, 2n ** 128n, MAX_UINT256, MAX_UINT256 + 1n, 10n ** 78n - 1n].map(String)
    for (const route of ['live.prepare', 'live.build', 'live.simulate', 'live.quote'] as const) {
      await check(route, each('amount_in', sizes, BAD))
    }
  })

  it('out of range: a billion ETH, a wei, dollars', async () => {
    const billion = { amount_in: (10n ** 27n).toString() }
    await check('live.prepare', [
      [billion, '422 MAX_NOTIONAL'],
      [{ amount_in: '1' }, '422 MIN_NOTIONAL'],
    ])
    const usd = (values: readonly unknown[], expected: string): [Change, string][] =>
      values.map((notional_usd) => [{ notional_usd, amount_in: undefined }, `${expected} notional_usd`])
    for (const route of ['live.prepare', 'live.quote'] as const) {
      await check(route, usd([-5, 0, -0, 0.99, 1e-300, -1e9], '422 MIN_NOTIONAL'))
      await check(route, usd([10_000.01, 1e9], '422 MAX_NOTIONAL'))
      await check(route, usd(['100', null, true, [100], 1.7e308, -1e300], '400 BAD_REQUEST'))
    }
  })

  it('twice, or not at all; in a body that is not an object', async () => {
    const bodiesOf = (trade: object, text = JSON.stringify(trade)) => [
      { ...trade, notional_usd: 100 },
      { ...trade, amount_in: undefined },
      text.replace(`"${TENTH_ETH}"`, 'NaN'),
      text.replace(`"${TENTH_ETH}"`, '1e999'),
      text.replace('"amount_in"', '"amount_in":"5","amount_in"'),
      text.replace('{', '{"__proto__":{"wallet":"x"},'),
      `[${text}]`,
      JSON.stringify(text),
      'null',
      text.slice(0, -1),
    ]
    for (const route of ['live.prepare', 'live.quote'] as const) {
      for (const body of bodiesOf(goodFor(route)))
        expect(await refused(route, body)).toMatchObject({ status: 400, code: 'BAD_REQUEST' })
    }
    const long = { ...good(), note: 'x'.repeat(70_000) }
    expect((await refused('live.prepare', long)).summary).toBe('413 BAD_REQUEST body')
  })
})

describe('tokens', () => {
  it('that are not a token name', async () => {
    const address = tokens.specimen('good')
    const malformed = [
      turned(address),
      '0x1234',
      `0X${address.slice(2)}`,
      `${address}00`,
      '',
      'a'.repeat(65),
      7,
      null,
    ]
    await check('live.prepare', each('token_out', malformed, '400 BAD_REQUEST token_out'))
    const symbols = [
      'GOOD',
      'DOGE',
      'usdg',
      'USDG ',
      'UЅDG',
      '__proto__',
      'constructor',
      "'; drop table trades; --",
    ]
    await check('live.prepare', each('token_out', symbols, '422 TOKEN_NOT_ALLOWED token_out'))
    await check('live.quote', each('token_in', symbols, '422 TOKEN_NOT_ALLOWED token_in'))
  })

  it('that are not tokens, are the same, or have no market', async () => {
    const none = [trader.wallet, `0x${'12'.repeat(20)}`, tokens.specimen('not_a_token')]
    await check('live.prepare', each('token_out', none, '422 TOKEN_UNKNOWN token_out'))
    await check('live.prepare', each('token_out', ['ETH', NATIVE], '422 SAME_TOKEN token_out'))
    await check('live.prepare', each('token_out', [tokens.specimen('no_route'), 'WETH'], '422 NO_ROUTE'))
    await check('live.prepare', [
      [{ token_in: 'USDG', token_out: world.core('USDG') }, '422 SAME_TOKEN token_out'],
      [{ token_in: 'USDG', amount_in: '50000000', token_out: tokens.onCurve('ETH') }, '422 CURVE_PAIR'],
    ])
  })
})

describe('terms', () => {
  it('of price and fee', () =>
    check('live.prepare', [
      ...each('slippage_bps', [15_000, 151, 2 ** 53 - 1], '422 MAX_SLIPPAGE slippage_bps'),
      ...each('slippage_bps', [-1, 1.5, '50', 1e308, null], '400 BAD_REQUEST slippage_bps'),
      ...each('fee_bps', [0, 1, 25, '25', null], '422 FEE_FIXED fee_bps'),
      [{ max_fee_bps: 24 }, '422 FEE_BPS max_fee_bps'],
      [{ max_fee_bps: -1 }, '400 BAD_REQUEST max_fee_bps'],
      [{ fee_recipient: trader.wallet }, '403 DEV_DISABLED fee_recipient'],
      [{ assume_state: {} }, '403 DEV_DISABLED assume_state'],
      [{ min_amount_out: `${10n ** 30n}` }, '422 LIMIT_NOT_REACHABLE min_amount_out'],
      [{ min_amount_out: `${MAX_UINT256}` }, '422 LIMIT_NOT_REACHABLE min_amount_out'],
    ]))

  const NONSENSE = {
    ...{ shield: 1, fund: 'maybe', action: 'burn', route_id: '../../etc', allow_unlimited_approval: 'yes' },
    ...{ permit_mode: 'none', permit_scope: '31d', curve_fee_mode: 'never' },
  }
  it('of approvals, policies, venues and routes', () =>
    check('live.prepare', [
      ...Object.entries(NONSENSE).flatMap(([field, value]) =>
        each(field, [value], `400 BAD_REQUEST ${field}`),
      ),
      [{ approval_mode: 'unlimited' }, '422 UNLIMITED_APPROVAL allow_unlimited_approval'],
      [{ approval_mode: 'all' }, '422 APPROVAL_MODE approval_mode'],
      ...each('approval_budget_usd', [0, -1, 10_000.01], '422 APPROVAL_BUDGET approval_budget_usd'),
      [{ policies: ['block_flagged'] }, '400 BAD_REQUEST policies'],
      [{ policies: ['no_such'], shield: true }, '400 BAD_REQUEST policies'],
      [{ accept_risks: ['honeypot'] }, '400 BAD_REQUEST accept_risks.0'],
      [{ accept_risks: 'HONEYPOT' }, '400 BAD_REQUEST accept_risks'],
      [{ venues: [] }, '400 BAD_REQUEST venues'],
      [{ venues: ['venue_moon'] }, '400 BAD_REQUEST venues.0'],
      [{ venues: ['aggregator_1'] }, '422 QUOTE_ONLY venues'],
      [{ route_id: 'ffffffffffffffff' }, '422 NO_ROUTE'],
      [{ token_out: tokens.onCurve('ETH'), curve_fee_mode: 'batch' }, '422 FEE_MODE curve_fee_mode'],
    ]))

  it('by an aggregator’s route', async () => {
    const names = ['aggregator_1', 'aggregator_2', 'aggregator_3']
    const venues = ['venue_pool', ...names]
    type Quote = { routes: { id: string; venue: string; ok: boolean; why?: string }[] }
    const quoted = async () => {
      const { body } = await trader.post<Quote>('live/quote', { ...goodFor('live.quote'), venues })
      return body.routes.filter(({ venue }) => names.includes(venue))
    }
    const rows = await quoted()
    expect(rows.map(({ venue, ok, why }) => `${venue} ${ok} ${why ?? ''}`).sort()).toEqual(
      names.map((name) => `${name} true `),
    )
    await check(
      'live.prepare',
      rows.map(({ id }) => [{ venues, route_id: id }, '422 QUOTE_ONLY route_id'] as const),
    )
    for (const name of names) {
      await world.devnet.rpc('devnet_vendor', [{ name, mode: 'other_trade', times: 1 }])
    }
    const whys = (await quoted()).map(({ ok, why }) => `${ok} ${why}`)
    expect(whys).toEqual(Array(3).fill('false Response is for a different request.'))
  })

  it('of another owner', async () => {
    await check(
      'live.prepare',
      each('wallet', [turned(trader.wallet), undefined, 'me'], '400 BAD_REQUEST wallet'),
    )
    for (const route of ['live.prepare', 'live.build', 'live.simulate', 'live.revoke'] as const) {
      await check(route, [[{ wallet: other.wallet }, '403 WALLET_MISMATCH wallet']])
    }
    for (const key of [null, '', 'pit_w_guess', `${trader.key}x`]) {
      expect((await refused('live.prepare', good(), key)).summary).toBe('401 UNAUTHORIZED')
    }
  })

  it('misspelt, on any route that plans or moves money', async () => {
    const BAD = '400 BAD_REQUEST'
    const misspelt = { slippage: 5, maxFeeBps: 1 }
    for (const route of ['live.prepare', 'live.build', 'live.simulate', 'live.quote'] as const) {
      await check(
        route,
        Object.entries(misspelt).map(([name, value]) => [{ [name]: value }, `${BAD} ${name}`]),
      )
    }
    await check('live.revoke', [[{ token: 'USDG' }, `${BAD} token`]])
    expect((await refused('live.submit', { raw_tx: '0x02', check_only: true })).summary).toBe(
      `${BAD} check_only`,
    )
    // A session's limits must not fall back to wider defaults.
    const grant = { wallet: trader.wallet, executor: other.wallet }
    for (const [change, name] of [
      [{ limits: { max_trade_usd: 3 } }, 'limits'],
      [{ maxTrades: 1 }, 'maxTrades'],
      [{ expires_s: 60 }, 'expires_s'],
    ] as const) {
      expect((await refused('live.session.grant', { ...grant, ...change })).summary).toBe(`${BAD} ${name}`)
    }
  })

  it('of approvals to revoke, and of lists', async () => {
    await check('live.revoke', [
      ...each('tokens', [['ETH'], ['GOOD']], '422 TOKEN_NOT_ALLOWED tokens.0'),
      ...each('tokens', [[], Array(33).fill('USDG'), 'USDG'], '400 BAD_REQUEST tokens'),
      [{ tokens: ['USDG', trader.wallet] }, '422 TOKEN_UNKNOWN tokens.1'],
      [{ spender: 'router' }, '400 BAD_REQUEST spender'],
    ])
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=1e1',
      'before=0',
      'before=x',
      'refused=2',
      `before=${10n ** 30n}`,
    ]) {
      expect((await refused('me.trades', `?${query}`)).summary).toBe(`400 BAD_REQUEST ${query.split('=')[0]}`)
    }
  })
})

describe('permits', () => {
  const sale = () => ({ token_in: 'USDG', token_out: 'ETH', amount_in: '200000000' })
  let signedPlan: Plan
  let signature: Hex
  beforeAll(async () => {
    signedPlan = (await trader.post<Plan>('live/prepare', { ...good(), ...sale() })).body
    signature = await trader.signPermit(signedPlan.permit!)
  })
  const permitted = (change: object) => ({
    ...sale(),
    permit_signature: signature,
    permit_now: signedPlan.permit_now,
    ...change,
  })

  it('are valid for the requested trade, and for no other trade, time or signer', async () => {
    const { body } = await trader.post<Plan>('live/prepare', { ...good(), ...permitted({}) })
    expect(body).toMatchObject({ ready: true, simulation: { ok: true } })
    const now = signedPlan.permit_now!
    const [SIGNATURE, NOW] = ['400 BAD_REQUEST permit_signature', '400 BAD_REQUEST permit_now']
    const sides = { token_in: 'NVDA', token_out: 'USDG', amount_in: TENTH_ETH, owner_attests_non_us: true }
    const otherV = `${signature.slice(0, -2)}${signature.endsWith('1b') ? '1c' : '1b'}`
    await check('live.prepare', [
      [permitted(sides), SIGNATURE],
      [permitted({ amount_in: '200000001' }), SIGNATURE],
      [permitted({ permit_scope: '30d' }), SIGNATURE],
      [permitted({ permit_now: now - 1 }), SIGNATURE],
      [permitted({ permit_now: now - 1_800 }), NOW],
      [permitted({ permit_now: now + 3_600 }), NOW],
      [permitted({ permit_now: -1 }), NOW],
      [permitted({ permit_now: undefined }), NOW],
      [permitted({ permit_signature: await other.signPermit(signedPlan.permit!) }), SIGNATURE],
      [permitted({ permit_signature: otherV }), SIGNATURE],
      [permitted({ permit_signature: `0x${'00'.repeat(65)}` }), SIGNATURE],
      [permitted({ permit_signature: `0x${'ff'.repeat(65)}` }), SIGNATURE],
      [permitted({ permit_signature: signature.slice(0, -2) }), SIGNATURE],
    ])
  })
})

wrongSubmissions(() => ({ world, tokens, trader, other, nonceBefore, nonce, good, refused }))

/** With the case of one letter changed: an address with a wrong checksum. */
const turned = (address: string): string =>
  address.replace(/[a-f]/i, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
