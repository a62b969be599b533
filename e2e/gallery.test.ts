import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ChainProfile, checkWith, isRiskCode, isSevere, type RiskCode, ROUTES } from '@pit/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DevnetProcess, startDevnetProcess } from './devnetProcess.ts'
import { deployTricks, TRICKS } from './gallery/deployTricks.ts'
import { type ServerProcess, startServerProcess } from './serverProcess.ts'

// Every bad token of the devnet, through the real server on the real chain: each gets exactly the risks it deserves.

interface Info {
  gallery: Record<string, { address: string; symbol: string; wrong: string; risks: RiskCode[] }>
  stocks: Record<string, string>
  accounts: { address: string }[]
  agents: { token: string }[]
  long_tail: { address: string; symbol: string; venues: string[]; graduated?: boolean }[]
  upgradeable: { token: string }
  profile: ChainProfile
}
interface TokenAnswer {
  address: string
  symbol: string
  name: string
  kind: string
  tier: string
  tradable: boolean
  stock_beacon: boolean
  multiplier: number | null
  fee_bps: number
  decimals: number
  risks: { code: RiskCode; severity: string; message: string }[]
  warnings: string[]
  flags: Record<string, unknown>
  screen_status: string
  screened_at: number | null
  audit?: { verdict: string; url: string; source: string; checked_at: number }
  shield: boolean
  shield_available?: true
}
type Body = Omit<TokenAnswer, 'tradable'> & {
  /** Of a token a flag, of the counts a number. */
  tradable: unknown
  error?: { code: string; field?: string }
  tokens: TokenAnswer[]
  count: number
  total: number
}
interface Answered {
  status: number
  body: Body
  retryAfterS: number | null
  ms: number
}

let devnet: DevnetProcess
let server: ServerProcess
let info: Info
const keys: string[] = []

beforeAll(async () => {
  devnet = await startDevnetProcess({ MARKET: 'off', BLOCK_MS: '250' })
  info = await rpc<Info>('devnet_info')
  server = await startServerProcess({
    PROFILE: devnet.profileFile,
    CHAIN_RPC_URL: devnet.url,
    LOG_LEVEL: 'warn',
    // The gallery asks for more in a minute than one caller may.
    RATE_LIMIT_SCALE: '100',
    // What is asked for here is to be screened here, not before.
    ROLE: 'api',
  })
  for (let i = 0; i < 2; i++) keys.push(await server.signIn(`203.0.113.${i + 1}`))
})
afterAll(async () => {
  await server?.stop()
  await devnet?.stop()
})

const rpc = <T>(method: string, params: readonly unknown[] = []) => devnet.rpc<T>(method, params)

async function get(path: string, key = keys[0]!, url = server.url): Promise<Answered> {
  const started = performance.now()
  const answer = await fetch(`${url}/api/v1/${path}`, { headers: { authorization: `Bearer ${key}` } })
  const body = (await answer.json()) as Body
  const wait = answer.headers.get('retry-after')
  return {
    status: answer.status,
    body,
    retryAfterS: wait === null ? null : Number(wait),
    ms: performance.now() - started,
  }
}
const token = (address: string, query = '') => get(`tokens/${address}${query}`)
const codesOf = ({ risks }: Pick<TokenAnswer, 'risks'>) => risks.map(({ code }) => code).sort()
const specimen = (name: string) => info.gallery[name]!.address

/** Everything here is hours old, and a specimen trades in one pool. */
const CONTEXT: RiskCode[] = ['NEW_TOKEN', 'SINGLE_POOL']
/** What a specimen is besides what it is labelled for. */
const BESIDES: Record<string, RiskCode[]> = { paused: ['OWNER_CONTROLS'] }
/** No ERC-20 as far as anyone can see. */
const REFUSED: Record<string, string> = { gas_burner: 'NOT_A_TOKEN', not_a_token: 'NOT_A_TOKEN' }

function expected(name: string): RiskCode[] {
  const context = name === 'no_route' ? CONTEXT.slice(0, 1) : CONTEXT
  return [...info.gallery[name]!.risks, ...(BESIDES[name] ?? []), ...context].sort()
}

