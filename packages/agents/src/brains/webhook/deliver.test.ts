import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { BrainResult } from '@pit/brains'
import { systemClock } from '@pit/platform/clock'
import { afterEach, describe, expect, it } from 'vitest'
import type { HostedAgent } from '../../types.ts'
import type { BrainRequest } from '../deps.ts'
import { deliver, deliveryBody, type WebhookDeps } from './deliver.ts'

const SECRET = 'whsec_test'
const HOLD = JSON.stringify({ orders: [], reason: 'quiet' })

interface Hook {
  url: string
  deliveries: { headers: IncomingMessage['headers']; body: string }[]
}
const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

async function hook(
  answer: (response: ServerResponse, request: IncomingMessage, nth: number) => void,
): Promise<Hook> {
  const deliveries: Hook['deliveries'] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      deliveries.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
      answer(response, request, deliveries.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, deliveries }
}

const ask = (url: string, more: Partial<HostedAgent> = {}): BrainRequest => ({
  agent: {
    id: 'agent1',
    name: 'mine',
    mode: 'paper',
    live: false,
    params: { url },
    pairs: ['ETH/USDG'],
    tokens: [{ token: 'ETH' }, { token: 'USDG' }],
    limits: {
      maxTradeMicroUsd: 25_000_000n,
      maxDayMicroUsd: 100_000_000n,
      maxPositionMicroUsd: 500_000_000n,
    },
    brainState: { seen: 1 },
    ...more,
  } as HostedAgent,
  tick: 7,
  market: {
    atS: 1_800_000_000,
    pairs: [
      {
        pair: 'ETH/USDG',
        base: 'ETH',
        quote: 'USDG',
        baseSymbol: 'ETH',
        quoteSymbol: 'USDG',
        priceE18: 2_000n * 10n ** 18n,
        stale: false,
        history: Array.from({ length: 500 }, (_, i) => ({
          atS: 1_800_000_000 - (500 - i) * 60,
          priceE18: 1_990n * 10n ** 18n,
        })),
      },
    ],
  },
  book: {
    cashMicroUsd: 1_000_000_000n,
    equityMicroUsd: 1_000_000_000n,
    positions: [{ token: 'ETH', symbol: 'ETH', atoms: 5n, microUsd: 0n }],
    dayUsedMicroUsd: 25_000_000n,
  },
  deadlineMs: Date.now() + 60_000,
})
const DEPS: WebhookDeps = {
  clock: systemClock,
  reach: 'public and loopback',
  resolve: async () => [],
  timeoutMs: 3_000,
}
const run = (url: string, deps: Partial<WebhookDeps> = {}) => deliver({ ...DEPS, ...deps }, ask(url), SECRET)
const codeOf = (result: BrainResult) => (result.kind === 'decision' ? 'ok' : result.code)
const say =
  (text: string, status = 200, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(text)

describe('a delivery', () => {
  it('is signed so that the receiver can verify origin and age', async () => {
    const { url, deliveries } = await hook(say(HOLD))
    expect(await run(url)).toMatchObject({ kind: 'decision', decision: { orders: [], reason: 'quiet' } })
    const [{ headers, body } = { headers: {}, body: '' }] = deliveries
    const signature = createHmac('sha256', SECRET)
      .update(`${headers['x-pit-timestamp']}.${body}`)
      .digest('hex')
    expect(headers['x-pit-signature']).toBe(`v1=${signature}`)
    expect(Math.abs(Number(headers['x-pit-timestamp']) - Date.now() / 1_000)).toBeLessThan(60)
    expect(headers['x-pit-delivery']).toBe('agent1.7')
    expect(headers['content-type']).toBe('application/json')
    const delivery = JSON.parse(body) as Record<string, Record<string, unknown>>
    expect(Object.keys(delivery)).toEqual(['delivery', 'agent', 'at', 'market', 'book', 'limits', 'state'])
    expect(delivery).toMatchObject({
      delivery: 'agent1.7',
      at: 1_800_000_000,
      book: { cash_usd: 1_000 },
      limits: { max_trade_usd: 25, day_left_usd: 75, max_orders: 8 },
      state: { seen: 1 },
    })
    expect(body).not.toContain(SECRET)
  })

  it('returns orders and a state', async () => {
    const answer = {
      orders: [{ pair: 'ETH/USDG', side: 'buy', usd: 12.5, reason: 'low' }],
      reason: 'r',
      state: { seen: 2 },
    }
    const { url } = await hook(say(JSON.stringify(answer)))
    expect(await run(url)).toMatchObject({
      kind: 'decision',
      decision: { orders: [{ pair: 'ETH/USDG', side: 'buy', microUsd: 12_500_000n }], state: { seen: 2 } },
    })
  })
  it('keeps the state if the response has none', async () => {
    const { url } = await hook(say(HOLD))
    expect(await run(url)).toMatchObject({ decision: { state: { seen: 1 } } })
  })
  it('clears the state if the response sets it to null', async () => {
    const { url } = await hook(say(JSON.stringify({ orders: [], reason: 'quiet', state: null })))
    expect(await run(url)).toMatchObject({ kind: 'decision', decision: { state: null } })
  })
  it('stays within 64 KB at the maximum number of pairs', () => {
    const one = ask('http://127.0.0.1/')
    const [pair] = one.market.pairs
    const pairs = Array.from({ length: 32 }, (_, i) => ({
      ...(pair as NonNullable<typeof pair>),
      pair: `${'x'.repeat(60)}${i}/USDG`,
    }))
    expect(deliveryBody({ ...one, market: { ...one.market, pairs } }).length).toBeLessThan(65_536)
  })
})

describe('a misbehaving webhook does not trade', () => {
  const refused: [string, (response: ServerResponse) => void, string, number][] = [
    ['redirects', say('', 302, { location: 'http://169.254.169.254/' }), 'WEBHOOK_REDIRECT', 1],
    ['answers 404', say(HOLD, 404), 'WEBHOOK_STATUS', 1],
    ['answers 500', say(HOLD, 500), 'WEBHOOK_STATUS', 2],
    ['answers 204', say('', 204), 'WEBHOOK_STATUS', 1],
    ['answers text', say('buy everything'), 'AI_MALFORMED', 1],
    ['answers HTML', say('<html>', 200, { 'content-type': 'text/html' }), 'AI_MALFORMED', 1],
    [
      'orders a foreign pair',
      say('{"orders":[{"pair":"SCAM/USDG","side":"buy","usd":5,"reason":""}],"reason":""}'),
      'AI_TOKEN',
      1,
    ],
    [
      'sends too large a response',
      say('{"orders":[{"pair":"ETH/USDG","side":"buy","usd":26,"reason":""}],"reason":""}'),
      'AI_SIZE',
      1,
    ],
    ['answers hugely', say('x'.repeat(70_000)), 'WEBHOOK_ANSWER', 1],
    [
      'compresses',
      (r) => void r.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(HOLD)),
      'WEBHOOK_ANSWER',
      1,
    ],
    ['hangs up', (r) => void r.socket?.destroy(), 'WEBHOOK_UNREACHABLE', 2],
    [
      'breaks off',
      (r) => {
        r.writeHead(200, { 'content-length': '100' }).write('{')
        setTimeout(() => r.socket?.destroy(), 20)
      },
      'WEBHOOK_UNREACHABLE',
      2,
    ],
  ]
  it.each(refused)('%s', async (_, answer, code, tries) => {
    const { url, deliveries } = await hook(answer)
    expect(codeOf(await run(url))).toBe(code)
    expect(deliveries).toHaveLength(tries)
  })

  it('streams without end', async () => {
    const { url } = await hook((response) => {
      response.writeHead(200)
      const more = setInterval(() => response.write('x'.repeat(10_000)), 1)
      response.on('close', () => clearInterval(more))
    })
    expect(codeOf(await run(url))).toBe('WEBHOOK_ANSWER')
  })
  it('is silent or drips: the timeout covers the whole exchange', async () => {
    const silent = await hook(() => undefined)
    expect(codeOf(await run(silent.url, { timeoutMs: 150 }))).toBe('WEBHOOK_TIMEOUT')
    expect(silent.deliveries.map(({ headers }) => headers['x-pit-delivery'])).toEqual([
      'agent1.7',
      'agent1.7',
    ])
    const drips = await hook((response) => {
      response.writeHead(200)
      const more = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(more))
    })
    expect(codeOf(await run(drips.url, { timeoutMs: 200 }))).toBe('WEBHOOK_TIMEOUT')
  })
  it('is called once more with the same delivery, and may decide then', async () => {
    const { url, deliveries } = await hook((response, _, nth) =>
      nth === 1 ? void response.writeHead(503).end() : void response.end(HOLD),
    )
    expect(await run(url)).toMatchObject({ kind: 'decision', data: { tries: 2 } })
    expect(deliveries[0]?.body).toBe(deliveries[1]?.body)
  })
  it('is unreachable', async () => {
    const { url } = await hook(say(HOLD))
    for (const close of open.splice(0)) close()
    expect(codeOf(await run(url))).toBe('WEBHOOK_UNREACHABLE')
  })
})

