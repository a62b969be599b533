import { createCrypto } from '@pit/chain'
import { createModelList } from '@pit/models/internal/model/modelList'
import { createVendor, VENDOR_REFUSALS } from '@pit/platform/http'
import { type ChainProfile, isPitError } from '@pit/protocol'
import { AGGREGATORS } from '@pit/trading'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startVendors, VENDOR_KEY, VENDOR_NAMES, type Vendors } from '../packages/devnet/src/vendors/index.ts'
import { createAuditReader } from '../packages/market/src/tokens/readAudit.ts'
import { createAggregators } from '../packages/trading/src/quote/aggregators.ts'
import { createLabels } from '../packages/trading/src/quote/labels.ts'

// Every adapter against the devnet's stand-ins, which speak the vendors' shapes without sharing a line with
// them.

const ETH = '0x0000000000000000000000000000000000000000'
const [GOOD, BAD, NEW] = ['a1', 'b2', 'c3'].map((byte) => `0x${byte.repeat(20)}` as const)
const NAME = 'aggregator_1'
const clock = { nowMs: Date.now }
const logger = { warn() {} }
let vendors: Vendors
let keccakText: (text: string) => `0x${string}`

beforeAll(async () => {
  vendors = await startVendors({
    host: '127.0.0.1',
    port: 0,
    nowMs: Date.now,
    seed: 'vendors',
    quote: async (tokenIn, _, amountIn) => (tokenIn === BAD ? null : amountIn * 2n),
    verdicts: { [GOOD!]: 'verified', [BAD!]: 'flagged', [NEW!]: 'unknown' },
  })
  ;({ keccakText } = await createCrypto())
})
afterAll(() => vendors.close())
beforeEach(() => {
  for (const name of VENDOR_NAMES) vendors.setVendor(name, 'ok')
})

describe.each(Object.keys(AGGREGATORS))('%s', (kind) => {
  const profile = { core_tokens: [], vendors: { aggregators: {} } } as unknown as ChainProfile
  const ask = async (
    {
      tokenIn = GOOD!,
      tokenOut = NEW!,
      key = VENDOR_KEY,
    }: { tokenIn?: string; tokenOut?: string; key?: string } = {},
    budgetMs = 5_000,
  ) => {
    const aggregators = { [NAME]: { kind, url: `${vendors.url}/${NAME}/${kind}` } }
    const adapters = createAggregators({
      profile: { ...profile, vendors: { ...profile.vendors, aggregators } },
      crypto: { keccakText, parseAddress: (text: string) => text as never },
      clock,
      logger,
      vendorKeys: { [kind]: key },
      labels: createLabels(profile),
      budgetMs,
    })
    const request = {
      tokenIn: tokenIn as never,
      tokenOut: tokenOut as never,
      swapIn: 10_000n,
      maxOut: 30_000n,
    }
    const { routes, failed } = await adapters.quote([NAME], request)
    return routes[0]?.amountOut ?? failed[0]?.why
  }

  it('quotes tokens and native ETH, both ways', async () => {
    for (const ends of [{}, { tokenIn: ETH }, { tokenOut: ETH }]) {
      const amountOut = await ask(ends)
      expect(typeof amountOut, `${amountOut}`).toBe('bigint')
      expect(Math.abs(Number(amountOut) - 20_000)).toBeLessThanOrEqual(50)
    }
    expect(await ask({ tokenIn: BAD! })).toBe(VENDOR_REFUSALS.NO_ROUTE)
  })

  it('is refused with a wrong key if it needs one', async () => {
    const outcome = await ask({ key: 'another-key' })
    if (AGGREGATORS[kind]?.key === 'required') expect(outcome).toMatch(/^Access denied/)
    else expect(typeof outcome).toBe('bigint')
  })

  it.each([
    ['generous', 'TOO_GOOD'],
    ['negative', 'NO_AMOUNT'],
    ['missing_fields', 'NO_AMOUNT'],
    ['other_trade', 'OTHER'],
    ['no_route', 'NO_ROUTE'],
    ['rate_limited', 'RESTING'],
    ['malformed', 'NOT_JSON'],
    ['oversized', 'TOO_LARGE'],
    ['down', 'SILENT'],
    ['redirect', 'SILENT'],
  ] as const)('in mode %s is refused: %s', async (mode, code) => {
    vendors.setVendor(NAME, mode)
    expect(await ask()).toBe(VENDOR_REFUSALS[code])
  })

  it('that never ends, hangs or requires a browser is skipped', async () => {
    for (const mode of ['endless', 'hang']) {
      vendors.setVendor(NAME, mode)
      expect(await ask({}, 100)).toBe(VENDOR_REFUSALS.LATE)
    }
    vendors.setVendor(NAME, 'challenge')
    expect(await ask()).toBe('Access denied (403).')
    vendors.setVendor(NAME, 'error')
    expect(await ask()).toBe('Responded with status 503.')
  })
})

