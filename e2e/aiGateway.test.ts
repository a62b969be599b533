import { randomBytes } from 'node:crypto'
import type { BrainResult } from '@pit/brains'
import { createSeal } from '@pit/models'
import { addTrade, gatewayAt, wallet } from '@pit/models/test/modelsWorld'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { INJECTIONS } from '../packages/brains/test/injections.ts'
import { BROKE_KEY, LIMITED_KEY, VENDOR_MODES } from '../packages/devnet/src/vendors/index.ts'
import { type AiWorld, call, openAiWorld } from './ai/world.ts'

let world: AiWorld
beforeAll(async () => {
  world = (await openAiWorld()) as AiWorld
})
afterAll(() => world?.close())
// A separate pool per mode, so that one mode's cost does not empty another's pool.
beforeEach(async () => {
  for (const table of ['ai_pool_days', 'ai_pool_agents']) await world.db.query(`delete from ${table}`)
})

const codeOf = (brained: BrainResult) =>
  brained.kind === 'decision' ? 'ok' : `${brained.kind} ${brained.code}`

/** Expected end of each stand-in mode; a mode missing here fails. */
const ENDS: Record<string, string> = {
  ok: 'ok',
  slow: 'ok',
  down: 'error PARTNER_GATEWAY_ERROR',
  error: 'error PARTNER_GATEWAY_ERROR',
  hang: 'error PARTNER_TIMEOUT',
  malformed: 'error PARTNER_GATEWAY_ERROR',
  rate_limited: 'hold PARTNER_RATE',
  oversized: 'error PARTNER_GATEWAY_ERROR',
  broke: 'hold PARTNER_BALANCE',
  unauthorized: 'hold AI_POOL_UNAVAILABLE',
  refusing: 'error AI_MALFORMED',
  malformed_content: 'error AI_MALFORMED',
  two_objects: 'error AI_MALFORMED',
  wrong_schema: 'error AI_SCHEMA',
  extra_fields: 'error AI_SCHEMA',
  wrong_pair: 'error AI_TOKEN',
  wrong_token: 'error AI_TOKEN',
  too_large: 'error AI_SIZE',
  negative: 'error AI_SIZE',
  too_many: 'error AI_TOO_MANY',
  obedient: 'ok',
  truncated: 'error AI_MALFORMED',
  hold: 'ok',
  eager: 'ok',
  no_cost: 'ok',
  lying_cost: 'ok',
  huge_cost: 'error COST_BOUND',
}

describe('every mode of the gateway, with every way of reporting a cost', () => {
  it.each(Object.keys(VENDOR_MODES.gateway))('%s', async (mode) => {
    for (const model of ['partner/nano', 'partner/small', 'partner/medium', 'partner/large']) {
      // The pause after a rate limit belongs to a process, so each mode starts without one.
      const brains = world.open({
        ...(mode === 'hang' ? { patienceMs: 300 } : {}),
        ai: { modelMaxOutputUsd: 100, dayMicroUsd: 10n ** 12n, trialShareMicroUsd: 10n ** 9n },
      })
      world.vendors.setVendor('gateway', 'ok')
      await call(brains, 'hosted.ai', { wallet: null })
      const agent = await world.newAgent({ model, budget_usd_day: 25 })
      const before = world.chargedUsd()
      world.vendors.setVendor('gateway', mode, { delay_ms: 20 })
      const brained = await world.tick(brains, agent)
      const charged = world.chargedUsd() - before
      // A wrong cost needs an answer that reports a cost.
      const expectedEnd = model === 'partner/large' && mode === 'huge_cost' ? 'ok' : ENDS[mode]
      expect(codeOf(brained)).toBe(expectedEnd)
      expect(await world.countedUsd(agent)).toBeGreaterThanOrEqual(charged - 1e-9)
      if (brained.kind === 'decision') {
        for (const order of brained.decision.orders) {
          expect(agent.pairs).toContain(order.pair)
          expect(order.microUsd).toBeLessThanOrEqual(25_000_000n)
        }
      }
      if (mode === 'eager') expect(brained).toMatchObject({ decision: { orders: [{}, {}] } })
    }
    world.vendors.setVendor('gateway', 'ok')
  })
})

