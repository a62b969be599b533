import type { Db } from '@pit/platform/db'
import { withDb } from '@pit/platform/test/withStore'
import { DAY_S } from '@pit/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { addTrade, insertAgent, NOW_MS, NOW_S, TERMS, wallet } from '../../test/modelsWorld.ts'
import type { ModelDeps } from '../deps.ts'
import type { GatewayModel } from '../model/modelList.ts'
import { readOverview } from '../overview.ts'
import { type ReserveRequest, readFacts, recordNoCall, reserve, settle } from './ledger.ts'
import { readPoolDay } from './pool.ts'
import type { PoolTerms } from './rules.ts'
import { readToday, spendPage, sweepSpend } from './spendRows.ts'

const MODEL: GatewayModel = {
  id: 'partner/small',
  inputPico: 150_000n,
  requestPico: 0n,
  outputPico: 600_000n,
  inputUsd: 0.15,
  outputUsd: 0.6,
  structured: true,
  contextTokens: null,
}
const BOUND = 1_000n

withDb('the AI ledger', (db, store) => {
  let agents = 0
  const newAgent = async (
    owner: number,
    more: { mode?: 'live'; live?: boolean; intervalS?: number; madeFrom?: string } = {},
  ) => {
    const defaults = { mode: 'paper' as const, live: false, intervalS: 900, madeFrom: null }
    const agent = { id: `agent${++agents}`, wallet: wallet(owner), ...defaults, ...more }
    await insertAgent(db, agent)
    return agent
  }
  type Agent = Awaited<ReturnType<typeof newAgent>>
  const ask = (agent: Agent, more: Partial<ReserveRequest> = {}): ReserveRequest => ({
    agent,
    network: agent.madeFrom,
    tick: 1,
    model: MODEL,
    atMs: NOW_MS,
    source: 'pool',
    boundMicroUsd: BOUND,
    budgetMicroUsd: 500_000n,
    ...more,
  })
  const poolRows = async () => {
    const [row] = await db.query<{ sum: string | null }>(
      `select sum(cost_micro_usd) as sum from ai_spend where source = 'pool'`,
    )
    return BigInt(row?.sum ?? 0)
  }

  beforeEach(async () => {
    for (const table of [
      'ai_spend',
      'ai_pool_days',
      'ai_pool_agents',
      'ai_trials',
      'ai_keys',
      'fees',
      'trades',
    ])
      await db.query(`delete from ${table}`)
  })

  /** As many connections as the store allows. */
  async function openers(): Promise<Db[]> {
    const second = await store().openSecond?.()
    return second ? [db, second] : [db]
  }

  it('admits exactly as many concurrent calls as the pool can pay for', async () => {
    const terms: PoolTerms = { ...TERMS, dayMicroUsd: 10n * BOUND }
    const owners = await Promise.all(Array.from({ length: 40 }, (_, i) => newAgent(100 + i)))
    const dbs = await openers()
    const reserved = await Promise.all(
      owners.map((agent, i) => reserve(dbs[i % dbs.length] as Db, ask(agent), terms)),
    )
    expect(reserved.filter((row) => 'id' in row)).toHaveLength(10)
    expect(new Set(reserved.flatMap((row) => ('hold' in row ? [row.hold] : [])))).toEqual(
      new Set(['AI_POOL_SPENT']),
    )
    expect(await poolRows()).toBe(10n * BOUND)
    // A reservation that was rolled back leaves nothing behind.
    expect(await readPoolDay(db, NOW_S)).toEqual({ usedMicroUsd: 10n * BOUND, owners: 10, agents: 10 })
    const [trials] = await db.query<{ n: number }>('select count(*) as n from ai_trials')
    expect(trials?.n).toBe(10)
  })

  it('does not let concurrent agents of one owner exceed its share', async () => {
    await addTrade(db, { wallet: wallet(7), microUsd: 500_000_000n, atS: NOW_S - 60, feeAtoms: 5n })
    const terms: PoolTerms = { ...TERMS, liveShareMicroUsd: 7n * BOUND }
    const live = await Promise.all([1, 2, 3].map(() => newAgent(7, { mode: 'live', live: true })))
    const dbs = await openers()
    const reserved = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        reserve(dbs[i % dbs.length] as Db, ask(live[i % 3] as Agent, { tick: i }), terms),
      ),
    )
    expect(reserved.filter((row) => 'id' in row)).toHaveLength(7)
    expect(reserved).toContainEqual({ hold: 'AI_SHARE_SPENT' })
    const [paid] = await db.query<{ agents: number; owners: number }>(
      'select count(*) as agents, count(distinct wallet) as owners from ai_pool_agents',
    )
    expect(await readPoolDay(db, NOW_S)).toEqual({ usedMicroUsd: 7n * BOUND, ...paid })
    expect(paid!.owners).toBe(1)
  })

  it('enforces an agent’s budget and an own key’s daily limit under concurrency', async () => {
    const agent = await newAgent(8)
    const budget = { budgetMicroUsd: 5n * BOUND, source: 'own' as const }
    const byBudget = await Promise.all(
      Array.from({ length: 12 }, () => reserve(db, ask(agent, budget), TERMS)),
    )
    expect(byBudget.filter((row) => 'id' in row)).toHaveLength(5)
    expect(byBudget).toContainEqual({ hold: 'AI_BUDGET' })
    const other = await newAgent(8)
    const terms = { ...TERMS, ownDayMicroUsd: 8n * BOUND }
    const byDay = await Promise.all(
      Array.from({ length: 12 }, () => reserve(db, ask(other, { source: 'own' }), terms)),
    )
    expect(byDay.filter((row) => 'id' in row)).toHaveLength(3)
    expect(byDay).toContainEqual({ hold: 'OWN_DAY_CAP' })
    // Own keys do not use the pool.
    expect((await readPoolDay(db, NOW_S)).usedMicroUsd).toBe(0n)
  })

  it('counts the worst case until a call is settled, then its cost, once', async () => {
    const agent = await newAgent(9)
    const first = await reserve(db, ask(agent), TERMS)
    const second = await reserve(db, ask(agent, { tick: 2 }), TERMS)
    if (!('id' in first) || !('id' in second)) throw new Error('held')
    expect((await readPoolDay(db, NOW_S)).usedMicroUsd).toBe(2_000n)
    const settled = {
      status: 'ok',
      code: null,
      promptTokens: 900,
      completionTokens: 40,
      costMicroUsd: 159n,
      costSource: 'usage.cost',
      ms: 12,
    } as const
    await Promise.all([settle(db, first.id, settled), settle(db, first.id, { ...settled, costMicroUsd: 1n })])
    const day = await readPoolDay(db, NOW_S)
    expect([1_159n, 1_001n]).toContain(day.usedMicroUsd)
    expect(day.usedMicroUsd).toBe(await poolRows())
    const used = await readFacts(db, { wallet: agent.wallet, agentId: agent.id, network: null, atS: NOW_S })
    expect(used.agentUsedMicroUsd).toBe(day.usedMicroUsd)

    // The second was never settled: hidden while it may be running, later an error at its worst case.
    const page = (nowMs: number) => spendPage(db, { agentId: agent.id, before: undefined, limit: 9, nowMs })
    expect(await page(NOW_MS + 1_000)).toHaveLength(1)
    const [late] = await page(NOW_MS + 300_000)
    expect(late).toMatchObject({
      status: 'error',
      code: 'PARTNER_TIMEOUT',
      cost_usd: 0.001,
      cost_source: 'bound',
    })
    expect(await readToday(db, agent, NOW_MS)).toMatchObject({
      calls: 2,
      prompt_tokens: 900,
      completion_tokens: 40,
    })
  })

  it('counts more than the bound if the vendor reports it', async () => {
    const agent = await newAgent(10)
    const row = await reserve(db, ask(agent), TERMS)
    if (!('id' in row)) throw new Error('held')
    const settled = {
      status: 'error',
      code: 'COST_BOUND',
      promptTokens: 1,
      completionTokens: 1,
      ms: 1,
    } as const
    await settle(db, row.id, { ...settled, costMicroUsd: 1_000_000_000n, costSource: 'usage.cost' })
    expect(await reserve(db, ask(await newAgent(11)), TERMS)).toEqual({ hold: 'AI_POOL_SPENT' })
  })

  it('resets the pool every day', async () => {
    const terms: PoolTerms = { ...TERMS, dayMicroUsd: BOUND }
    const agent = await newAgent(12)
    expect(await reserve(db, ask(agent), terms)).toHaveProperty('id')
    expect(await reserve(db, ask(agent), terms)).toEqual({ hold: 'AI_POOL_SPENT' })
    expect(await reserve(db, ask(agent, { atMs: NOW_MS + DAY_S * 1_000 }), terms)).toHaveProperty('id')
  })

  describe('pool eligibility', () => {
    const fundingOf = async (agent: Agent, terms = TERMS, more: Partial<ReserveRequest> = {}) => {
      const row = await reserve(db, ask(agent, more), terms)
      return 'hold' in row ? row.hold : 'paid'
    }
    it('pays for one agent a day of an owner on trial, while the trial lasts', async () => {
      const [one, two] = [await newAgent(20), await newAgent(20)]
      expect(await fundingOf(one)).toBe('paid')
      expect(await fundingOf(two)).toBe('POOL_AGENT')
      const later = (days: number) => ({ atMs: NOW_MS + days * DAY_S * 1_000 })
      expect(await fundingOf(two, TERMS, later(1))).toBe('paid')
      expect(await fundingOf(two, TERMS, later(7))).toBe('AI_NOT_ELIGIBLE')
      expect(await fundingOf(await newAgent(21), { ...TERMS, trialsOpen: false })).toBe('AI_NOT_ELIGIBLE')
    })
    it('pays for a live agent whose wallet traded enough and paid fees', async () => {
      const terms = { ...TERMS, trialsOpen: false }
      const live = await newAgent(22, { mode: 'live', live: true })
      expect(await fundingOf(live, terms)).toBe('AI_NOT_LIVE')
      await addTrade(db, {
        wallet: wallet(22),
        microUsd: 100_000_000n,
        atS: NOW_S - 31 * DAY_S,
        feeAtoms: 5n,
      })
      expect(await fundingOf(live, terms)).toBe('AI_NOT_LIVE')
      await addTrade(db, { wallet: wallet(22), microUsd: 100_000_000n, atS: NOW_S - DAY_S, feeAtoms: null })
      expect(await fundingOf(live, terms)).toBe('AI_NOT_LIVE')
      await addTrade(db, { wallet: wallet(22), microUsd: 1n, atS: NOW_S - DAY_S, feeAtoms: 1n })
      expect(await fundingOf(live, terms)).toBe('paid')
      expect(await fundingOf(await newAgent(22), terms)).toBe('POOL_NOT_LIVE')
      expect(await fundingOf(await newAgent(22, { mode: 'live' }), terms)).toBe('POOL_NOT_LIVE')
    })
    it('pays for cheap models at 15-minute ticks, while the pool is on', async () => {
      const agent = await newAgent(23)
      expect(await fundingOf(agent, { ...TERMS, on: false })).toBe('AI_POOL_OFF')
      expect(await fundingOf(agent, { ...TERMS, dayMicroUsd: 0n })).toBe('AI_POOL_OFF')
      expect(await fundingOf(agent, TERMS, { model: { ...MODEL, outputUsd: 3.2 } })).toBe('AI_POOL_MODEL')
      expect(await fundingOf(await newAgent(24, { intervalS: 600 }))).toBe('AI_POOL_INTERVAL')
    })
  })

  it('reserves a share of the day for owners who trade live', async () => {
    const terms: PoolTerms = { ...TERMS, dayMicroUsd: 10n * BOUND, livePct: 60 }
    const trials = await Promise.all(Array.from({ length: 12 }, (_, i) => newAgent(200 + i)))
    const dbs = await openers()
    const reserved = await Promise.all(
      trials.map((agent, i) => reserve(dbs[i % dbs.length] as Db, ask(agent), terms)),
    )
    const paid = reserved.flatMap((row) => ('id' in row ? [row.id] : []))
    expect(paid).toHaveLength(4)
    await addTrade(db, { wallet: wallet(250), microUsd: 500_000_000n, atS: NOW_S - 60, feeAtoms: 5n })
    const live = await newAgent(250, { mode: 'live', live: true })
    const own = await Promise.all(
      Array.from({ length: 8 }, (_, tick) => reserve(db, ask(live, { tick }), terms)),
    )
    expect(own.filter((row) => 'id' in row)).toHaveLength(6)
    // The unused part of a trial's reservation is available to trials again.
    const settled = {
      status: 'ok',
      code: null,
      promptTokens: 1,
      completionTokens: 1,
      costMicroUsd: 0n,
      costSource: 'usage.cost',
      ms: 1,
    } as const
    await settle(db, paid[0]!, settled)
    expect(await reserve(db, ask(await newAgent(251)), terms)).toHaveProperty('id')
    expect(await reserve(db, ask(await newAgent(252)), terms)).toEqual({ hold: 'AI_POOL_SPENT' })
  })

  it('limits new trials per day, in total and per network, also under concurrency', async () => {
    const terms: PoolTerms = { ...TERMS, trialsPerDay: 9, trialsPerNetwork: 4 }
    const dbs = await openers()
    const countStarted = async (agents: readonly Agent[], atMs = NOW_MS) => {
      const rows = await Promise.all(
        agents.map((agent, i) => reserve(dbs[i % dbs.length] as Db, ask(agent, { atMs }), terms)),
      )
      expect(new Set(rows.flatMap((row) => ('hold' in row ? [row.hold] : [])))).toEqual(
        new Set(['AI_NOT_ELIGIBLE']),
      )
      return rows.filter((row) => 'id' in row).length
    }
    const many = (from: number, madeFrom: string) =>
      Promise.all(Array.from({ length: 8 }, (_, i) => newAgent(from + i, { madeFrom })))
    const farm = await many(300, '192.0.2.1')
    expect(await countStarted(farm)).toBe(4)
    expect(await countStarted(await many(320, '192.0.2.2'))).toBe(4)
    expect(await countStarted(await many(340, '192.0.2.3'))).toBe(1)
    // Running trials continue; others may start the next day, when the networks are deleted too.
    expect(await countStarted(farm)).toBe(4)
    const tomorrow = { atMs: NOW_MS + DAY_S * 1_000 }
    for (const agent of farm) expect(await reserve(db, ask(agent, tomorrow), terms)).toHaveProperty('id')
    await sweepSpend(db, NOW_S + 2 * DAY_S)
    const [networks] = await db.query<{ n: number }>('select count(network) as n from ai_trials')
    expect(networks?.n).toBe(4)
  })

  it('deletes old spending and keeps the pool’s daily totals', async () => {
    const agent = await newAgent(40)
    await reserve(db, ask(agent), TERMS)
    await sweepSpend(db, NOW_S + 80 * DAY_S)
    expect(await poolRows()).toBe(BOUND)
    await sweepSpend(db, NOW_S + 92 * DAY_S)
    expect(await poolRows()).toBe(0n)
    expect(await readPoolDay(db, NOW_S)).toEqual({ usedMicroUsd: BOUND, owners: 1, agents: 1 })
  })

  it('reads an owner’s overview without their trades, of which there may be thousands', async () => {
    const statements: string[] = []
    const query: Db['query'] = (text, values, options) => {
      statements.push(text)
      return db.query(text, values, options)
    }
    const deps = { db: { ...db, query }, clock: { nowMs: () => NOW_MS }, terms: TERMS }
    await readOverview({ ...deps, gateway: null, seal: null } as unknown as ModelDeps, wallet(41))
    expect(statements.length).toBeGreaterThan(0)
    expect(statements.filter((text) => /\btrades\b/.test(text))).toEqual([])
  })

  it('stores a repeated hold once a day', async () => {
    const agent = await newAgent(30)
    const hold = (code: string, atMs = NOW_MS) =>
      recordNoCall(db, { agent, tick: 1, atMs, source: 'pool', model: null, status: 'hold', code })
    await hold('AI_POOL_OFF')
    await hold('AI_POOL_OFF')
    await hold('AI_BUDGET')
    await hold('AI_POOL_OFF')
    await hold('AI_POOL_OFF', NOW_MS + DAY_S * 1_000)
    const rows = await spendPage(db, { agentId: agent.id, before: undefined, limit: 10, nowMs: NOW_MS })
    expect(rows.map((row) => row.code)).toEqual(['AI_POOL_OFF', 'AI_POOL_OFF', 'AI_BUDGET', 'AI_POOL_OFF'])
    const [newest, next] = rows
    const rest = await spendPage(db, { agentId: agent.id, before: next?.id, limit: 10, nowMs: NOW_MS })
    expect(rest).toEqual(rows.slice(2))
    expect(newest?.cost_usd).toBe(0)
  })
})