describe('the gallery', () => {
  it('gets exactly the risks it deserves', async () => {
    const table: string[] = []
    const times: number[] = []
    let [right, extra, missing] = [0, 0, 0]
    const wrong: string[] = []
    for (const name of Object.keys(info.gallery)) {
      const { status, body, ms } = await token(specimen(name))
      times.push(ms)
      if (REFUSED[name]) {
        expect(`${status} ${body.error?.code}`, name).toBe(`404 ${REFUSED[name]}`)
        continue
      }
      expect(status, `${name} ${JSON.stringify(body.error)}`).toBe(200)
      expect(checkWith(ROUTES['tokens.get'].answer, body), name).toEqual({ ok: true })
      const [got, want] = [codesOf(body), expected(name)]
      right += got.filter((code) => want.includes(code)).length
      extra += got.filter((code) => !want.includes(code)).length
      missing += want.filter((code) => !got.includes(code)).length
      if (got.join() !== want.join()) wrong.push(`${name}: ${got} instead of ${want}`)
      expect(body.screen_status).toBe('SCREENED')
      const severities = body.risks.map(({ severity }) => severity)
      expect(severities.toSorted().reverse(), name).toEqual(severities)
      table.push(`${name.padEnd(20)} ${ms.toFixed(0).padStart(5)} ms  ${got.join(' ')}`)
    }
    const precision = right / (right + extra)
    const recall = right / (right + missing)
    console.log(
      `${table.join('\n')}\ngallery: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)} over ${right + missing} deserved disclosures; slowest screen ${Math.max(...times).toFixed(0)} ms`,
    )
    expect(wrong).toEqual([])
    expect(precision).toBe(1)
    expect(recall).toBe(1)
    expect(Math.max(...times)).toBeLessThan(8_500)
  })

  it('says what was seen, in words and figures', async () => {
    const flags = async (name: string) => (await token(specimen(name))).body.flags
    expect(await flags('sell_taxed')).toMatchObject({
      sell_tax_bps: 2_500,
      buy_tax_bps: 0,
      transfer_tax_bps: 0,
    })
    expect(await flags('buy_taxed')).toMatchObject({ buy_tax_bps: 500, sell_tax_bps: 0 })
    expect(await flags('fee_on_transfer')).toMatchObject({ transfer_tax_bps: 300, sell_tax_bps: 300 })
    expect(await flags('unknown_hook')).toMatchObject({ hook_take_bps: 500, buy_tax_bps: 0 })
    expect(await flags('lying_balance')).toMatchObject({ balance_lies: true, buy_tax_bps: null })
    expect(await flags('mintable')).toMatchObject({ mintable: true, proved: ['mint'] })
    expect(await flags('pausable')).toMatchObject({ pausable: true, paused: false, proved: ['pause'] })
    expect(await flags('blacklist')).toMatchObject({ blacklist: true, proved: ['blacklist'] })
    expect(await flags('rebasing')).toMatchObject({ rebasing: true, proved: ['rebase'] })
    const nowhere = (await token(specimen('no_route'))).body
    expect(nowhere).toMatchObject({
      tier: 'blocked',
      tradable: false,
      blocked_reason: 'NO_ROUTE',
      screen_status: 'CACHED',
    })
  })

  it('stands names made to harm', async () => {
    const body = async (name: string) => (await token(specimen(name))).body
    expect(await body('script_name')).toMatchObject({
      name: '<script>alert("pit")</script>',
      symbol: '<b>XSS</b>',
    })
    expect(await body('bytes32_symbol')).toMatchObject({ symbol: 'OLDMKR', name: 'Old Maker' })
    const long = await body('long_symbol')
    expect(long.symbol).toBe('LONG'.repeat(16))
    expect(long.warnings.join()).toMatch(/longer/)
    const control = await body('control_name')
    expect(control.name).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
    expect(control.warnings.join()).toMatch(/hide or reorder/)
    const mega = await body('megabytes')
    expect(mega).toMatchObject({ symbol: '', name: '' })
    expect(mega.warnings.join()).toMatch(/does not tell its symbol/)
    const undecided = await body('reverting_decimals')
    expect(undecided).toMatchObject({ decimals: 0, flags: { decimals_read: false } })
    expect(undecided.warnings.join()).toMatch(/decimals/)
    expect(server.rssBytes()).toBeLessThan(1_200_000_000)
  })
})

describe('tricks', () => {
  it('are seen through, and fair tokens are not slandered', async () => {
    const addresses = await deployTricks(devnet.url, info.profile)
    await sleep(1_000)
    const wrong: string[] = []
    for (const [name, { risks }] of Object.entries(TRICKS)) {
      const { body } = await token(addresses[name]!)
      const want = [...risks, ...CONTEXT].sort()
      const got = body.risks ? codesOf(body) : [JSON.stringify(body.error)]
      if (got.join() !== want.join()) wrong.push(`${name}: ${got} instead of ${want}`)
    }
    expect(wrong).toEqual([])
    expect((await token(addresses['greedy']!)).body.flags).toMatchObject({
      buy_tax_bps: 9_000,
      sell_tax_bps: 0,
    })
  })
})