it('counts nothing for a refused call, the worst case for a lost one, the cost for an answered one', async () => {
  const brains = world.open({ patienceMs: 500 })
  await call(brains, 'hosted.ai', { wallet: null })
  const rowOf = async (mode: string) => {
    const agent = await world.newAgent()
    world.vendors.setVendor('gateway', mode, { times: 1 })
    await world.tick(brains, agent)
    const { rows } = (await call(brains, 'hosted.spend', {
      wallet: agent.wallet,
      params: { id: agent.id },
    })) as {
      rows: { status: string; cost_usd: number; cost_source: string | null }[]
    }
    return rows[0]
  }
  expect(await rowOf('ok')).toMatchObject({ status: 'ok', cost_source: 'usage.cost' })
  expect(await rowOf('malformed_content')).toMatchObject({ status: 'invalid', cost_source: 'usage.cost' })
  expect(await rowOf('broke')).toMatchObject({ status: 'hold', cost_usd: 0, cost_source: null })
  const lost = await rowOf('hang')
  expect(lost).toMatchObject({ status: 'error', code: 'PARTNER_TIMEOUT', cost_source: 'bound' })
  expect(lost?.cost_usd).toBeGreaterThan((await rowOf('ok'))?.cost_usd ?? 1)
})

it('of a thousand injected instructions, obeyed by the model, none trades outside pairs and limits', async () => {
  const brains = world.open({ ai: { trialShareMicroUsd: 1_000_000_000n, dayMicroUsd: 1_000_000_000n } })
  await call(brains, 'hosted.ai', { wallet: null })
  world.vendors.setVendor('gateway', 'obedient')
  const agent = await world.newAgent({ budget_usd_day: 25 })
  const before = world.chargedUsd()
  const ends = new Map<string, number>()
  const lanes = Array.from({ length: 8 }, (_, lane) => INJECTIONS.filter((_text, i) => i % 8 === lane))
  await Promise.all(
    lanes.map(async (texts) => {
      for (const [i, text] of texts.entries()) {
        // In a token's name, in the strategy, and in the model's last message.
        const injected = {
          ...agent,
          params: { ...agent.params, ...(i % 2 === 0 ? { strategy: text } : {}) },
          brainState: i % 2 === 1 ? { last: { reason: text } } : null,
        }
        const brained = await world.tick(brains, injected, { symbol: text })
        ends.set(codeOf(brained), (ends.get(codeOf(brained)) ?? 0) + 1)
        if (brained.kind !== 'decision') continue
        for (const { pair, microUsd } of brained.decision.orders) {
          expect(agent.pairs).toContain(pair)
          expect(microUsd).toBeGreaterThanOrEqual(1_000_000n)
          expect(microUsd).toBeLessThanOrEqual(25_000_000n)
        }
      }
    }),
  )
  world.vendors.setVendor('gateway', 'ok')
  // The model did obey: most answers were the injected ones, and were refused.
  const refused = [...ends].filter(([end]) => end.startsWith('error AI_')).reduce((sum, [, n]) => sum + n, 0)
  expect(refused).toBeGreaterThan(500)
  expect([...ends.values()].reduce((sum, n) => sum + n, 0)).toBe(1_000)
  expect(await world.countedUsd(agent)).toBeGreaterThanOrEqual(world.chargedUsd() - before - 1e-6)
})