describe.each([
  ['goplus', 'goplus'],
  ['pit', 'audit/v1'],
])('the audit of %s', (kind, path) => {
  const read = async (token: string, timeoutMs = 5_000) => {
    const audit = { kind, url: `${vendors.url}/${path}` }
    const profile = { core_tokens: [], listed_stocks: [], vendors: { audit } }
    const reader = createAuditReader({ profile, clock, logger, timeoutMs })
    return reader.read(token).then(
      (said) => said.audit.verdict,
      (error) => (isPitError(error) ? error.code : String(error)),
    )
  }

  it('is translated into our risk codes', async () => {
    expect([await read(GOOD!), await read(BAD!), await read(NEW!)]).toEqual([
      'verified',
      'flagged',
      'unverified',
    ])
    // A finding that it does not support is missing for every token.
    vendors.setVendor('audit', 'unknown')
    for (let n = 1; n <= 40; n++)
      expect(await read(`0x${n.toString(16).padStart(40, '0')}`)).toBe('unverified')
    vendors.setVendor('audit', 'flagged')
    for (let n = 1; n <= 40; n++) expect(await read(`0x${n.toString(16).padStart(40, '0')}`)).toBe('flagged')
  })

  it.each([
    'wrong_schema',
    'too_many',
    'malformed',
    'oversized',
    'down',
    'redirect',
    'challenge',
    'rate_limited',
  ])('in mode %s gives no verdict', async (mode) => {
    vendors.setVendor('audit', mode)
    expect(await read(GOOD!)).toBe('AUDIT_UNAVAILABLE')
  })

  it('without the essential fields is never a good one', async () => {
    vendors.setVendor('audit', 'missing_fields')
    expect(['unverified', 'AUDIT_UNAVAILABLE']).toContain(await read(GOOD!))
    for (const mode of ['endless', 'hang']) {
      vendors.setVendor('audit', mode)
      expect(await read(GOOD!, 100)).toBe('AUDIT_UNAVAILABLE')
    }
  })
})

describe('the models of a gateway', () => {
  const table = { 'partner/small': { input_usd: 0.15, output_usd: 0.6, structured: true } }
  const read = async (style: string, priced_per: 'million_tokens' | 'token', models = {}) => {
    const gatewayUrl = `${vendors.url}/${style}v1`
    const prices = { priced_per, models }
    const list = await createModelList({ gatewayUrl, prices, key: null, clock, logger }).read()
    return list?.map(({ id, inputUsd, outputUsd }) => `${id} ${inputUsd} ${outputUsd}`) ?? null
  }
  const ALL = expect.arrayContaining(['partner/small 0.15 0.6', 'partner/large 3 15'])

  it('have their prices, in any of the gateway’s formats', async () => {
    expect(await read('', 'million_tokens')).toEqual(ALL)
    expect(await read('openrouter/', 'million_tokens')).toEqual(ALL)
    expect(await read('vercel/', 'token')).toEqual(ALL)
  })

  it('are not offered without an upper bound on their cost', async () => {
    expect(await read('vercel/', 'million_tokens')).toEqual([])
    expect(await read('litellm/', 'million_tokens')).toEqual([])
    expect(await read('cloudflare/', 'million_tokens')).toBeNull()
  })

  it('have the profile’s prices if the gateway lists none', async () => {
    expect(await read('litellm/', 'million_tokens', table)).toEqual(['partner/small 0.15 0.6'])
    expect(await read('cloudflare/', 'million_tokens', table)).toEqual(['partner/small 0.15 0.6'])
  })
})

it('pauses calls to a vendor for the time it requests', async () => {
  const time = { nowMs: 1_800_000_000_000 }
  const rate = { perMinute: 1_000, burst: 1_000 }
  const vendor = createVendor({ rate, timeoutMs: 5_000, clock: { nowMs: () => time.nowMs } })
  const ask = () =>
    vendor
      .ask({ url: `${vendors.url}/audit/v1/tokens/4663/${GOOD}` }, ({ status }) => status)
      .catch((e) => e.code)
  vendors.setVendor('audit', 'rate_limited', { retry_after_s: 40, times: 1 })
  expect(await ask()).toBe('RESTING')
  time.nowMs += 39_000
  expect(await ask()).toBe('RESTING')
  time.nowMs += 2_000
  expect(await ask()).toBe(200)
})