describe('good tokens', () => {
  it('have none of the severe', async () => {
    const good = [
      ...info.long_tail.slice(0, 12),
      ...info.long_tail.filter(({ venues }) => venues.includes('curve')).slice(0, 4),
      ...info.long_tail.filter(({ graduated }) => graduated).slice(0, 3),
    ].map(({ address }) => address)
    for (const address of [
      ...good,
      ...info.agents.slice(0, 2).map(({ token }) => token),
      ...Object.values(info.stocks),
    ]) {
      const { status, body } = await token(address)
      expect(status).toBe(200)
      expect(
        body.risks.filter(({ code }) => isRiskCode(code) && isSevere(code)),
        body.symbol,
      ).toEqual([])
      expect(body.tradable).toBe(true)
    }
  })

  it('are of the right kind and class', async () => {
    const curve = info.long_tail.find(({ venues }) => venues.includes('curve'))!
    expect((await token(curve.address)).body).toMatchObject({
      kind: 'curve',
      fee_bps: 50,
      curve_fee_bps: 100,
    })
    expect((await token(info.agents[1]!.token)).body.kind).toBe('partner_agent')
    expect((await token(info.stocks['TSLA']!)).body).toMatchObject({
      kind: 'stock',
      stock_beacon: true,
      multiplier: 1.02,
      fee_bps: 25,
      tier: 'A',
    })
    expect((await token('NVDA')).body).toMatchObject({
      kind: 'core',
      stock_beacon: true,
      fee_bps: 25,
      screen_status: 'CORE',
    })
    expect((await token('ETH')).body).toMatchObject({
      address: `0x${'0'.repeat(40)}`,
      kind: 'core',
      tier: 'A',
      risks: [],
    })
    expect((await token(info.stocks['NVDA']!)).body).toMatchObject({ kind: 'core', symbol: 'NVDA' })
  })
})

describe('what changes', () => {
  it('is seen: a stock that its issuer stops, and lets go on', async () => {
    const aapl = info.stocks['AAPL']!
    expect(codesOf((await token(aapl)).body)).not.toContain('TOKEN_PAUSED')
    await rpc('devnet_pauseStock', ['AAPL', true])
    const paused = await token(aapl)
    expect(paused.body.screen_status).toBe('SCREENED')
    expect(codesOf(paused.body)).toContain('TOKEN_PAUSED')
    await rpc('devnet_pauseStock', ['AAPL', false])
    expect(codesOf((await token(aapl)).body)).not.toContain('TOKEN_PAUSED')
  })

  it('is seen: other code behind a proxy', async () => {
    expect(codesOf((await token(specimen('upgradeable'))).body)).not.toContain('SELL_TAX')
    await rpc('devnet_upgradeToken')
    const changed = await token(specimen('upgradeable'))
    expect(changed.body.screen_status).toBe('SCREENED')
    expect(codesOf(changed.body)).toContain('SELL_TAX')
    expect(changed.body.flags).toMatchObject({ sell_tax_bps: 3_000 })
    await rpc('devnet_upgradeToken')
    expect(codesOf((await token(specimen('upgradeable'))).body)).not.toContain('SELL_TAX')
  })
})