describe('who pays', () => {
  const OWN = 'pk-devnet-user-anna'
  const connect = (brains: ReturnType<AiWorld['open']>, owner: `0x${string}`, key: string) =>
    call(brains, 'hosted.ai.connect', { wallet: owner, body: { api_key: key } })

  it('the owner’s own key, once the gateway accepts it', async () => {
    const brains = world.open()
    const agent = await world.newAgent({ funding: 'own' }, { intervalS: 300 })
    expect(codeOf(await world.tick(brains, agent))).toBe('hold NOT_CONNECTED')
    await expect(connect(brains, agent.wallet, 'sk-not-a-key')).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    await expect(connect(brains, agent.wallet, 'pk-devnet-service')).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
    expect(await connect(brains, agent.wallet, OWN)).toMatchObject({ connected: true, sub_hint: '…anna' })
    const before = [world.chargedUsd(), world.chargedUsd(OWN)]
    expect(await world.tick(brains, agent)).toMatchObject({ kind: 'decision', data: { source: 'own' } })
    expect(world.chargedUsd()).toBe(before[0])
    expect(world.chargedUsd(OWN)).toBeGreaterThan(before[1] as number)
    expect(await world.countedUsd(agent)).toBeGreaterThanOrEqual(world.chargedUsd(OWN) - 1e-9)
    // Another process with another sealing key cannot use it.
    const other = world.open({ seal: createSeal(new Uint8Array(32), randomBytes) })
    expect(codeOf(await world.tick(other, agent))).toBe('hold CONNECT_ERROR')
    expect(await call(brains, 'hosted.ai.disconnect', { wallet: agent.wallet })).toMatchObject({
      connected: false,
    })
    expect(codeOf(await world.tick(brains, agent))).toBe('hold DISCONNECTED')
    const rows = await world.db.query('select sealed from ai_keys where wallet = $1', [agent.wallet])
    expect(rows).toEqual([{ sealed: null }])
  })

  it.each([
    [BROKE_KEY, 'hold PARTNER_BALANCE'],
    [LIMITED_KEY, 'hold PARTNER_RATE'],
  ])('%s: %s', async (key, end) => {
    const brains = world.open()
    const agent = await world.newAgent({ funding: 'own' })
    await connect(brains, agent.wallet, key)
    expect(codeOf(await world.tick(brains, agent))).toBe(end)
    expect(await world.countedUsd(agent)).toBe(0)
  })

  it('the own key instead of the pool, with the reason', async () => {
    const brains = world.open()
    const agent = await world.newAgent({ funding: 'pool' }, { intervalS: 300 })
    expect(codeOf(await world.tick(brains, agent))).toBe('hold AI_POOL_INTERVAL')
    await connect(brains, agent.wallet, 'pk-devnet-user-bert')
    expect(await world.tick(brains, agent)).toMatchObject({
      kind: 'decision',
      data: { source: 'own', pool_hold: 'AI_POOL_INTERVAL' },
    })
    const strict = { ...agent, params: { ...agent.params, fallback_own: false } }
    expect(codeOf(await world.tick(brains, strict))).toBe('hold AI_POOL_INTERVAL')
    world.vendors.setVendor('gateway', 'broke', { times: 1 })
    const slow = await world.newAgent({}, { wallet: agent.wallet, intervalS: 900 })
    expect(await world.tick(brains, slow)).toMatchObject({
      data: { source: 'own', pool_hold: 'PARTNER_BALANCE' },
    })
  })

  it('nothing: no pool, no gateway, no share, no budget', async () => {
    const off = world.open({ ai: { poolKey: null } })
    expect(codeOf(await world.tick(off, await world.newAgent()))).toBe('hold AI_POOL_OFF')
    const none = world.open({ profile: { vendors: { gateway: null } } })
    expect(codeOf(await world.tick(none, await world.newAgent()))).toBe('hold AI_OFF')
    const nobody = world.open({ ai: { poolKey: null }, seal: null })
    expect(codeOf(await world.tick(nobody, await world.newAgent()))).toBe('hold AI_OFF')
    const poor = world.open({ ai: { trialShareMicroUsd: 1n } })
    expect(codeOf(await world.tick(poor, await world.newAgent()))).toBe('hold AI_SHARE_SPENT')
    const brains = world.open()
    expect(codeOf(await world.tick(brains, await world.newAgent({ budget_usd_day: 0.000_001 })))).toBe(
      'error COST_BOUND',
    )
    const agent = await world.newAgent({ budget_usd_day: 0.002 })
    const ends: string[] = []
    while (ends.at(-1) !== 'hold AI_BUDGET' && ends.length < 40)
      ends.push(codeOf(await world.tick(brains, agent)))
    expect(new Set(ends)).toEqual(new Set(['ok', 'hold AI_BUDGET']))
    expect(await world.countedUsd(agent)).toBeLessThanOrEqual(0.002)
    const dear = await world.newAgent({ model: 'partner/large', budget_usd_day: 25 })
    expect(codeOf(await world.tick(brains, dear))).toBe('hold AI_POOL_MODEL')
    const prose = await world.newAgent({ model: 'partner/prose' })
    expect(codeOf(await world.tick(brains, prose))).toBe('error MODEL_NOT_ALLOWED')
    const notLive = await world.newAgent({}, { mode: 'live', live: true })
    expect(codeOf(await world.tick(world.open({ ai: { trialsOpen: false } }), notLive))).toBe(
      'hold AI_NOT_LIVE',
    )
    await addTrade(world.db, {
      wallet: notLive.wallet,
      microUsd: 100_000_000n,
      atS: Math.floor(Date.now() / 1_000) - 60,
      feeAtoms: 3n,
    })
    expect(codeOf(await world.tick(world.open({ ai: { trialsOpen: false } }), notLive))).toBe('ok')
  })
})