describe('target of a delivery', () => {
  it('is never a private address, however the name resolves', async () => {
    const { url, deliveries } = await hook(say(HOLD))
    const port = new URL(url).port
    for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '10.0.0.1', '169.254.169.254', '100.64.0.1']) {
      const result = await run(`https://hook.example:${port}/`, {
        reach: 'public',
        resolve: async () => [address],
      })
      expect(codeOf(result)).toBe('WEBHOOK_ADDRESS')
    }
    expect(deliveries).toHaveLength(0)
  })

  it('is the checked address, even if the name resolves differently later', async () => {
    const good = await hook(say(HOLD))
    const evil = await hook(say(JSON.stringify({ orders: [], reason: 'evil' })))
    let lookups = 0
    // A rebinding name would resolve to the private address the second time; there is no second lookup.
    const resolve = async () => {
      lookups += 1
      return lookups === 1 ? ['127.0.0.1'] : ['127.0.0.2']
    }
    const url = new URL(good.url)
    url.hostname = 'localhost'
    expect(await run(url.href, { resolve })).toMatchObject({ decision: { reason: 'quiet' } })
    expect(lookups).toBe(1)
    expect(good.deliveries[0]?.headers.host).toBe(`localhost:${url.port}`)
    expect(evil.deliveries).toHaveLength(0)
  })

  it('is checked again for the retry', async () => {
    const { url, deliveries } = await hook(say('', 500))
    let lookups = 0
    const resolve = async () => (++lookups === 1 ? ['127.0.0.1'] : ['10.0.0.1'])
    const target = new URL(url)
    target.hostname = 'localhost'
    expect(codeOf(await run(target.href, { resolve }))).toBe('WEBHOOK_ADDRESS')
    expect(deliveries).toHaveLength(1)
  })

  it('does not wait for a hanging resolver', async () => {
    const result = await run('https://hook.example/', {
      timeoutMs: 100,
      resolve: () => new Promise(() => undefined),
    })
    expect(codeOf(result)).toBe('WEBHOOK_TIMEOUT')
  })
  it('is not called after the tick’s deadline', async () => {
    const { url, deliveries } = await hook(say(HOLD))
    const result = await deliver(DEPS, { ...ask(url), deadlineMs: Date.now() - 1 }, SECRET)
    expect(codeOf(result)).toBe('WEBHOOK_TIMEOUT')
    expect(deliveries).toHaveLength(0)
  })
})