describe('asking', () => {
  it('goes by address or core symbol, and by nothing else', async () => {
    const good = specimen('good')
    const mixed = good.replace(/[a-f]/g, (letter, at: number) => (at % 2 ? letter.toUpperCase() : letter))
    expect((await token(good.toLowerCase())).status).toBe(200)
    expect((await token(good)).status).toBe(200)
    const bad = mixed === good ? mixed.replace(/[a-f]/, (letter) => letter.toUpperCase()) : mixed
    expect(await token(bad)).toMatchObject({
      status: 400,
      body: { error: { code: 'BAD_REQUEST', field: 'address' } },
    })
    expect(await token('GOOD')).toMatchObject({ status: 400, body: { error: { code: 'ADDRESS_REQUIRED' } } })
    expect(await token('0x1234')).toMatchObject({ status: 400, body: { error: { code: 'BAD_REQUEST' } } })
    expect(await token(good, '?shield=0')).toMatchObject({
      status: 400,
      body: { error: { code: 'BAD_REQUEST' } },
    })
    expect(await token(good, '?fresh=1')).toMatchObject({
      status: 400,
      body: { error: { code: 'BAD_REQUEST' } },
    })
    expect(await token(info.accounts[3]!.address)).toMatchObject({
      status: 404,
      body: { error: { code: 'NOT_A_TOKEN' } },
    })
    expect(await token(`0x${'12'.repeat(20)}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'NOT_A_TOKEN' } },
    })
  })

  it('with shield gives the verdict, or nothing at all', async () => {
    const honeypot = await token(specimen('honeypot'), '?shield=1')
    expect(honeypot.body).toMatchObject({
      shield: true,
      fee_bps: 60,
      audit: { verdict: 'flagged', source: 'audit' },
    })
    expect(codesOf(honeypot.body)).toContain('AUDIT_FLAGGED')
    expect(honeypot.body.shield_available).toBeUndefined()
    const nvda = await token('NVDA', '?shield=1')
    expect(nvda.body).toMatchObject({ fee_bps: 35, audit: { verdict: 'verified' } })
    expect((await token('NVDA')).body).toMatchObject({ shield: false, shield_available: true, fee_bps: 25 })
    await rpc('devnet_vendor', [{ name: 'audit', mode: 'down' }])
    expect(await token(specimen('good'), '?shield=1')).toMatchObject({
      status: 503,
      retryAfterS: 15,
      body: { error: { code: 'AUDIT_UNAVAILABLE' } },
    })
    expect((await token(specimen('good'))).status).toBe(200)
    await rpc('devnet_vendor', [{ name: 'audit', mode: 'wrong_schema' }])
    expect((await get('tokens?q=script&shield=1')).status).toBe(200)
    expect((await get('tokens?q=hook&shield=1')).body.error?.code).toBe('AUDIT_UNAVAILABLE')
    await rpc('devnet_vendor', [{ name: 'audit', mode: 'ok' }])
    const found = await get('tokens?q=hook&shield=1')
    expect(found.body.tokens[0]!.audit?.verdict).toBe('flagged')
  })

  it('searches what was screened, the core asset first', async () => {
    const { body } = await get('tokens?q=usdg')
    expect(checkWith(ROUTES['tokens.search'].answer, body)).toEqual({ ok: true })
    expect(body.tokens[0]).toMatchObject({ symbol: 'USDG', kind: 'core' })
    expect(body.tokens[1]!.address).toBe(specimen('impersonator').toLowerCase())
    expect(body.tokens[1]!.screen_status).toBe('CACHED')
    expect(body.warnings).toEqual([
      expect.stringMatching(/^USDG is the core asset 0x[0-9a-f]{40}; 1 other token carries/),
    ])
    for (const hostile of ['%25', '_', '%5C', "'", '%F0%9F%98%80']) {
      expect((await get(`tokens?q=${hostile}`)).body.count, hostile).toBeLessThanOrEqual(1)
    }
    expect(
      (await get(`tokens?q=${specimen('good').slice(0, 12).toLowerCase()}`)).body.tokens[0]!.symbol,
    ).toBe('GOOD')
    expect((await get('tokens?tier=blocked')).body.tokens.map(({ symbol }) => symbol)).toEqual(['NOWHERE'])
    expect((await get('tokens?limit=3')).body.count).toBe(3)
    expect((await get('tokens?limit=101')).body.error?.code).toBe('BAD_REQUEST')
  })

  it('counts what is registered', async () => {
    let stats = await get('tokens/stats')
    for (let i = 0; stats.status === 503 && i < 50; i++) {
      await sleep(100)
      stats = await get('tokens/stats')
    }
    expect(stats.status).toBe(200)
    expect(checkWith(ROUTES['tokens.stats'].answer, stats.body)).toEqual({ ok: true })
  })

  it('shares one screen among many callers', async () => {
    const { token: fresh } = await rpc<{ token: string }>('devnet_launch', [{ pair: 'ETH', symbol: 'RUSH' }])
    await sleep(1_000)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => get(`tokens/${fresh}`, keys[i % 2]!)),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    for (const { body } of answers) expect(codesOf(body)).toContain('CURVE')
  })
})

describe('a chain that is slow', () => {
  let slow: ServerProcess
  let proxy: Server
  let key: string
  /** Trials wait this long; what a token says of itself does not. */
  let delayMs = 0
  let isDown = false
  beforeAll(async () => {
    proxy = createServer(async (req, res) => {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString()
      if (isDown) return void req.socket.destroy()
      const isTrial = body.includes('eth_simulateV1') && JSON.parse(body).params[0].blockStateCalls.length > 1
      if (isTrial) await sleep(delayMs)
      const answer = await fetch(devnet.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      res.end(await answer.text())
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    slow = await startServerProcess({
      PROFILE: devnet.profileFile,
      CHAIN_RPC_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      LOG_LEVEL: 'error',
      ROLE: 'api',
    })
    key = await slow.signIn('203.0.113.9')
  })
  afterAll(async () => {
    await slow?.stop()
    proxy?.closeAllConnections()
    proxy?.close()
  })

  it('gives a record that says it is not tried yet, and refuses more than it has slots for', async () => {
    delayMs = 10_500
    const names = ['good', 'mintable', 'impersonator', 'script_name']
    const asked = names.map((name) => get(`tokens/${specimen(name)}`, key, slow.url))
    await sleep(1_500)
    expect(await get(`tokens/${specimen('pausable')}`, key, slow.url)).toMatchObject({
      status: 503,
      retryAfterS: 5,
      body: { error: { code: 'SCREEN_UNAVAILABLE' } },
    })
    for (const { status, body, ms } of await Promise.all(asked)) {
      expect(status).toBe(200)
      expect(body).toMatchObject({ screen_status: 'UNSCREENED', screened_at: null })
      expect(body.risks[0]).toMatchObject({ code: 'UNSCREENED', severity: 'severe' })
      expect(ms).toBeGreaterThan(7_000)
      expect(ms).toBeLessThan(20_000)
    }
    const again = await get(`tokens/${specimen('good')}`, key, slow.url)
    expect(again.body.screen_status).toBe('UNSCREENED')
    expect(again.ms).toBeLessThan(5_000)
    delayMs = 0
    for (let i = 0; i < 100; i++) {
      await sleep(200)
      const { body } = await get(`tokens/${specimen('good')}`, key, slow.url)
      if (body.screen_status === 'CACHED') break
    }
    const { body } = await get(`tokens/${specimen('good')}`, key, slow.url)
    expect(body.screen_status).toBe('CACHED')
    expect(codesOf(body)).toEqual(expected('good'))
  })

  it('or gone leaves what is known, and says so of the rest', async () => {
    isDown = true
    expect((await get(`tokens/${specimen('good')}`, key, slow.url)).body.screen_status).toBe('CACHED')
    expect(await get(`tokens/${specimen('honeypot')}`, key, slow.url)).toMatchObject({
      status: 502,
      body: { error: { code: 'RPC_UNAVAILABLE' } },
    })
    isDown = false
  })

  it('is spared by a budget of its own for every caller', async () => {
    const fresh = await slow.signIn('203.0.113.10')
    const codes: string[] = []
    for (let i = 0; i < 12; i++) {
      const address = `0x${(0xabc000 + i).toString(16).padStart(40, '7')}`
      const answer = await get(`tokens/${address}`, fresh, slow.url)
      codes.push(`${answer.status} ${answer.body.error?.code} ${answer.retryAfterS}`)
    }
    expect(codes.slice(0, 10)).toEqual(Array(10).fill('404 NOT_A_TOKEN null'))
    expect(codes[11]).toBe('429 RATE_LIMITED 60')
    // What is known costs nothing of it.
    expect((await get(`tokens/${specimen('good')}`, fresh, slow.url)).status).toBe(200)
  })
})

describe('a server that runs jobs', () => {
  it('registers every token that trades, unasked', async () => {
    const whole = await startServerProcess({
      PROFILE: devnet.profileFile,
      CHAIN_RPC_URL: devnet.url,
      LOG_LEVEL: 'error',
      RATE_LIMIT_SCALE: '100',
    })
    try {
      const key = await whole.signIn()
      // All of them by hand: REGISTERED=all
      const last = info.long_tail.at(process.env['REGISTERED'] === 'all' ? -1 : 40)!
      let found: TokenAnswer | undefined
      const started = performance.now()
      for (let i = 0; found === undefined && i < 300; i++) {
        await sleep(200)
        const { body } = await get(`tokens?q=${last.symbol}`, key, whole.url)
        found = body.tokens.find(({ address }) => address === last.address.toLowerCase())
      }
      expect(found).toMatchObject({ screen_status: 'CACHED', tradable: true })
      const blocked = await get('tokens?kind=core&limit=100', key, whole.url)
      expect(blocked.body.count).toBe(7)
      console.log(
        `${last.symbol} of ${info.long_tail.length} long-tail tokens was registered after ${((performance.now() - started) / 1000).toFixed(1)} s`,
      )
    } finally {
      await whole.stop()
    }
  })
})