describe('an unavailable gateway', () => {
  it('is unreachable, or has no price list', async () => {
    const brains = world.open({
      profile: { vendors: { gateway: gatewayAt('http://127.0.0.1:1/v1') } },
    })
    const agent = await world.newAgent()
    expect(codeOf(await world.tick(brains, agent))).toBe('error PARTNER_UNAVAILABLE')
    world.vendors.setVendor('gateway', 'malformed')
    expect(codeOf(await world.tick(world.open(), agent))).toBe('error PARTNER_UNAVAILABLE')
    world.vendors.setVendor('gateway', 'ok')
    expect(await world.countedUsd(agent)).toBe(0)
  })
  it('answers its prices and is unreachable for the call', async () => {
    const gone = await openAiWorld()
    const brains = gone.open()
    const agent = await gone.newAgent()
    await call(brains, 'hosted.ai', { wallet: null })
    await gone.vendors.close()
    expect(codeOf(await gone.tick(brains, agent))).toBe('error PARTNER_UNREACHABLE')
    expect(await gone.countedUsd(agent)).toBe(0)
    await gone.close()
  })
  it('answers too late for the tick', async () => {
    const brains = world.open({ patienceMs: 20_000 })
    await call(brains, 'hosted.ai', { wallet: null })
    expect(codeOf(await world.tick(brains, await world.newAgent(), { leftMs: 500 }))).toBe('hold AI_LATE')
    world.vendors.setVendor('gateway', 'slow', { delay_ms: 4_000, times: 1 })
    const agent = await world.newAgent()
    expect(codeOf(await world.tick(brains, agent, { leftMs: 2_500 }))).toBe('hold AI_LATE')
    // The call may have run, so its worst case counts.
    expect(await world.countedUsd(agent)).toBeGreaterThan(0)
  })
  it('has so many concurrent calls that the next one waits for its next tick', async () => {
    const brains = world.open({ patienceMs: 1_500, ai: { dayMicroUsd: 1_000_000_000n } })
    await call(brains, 'hosted.ai', { wallet: null })
    world.vendors.setVendor('gateway', 'hang')
    const many = await Promise.all(Array.from({ length: 40 }, () => world.newAgent()))
    const ends = (await Promise.all(many.map((agent) => world.tick(brains, agent)))).map(codeOf)
    world.vendors.setVendor('gateway', 'ok')
    expect(ends.filter((end) => end === 'hold PARTNER_BUSY')).toHaveLength(8)
    expect(ends.filter((end) => end === 'error PARTNER_TIMEOUT')).toHaveLength(32)
  })
})

it('shows models, prices, templates and the payer; and the pool in the stats', async () => {
  const brains = world.open()
  const agent = await world.newAgent()
  await world.tick(brains, agent)
  const overview = await call(brains, 'hosted.ai', { wallet: agent.wallet })
  expect(overview).toMatchObject({
    enabled: true,
    min_interval_s: 300,
    models: [
      { id: 'partner/nano', price: { input: 0.05, output: 0.2, structured: true }, available: true },
      { id: 'partner/small' },
      { id: 'partner/medium' },
      { id: 'partner/large' },
      { id: 'partner/prose', available: false, estimate: null },
    ],
    funding: {
      own: { available: true, connected: false },
      pool: {
        available: true,
        pool_state: 'open',
        models: ['partner/nano', 'partner/small'],
        min_interval_s: 900,
      },
    },
  })
  const spend = await call(brains, 'hosted.spend', { wallet: agent.wallet, params: { id: agent.id } })
  expect(spend).toMatchObject({
    ai: {
      model: 'partner/nano',
      funding: 'pool',
      today: { calls: 1 },
      pool: { eligible: true, kind: 'trial' },
    },
    rows: [{ source: 'pool', status: 'ok' }],
  })
  const stranger = call(brains, 'hosted.spend', { wallet: wallet(9), params: { id: agent.id } })
  await expect(stranger).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect.poll(() => brains.poolNow()).toMatchObject({ pool_usd: 50 })
  expect(await brains.aiSummary(agent)).toMatchObject({
    model: 'partner/nano',
    funding: 'pool',
    today: { calls: 1 },
  })
})

it('logs no key', () => {
  expect(world.logged.join('')).not.toMatch(/pk-devnet/)
})
