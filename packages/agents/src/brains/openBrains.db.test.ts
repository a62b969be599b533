import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSeal, type ModelsDeps, openModels } from '@pit/models'
import { gatewayAt, TERMS, wallet } from '@pit/models/test/modelsWorld'
import { systemClock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import { createLogger, createMetrics } from '@pit/platform/monitoring'
import { withDb } from '@pit/platform/test/withStore'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addAgent } from '../../test/brainsWorld.ts'
import { networkOf } from '../agentReads.ts'
import type { StoredAgent } from '../store.ts'
import type { BrainRequest } from './deps.ts'
import { type BrainsDeps, openBrains } from './openBrains.ts'

let server: Server
let url: string
const deliveries: { headers: IncomingHttpHeaders; body: string }[] = []
beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      deliveries.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
      response.end('{"orders":[],"reason":"quiet"}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => void server.close())

withDb('brains', (db) => {
  let agents = 0
  const { on: _, ...terms } = TERMS
  const sealUnder = (byte: number) => createSeal(Buffer.alloc(32, byte), randomBytes)
  const open = (more: Partial<Omit<BrainsDeps & ModelsDeps, 'models'>> = {}) => {
    const deps = {
      db,
      clock: systemClock,
      logger: createLogger({ level: 'silent' }),
      metrics: createMetrics({ withProcess: false }),
      profile: { kind: 'devnet', vendors: { gateway: gatewayAt('http://127.0.0.1:1/v1') } } as const,
      randomBytes,
      seal: sealUnder(7),
      ai: { ...terms, poolKey: 'pk-service-key' },
      networkOf: (id: string) => networkOf(db, id),
      ...more,
    }
    const models = openModels(deps)
    return { ...models, ...openBrains({ ...deps, models }) }
  }
  const ask = (agent: StoredAgent): BrainRequest => ({
    agent,
    tick: 3,
    market: {
      atS: Math.floor(Date.now() / 1_000),
      pairs: [
        {
          pair: 'ETH/USDG',
          base: 'ETH',
          quote: 'USDG',
          baseSymbol: 'ETH',
          quoteSymbol: 'USDG',
          priceE18: 2_000n * 10n ** 18n,
          stale: false,
          history: [],
        },
      ],
    },
    book: { cashMicroUsd: 100_000_000n, equityMicroUsd: 100_000_000n, positions: [], dayUsedMicroUsd: 0n },
    deadlineMs: Date.now() + 30_000,
  })
  const webhookAgent = async (brains: ReturnType<typeof open>) => {
    const id = `hook${db.engine}${++agents}`
    const webhook = brains.newWebhookSecret(id)
    const sketch = {
      id,
      wallet: wallet(77),
      brain: 'webhook',
      params: { url },
      webhookSecret: webhook.sealed,
    }
    return { agent: await addAgent(db, sketch), secret: webhook.secret }
  }

  it('signs deliveries with the secret shown once, and with the new one after a rotation', async () => {
    const brains = open()
    const { agent, secret } = await webhookAgent(brains)
    const signed = () => {
      const { headers, body } = deliveries.at(-1) as (typeof deliveries)[number]
      return { given: headers['x-pit-signature'], text: `${headers['x-pit-timestamp']}.${body}` }
    }
    const under = (key: string, text: string) => `v1=${createHmac('sha256', key).update(text).digest('hex')}`
    expect(await brains.decide(ask(agent))).toMatchObject({ kind: 'decision', decision: { reason: 'quiet' } })
    expect(signed().given).toBe(under(secret, signed().text))
    const rotated = brains.newWebhookSecret(agent.id)
    await db.query('update hosted_agents set webhook_secret = $2 where id = $1', [agent.id, rotated.sealed])
    await brains.decide(ask(agent))
    expect(signed().given).toBe(under(rotated.secret, signed().text))
    expect(signed().given).not.toBe(under(secret, signed().text))
  })

  it('delivers nothing if the secret belongs to another row or server', async () => {
    const brains = open()
    const { agent } = await webhookAgent(brains)
    const before = deliveries.length
    expect(await open({ seal: sealUnder(8) }).decide(ask(agent))).toMatchObject({
      code: 'WEBHOOK_SECRET',
    })
    const foreign = brains.newWebhookSecret('another')
    await db.query('update hosted_agents set webhook_secret = $2 where id = $1', [agent.id, foreign.sealed])
    expect(await brains.decide(ask(agent))).toMatchObject({ code: 'WEBHOOK_SECRET' })
    expect(deliveries.length).toBe(before)
    expect(() => open({ seal: null }).newWebhookSecret('x')).toThrow(
      expect.objectContaining({ code: 'HOSTED_UNAVAILABLE' }),
    )
  })

  it('decides by rule without a call', async () => {
    const brains = open()
    const params = brains.readParams('dca', { usd: 5 }, { intervalS: 60, mode: 'paper' })
    const agent = await addAgent(db, { id: `rule${db.engine}`, wallet: wallet(78), brain: 'dca', params })
    expect(await brains.decide(ask(agent))).toMatchObject({
      kind: 'decision',
      decision: { orders: [{ pair: 'ETH/USDG', side: 'buy', microUsd: 5_000_000n }] },
    })
    expect(brains.historyS(agent)).toBe(0)
    expect(brains.historyS({ brain: 'momentum', params: { lookback_s: 600 } })).toBe(1_200)
    expect(brains.historyS({ brain: 'webhook', params: {} })).toBeGreaterThan(86_400)
  })

  it('reports no spending for brains without a model', async () => {
    const sketch = { id: `free${db.engine}`, wallet: wallet(80), brain: 'dca' }
    const { id } = await addAgent(db, sketch)
    const by = { keyId: 1, wallet: wallet(80) }
    await expect(open().spend({ by, id, limit: 5 })).rejects.toMatchObject({
      code: 'NOT_AI',
      status: 409,
    })
  })

  it('reports why a new agent’s model would not be called, and whether any can be', async () => {
    let listed = '{"data":[{"id":"m","pricing":{"input":0.1,"output":0.1},"structured_outputs":true}]}'
    const gateway = createServer((_request, response) => response.end(listed))
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
    const gatewayUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/v1`
    const clock = { ms: Date.now(), nowMs: () => clock.ms }
    const profile = { kind: 'devnet', vendors: { gateway: gatewayAt(gatewayUrl) } } as const
    const brains = open({ profile, clock })
    const holds = async (sketch: object, by = brains) => {
      const agent = { id: `new${db.engine}${++agents}`, wallet: wallet(90), ...sketch }
      return (await by.aiHolds(await addAgent(db, agent))).map(({ code }) => code)
    }
    expect(await holds({ intervalS: 900 })).toEqual([])
    expect(await holds({ intervalS: 600 })).toEqual(['AI_POOL_INTERVAL', 'NOT_CONNECTED'])
    expect(await holds({ intervalS: 600, params: { fallback_own: false } })).toEqual(['AI_POOL_INTERVAL'])
    expect(await holds({ params: { funding: 'own' } })).toEqual(['NOT_CONNECTED'])
    expect(await holds({ params: { budget_usd_day: 0.000001 } })).toEqual(['COST_BOUND'])
    expect(await holds({ params: { model: 'none' } })).toEqual(['MODEL_NOT_ALLOWED'])
    expect(await holds({ mode: 'live' })).toEqual([])
    const closed = open({ profile, clock, ai: { ...terms, trialsOpen: false, poolKey: 'pk-service-key' } })
    expect(await holds({}, closed)).toEqual(['AI_NOT_ELIGIBLE', 'NOT_CONNECTED'])
    expect(await holds({ mode: 'live' }, closed)).toEqual(['AI_NOT_LIVE', 'NOT_CONNECTED'])
    const [hold] = await brains.aiHolds(
      await addAgent(db, { id: `say${db.engine}`, wallet: wallet(90), intervalS: 300 }),
    )
    expect(hold!.message).toContain('set interval_s to 900 or more')

    expect(await brains.overview(null)).toMatchObject({ enabled: true, pool: { trialsOpen: true } })
    listed = '{"data":[{"id":"m","pricing":{"input":0.1,"output":0.1}}]}'
    clock.ms += 30_000
    expect(await brains.overview(null)).toMatchObject({ enabled: false, models: [{ available: false }] })
    listed = 'down'
    clock.ms += 30_000
    expect(await brains.overview(null)).toMatchObject({ enabled: false })
    gateway.close()
    expect(await open().overview(null)).toMatchObject({ enabled: false })
  })

  it('holds AI_POOL_UNAVAILABLE if the pool cannot be read', async () => {
    const agent = await addAgent(db, { id: `ai${db.engine}`, wallet: wallet(79) })
    const gateway = createServer((_request, response) =>
      response.end('{"data":[{"id":"m","pricing":{"input":0.1,"output":0.1},"structured_outputs":true}]}'),
    )
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
    const gatewayUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/v1`
    const broken: Db = { ...db, transaction: () => Promise.reject(new Error('the store is away')) }
    const brains = open({
      db: broken,
      profile: { kind: 'devnet', vendors: { gateway: gatewayAt(gatewayUrl) } },
    })
    expect(await brains.decide(ask(agent))).toMatchObject({ kind: 'hold', code: 'AI_POOL_UNAVAILABLE' })
    gateway.close()
  })
})
