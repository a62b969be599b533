import { withDb } from '@pit/platform/test/withStore'
import { SignerUnreachable } from '@pit/signer-wire'
import { MEME, USDG, WETH } from '@pit/trading/test/tradeFixtures'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  BEACON,
  CREATE,
  DEAD,
  emptyHosted,
  type HostedWorld,
  NOTHING,
  NVDA,
  openHostedWorld,
} from '../../test/hostedWorld.ts'
import { codeOf, refused, WHO } from '../../test/sessionWorld.ts'

withDb('creating hosted agents', (db) => {
  let world: HostedWorld
  beforeEach(async () => {
    await emptyHosted(db)
    world = openHostedWorld(db)
  })
  const stored = async () =>
    (
      await db.query<{ agents: number; executors: number; books: number }>(
        `select (select count(*) from hosted_agents) as agents,
         (select count(*) from hosted_executors) as executors, (select count(*) from paper_books) as books`,
      )
    )[0]

  it('a paper one ticks at once, on its own book', async () => {
    const agent = await world.create({ name: 'first', paper_book: { usdg: 2_500.5 } })
    expect(agent).toMatchObject({
      name: 'first',
      brain: 'dca',
      params: { usd: 5 },
      interval_s: 60,
      pairs: ['ETH/USDG'],
      limits: CREATE.limits,
      mode: 'paper',
      live: false,
      status: 'active',
      pause_reason: null,
      trading: true,
      session_id: null,
      executor: null,
      session_terms: null,
      live_stats: null,
      last_decision: null,
      terms: {
        accept_risks: [],
        shield: false,
        policies: [],
        fees: { major_max_bps: 25, major_min_bps: 10, other_bps: 50 },
        fee_schedule: 2,
      },
      pnl: { start_usd: 2_500.5, equity_usd: 2_500.5, profit_usd: 0, return_pct: 0 },
      watch: { next_tick_at: world.nowS(), holds: [] },
    })
    expect(agent.tokens).toMatchObject([
      { token: 'ETH', symbol: 'ETH', decimals: 18, stock: false },
      { token: 'USDG', address: USDG.address, decimals: 6 },
    ])
    expect(agent).not.toHaveProperty('executor_attestation')
    expect(agent).not.toHaveProperty('webhook_secret')
    expect(await world.create()).toMatchObject({ pnl: { start_usd: 10_000 } })
    const [row] = await db.query('select next_tick_ms, book_id, key_id from hosted_agents where id = $1', [
      agent.id,
    ])
    expect(row).toMatchObject({ next_tick_ms: world.nowS() * 1_000, key_id: 1, book_id: expect.any(Number) })
  })

  it('a live one waits, with an executor that the co-signer attests', async () => {
    const agent = await world.live()
    expect(agent).toMatchObject({
      mode: 'live',
      live: false,
      status: 'paused',
      pause_reason: { code: 'NEW' },
      trading: false,
      pnl: null,
      live_stats: { mined: 0 },
      stock_attestation: null,
      stock_attestation_not_before: null,
      stock_tokens: [],
      gas_refund: null,
      session_root_hash: null,
      watch: { next_tick_at: null },
    })
    expect(world.signer.keys.get(agent.executor as never)?.owner).toBe(WHO.owner)
    expect(agent.executor_attestation).toMatchObject({
      text: expect.stringContaining(agent.id),
      cosigner: WHO.cosigner,
    })
    expect((agent.watch as { holds: { code: string }[] }).holds.map(({ code }) => code)).toEqual([
      'PAUSED',
      'LIVE_OFF',
      'NO_SESSION',
    ])
    expect(await stored()).toEqual({ agents: 1, executors: 1, books: 0 })
  })

  it('shows a webhook’s secret once, an AI agent’s money, and both only there', async () => {
    const webhook = await world.create({ brain: 'webhook', params: { url: 'https://a.example' } })
    expect(webhook.webhook_secret).toBe('whsec_1')
    expect(await world.get(webhook)).not.toHaveProperty('webhook_secret')
    expect(JSON.stringify(await world.list())).not.toContain('whsec_1')
    const ai = await world.create({ brain: 'partner_llm', params: { strategy: 'a\nb' }, interval_s: 300 })
    expect(ai).toMatchObject({ ai: { funding: 'pool' }, holds: [{ code: 'AI_OFF' }] })
    expect(webhook.holds).toEqual([])
    expect(ai.params).toEqual({ strategy: 'a\nb' })
  })

  describe('pairs', () => {
    it('have one spelling, however they were sent', async () => {
      const agent = await world.create({
        pairs: [
          `0x${'0'.repeat(40)}/${USDG.address.toUpperCase().replace('0X', '0x')}`,
          `${MEME.address}/ETH`,
          'WETH/USDG',
        ],
      })
      expect(agent.pairs).toEqual(['ETH/USDG', `${MEME.address}/ETH`, 'WETH/USDG'])
      expect(agent.tokens).toHaveLength(4)
    })

    it('of a live agent may be stocks', async () => {
      const agent = await world.live({ pairs: ['NVDA/USDG', `${BEACON}/USDG`] })
      expect(agent.stock_tokens).toEqual(['NVDA', BEACON])
    })

    it.each([
      [['ETH/USDG', 'USDG/ETH'], 'BAD_REQUEST', 'pairs.1'],
      [['ETH/USDG', `0x${'0'.repeat(40)}/USDG`], 'BAD_REQUEST', 'pairs.1'],
      [['USDG/ETH'], 'BAD_REQUEST', 'pairs.0'],
      [['ETH/ETH'], 'BAD_REQUEST', 'pairs.0'],
      [[`ETH/${WETH}`], 'BAD_REQUEST', 'pairs.0'],
      [[`ETH/${MEME.address}`], 'BAD_REQUEST', 'pairs.0'],
      [['ETH/NVDA'], 'BAD_REQUEST', 'pairs.0'],
      [['0x12/USDG'], 'BAD_REQUEST', 'pairs.0'],
      [['ETH/USDG', 'DOGE/USDG'], 'TOKEN_NOT_ALLOWED', 'pairs.1'],
      [[`${NOTHING}/USDG`], 'TOKEN_UNKNOWN', 'pairs.0'],
      [['NVDA/USDG'], 'TOKEN_STOCK', 'pairs.0'],
      [['ETH/USDG', `${NVDA.address}/ETH`], 'TOKEN_STOCK', 'pairs.1'],
      [[`${BEACON}/USDG`], 'TOKEN_STOCK', 'pairs.0'],
    ])('%j are refused: %s at %s', async (pairs, code, field) => {
      expect(await refused(world.create({ pairs }))).toMatchObject({ code, extras: { field } })
      expect(await stored()).toEqual({ agents: 0, executors: 0, books: 0 })
    })

    it('without a route are rejected', async () => {
      expect(await codeOf(world.create({ pairs: [`${DEAD}/USDG`] }))).toBe('NO_ROUTE')
    })

    it('that are new are screened on the caller’s budget', async () => {
      const charges: unknown[] = []
      world.state.charge = async (caller, buckets) => void charges.push([caller.key?.keyId, buckets])
      world.deps.tokens.get = async (_, admit) => {
        await admit!()
        return MEME.record as never
      }
      await world.create({ pairs: [`${MEME.address}/USDG`] })
      expect(charges).toEqual([[1, ['screen.caller', 'screen.overall']]])
    })
  })

  it.each([
    [{ limits: { ...CREATE.limits, max_trade_usd: 101 } }, 'BAD_REQUEST', 'limits.max_day_usd'],
    [{ brain: 'partner_llm', interval_s: 299 }, 'BAD_REQUEST', 'interval_s'],
    [{ params: { bad: 1 } }, 'BAD_REQUEST', 'params.bad'],
    [{ mode: 'live', paper_book: { usdg: 5 } }, 'BAD_REQUEST', 'paper_book'],
    [{ paper_book: { usdg: 0.5 } }, 'BAD_REQUEST', 'paper_book.usdg'],
    [{ policies: ['block_new'] }, 'BAD_TERMS', 'policies'],
    [{ accept_risks: ['AUDIT_FLAGGED'], shield: true }, 'BAD_TERMS', 'accept_risks'],
  ])('of %j is refused: %s at %s', async (over, code, field) => {
    expect(await refused(world.create(over))).toMatchObject({ code, extras: { field } })
    expect(await stored()).toEqual({ agents: 0, executors: 0, books: 0 })
  })

  it('is limited to twenty per wallet, under concurrency too', async () => {
    for (let i = 0; i < 17; i++) await world.create()
    const many = await Promise.allSettled(Array.from({ length: 8 }, () => world.create()))
    const codes = many.map((one) => (one.status === 'fulfilled' ? 'made' : one.reason.code)).sort()
    expect(codes).toEqual([...Array(5).fill('TOO_MANY_AGENTS'), ...Array(3).fill('made')])
    expect(await stored()).toMatchObject({ agents: 20, books: 20 })
    expect(await world.list()).toHaveLength(20)
    expect(await codeOf(world.live())).toBe('TOO_MANY_AGENTS')
    // No key was requested for a rejected agent.
    expect(world.signer.keys.size).toBe(0)
    await world.create({}, 'stranger')
    const [first] = await world.list()
    await world.delete(first!)
    await world.create()
    expect(await codeOf(world.create())).toBe('TOO_MANY_AGENTS')
  })

  describe('with a client_id', () => {
    it('creates one agent and one executor, however often it is sent', async () => {
      const body = { mode: 'live', client_id: 'first-live', limits: { ...CREATE.limits, max_day_usd: 1e8 } }
      const [one, two] = await Promise.all([world.create(body), world.create(body)])
      const again = await world.create(body)
      expect([two, again]).toMatchObject([
        { id: one.id, executor: one.executor },
        { id: one.id, executor: one.executor, executor_attestation: one.executor_attestation },
      ])
      expect(await stored()).toEqual({ agents: 1, executors: 1, books: 0 })
      expect(world.signer.keys.size).toBe(1)
      // In its current state, not as created.
      await world.update(one, { name: 'later' })
      expect(await world.create(body)).toMatchObject({ id: one.id, name: 'later' })
    })

    it('creates no second key if the response about the first was lost', async () => {
      const body = { mode: 'live', client_id: 'lost' }
      world.signer.bend.created = () => {
        throw new SignerUnreachable('the answer was lost', {})
      }
      expect(await codeOf(world.create(body))).toBe('SIGNER_UNAVAILABLE')
      world.signer.bend.created = (made) => made
      const [only] = [...world.signer.keys.keys()]
      expect(await world.create(body)).toMatchObject({ executor: only })
      expect(world.signer.keys.size).toBe(1)
    })

    it('is rejected for another agent, is separate per wallet, and shows a secret to its first call only', async () => {
      const body = { brain: 'webhook', params: { url: 'https://a.example' }, client_id: 'x' }
      const agent = await world.create(body)
      expect(agent.webhook_secret).toBe('whsec_1')
      const again = await world.create(body)
      expect(again.id).toBe(agent.id)
      expect(again).not.toHaveProperty('webhook_secret')
      expect(await refused(world.create({ ...body, interval_s: 61 }))).toMatchObject({
        code: 'BAD_REQUEST',
        status: 400,
        extras: { field: 'client_id' },
      })
      expect(await refused(world.create({ ...body, params: { huge: 1e300 } }))).toMatchObject({
        extras: { field: 'client_id' },
      })
      expect((await world.create(body, 'stranger')).id).not.toBe(agent.id)
      // A retry creates nothing: it is not counted, and limits reached meanwhile do not apply.
      await Promise.all(Array.from({ length: 19 }, () => world.create()))
      expect(await world.create(body)).toMatchObject({ id: agent.id })
      await world.delete(agent)
      expect(await world.create(body)).toMatchObject({ id: agent.id, status: 'stopped' })
    })
  })

  it('rejects params about tokens outside its pairs', async () => {
    const rebalance = { brain: 'rebalance', params: { weights: { eth: 50 } } }
    expect(await refused(world.create(rebalance))).toMatchObject({
      code: 'BAD_REQUEST',
      extras: { field: 'params.weights' },
    })
    const agent = await world.create({ brain: 'rebalance', params: { weights: { ETH: 50, USDG: 50 } } })
    expect(await codeOf(world.update(agent, { pairs: ['cbBTC/USDG'] }))).toBe('BAD_REQUEST')
    const both = { pairs: ['cbBTC/USDG'], params: { weights: { cbBTC: 40 } } }
    expect(await world.update(agent, both)).toMatchObject({ pairs: ['cbBTC/USDG'] })
    const grid = { brain: 'grid', params: { low: 1, high: 2 }, pairs: ['ETH/USDG', 'cbBTC/USDG'] }
    expect(await refused(world.create(grid))).toMatchObject({ extras: { field: 'params.low' } })
  })

  it('is limited per day, deleted ones included', async () => {
    const first = await world.create()
    await db.query(
      `insert into hosted_agents (id, wallet, key_id, brain, params, interval_s, pairs, tokens,
         max_trade_micro_usd, max_day_micro_usd, max_position_micro_usd, mode, status, created_at_s,
         deleted_at_s)
       select 'agt_' || n, $1, 1, 'dca', '{}', 60, '{}', '[]', 1, 1, 1, 'paper', 'stopped', $2, $2
       from generate_series(1, 499) as n`,
      [WHO.owner, world.nowS() - 3_600],
    )
    expect(await refused(world.create())).toMatchObject({ code: 'RATE_LIMITED', retryAfterS: 86_400 - 3_600 })
    expect(await codeOf(world.live())).toBe('RATE_LIMITED')
    expect(world.signer.keys.size).toBe(0)
    await world.create({}, 'stranger')
    world.clock.aheadS += 86_400 - 3_600
    expect(await world.create()).toMatchObject({ status: 'active' })
    expect(await world.get(first)).toMatchObject({ status: 'active' })
  })

  describe('a live one needs the signer, and leaves nothing behind', () => {
    it('if there is none', async () => {
      const bare = openHostedWorld(db, { withSigner: false })
      expect(await refused(bare.live())).toMatchObject({ code: 'SIGNER_REQUIRED', status: 503 })
      expect(await bare.create()).toMatchObject({ mode: 'paper' })
    })

    it('if it does not answer', async () => {
      world.signer.reachable = false
      expect(await refused(world.live())).toMatchObject({ code: 'SIGNER_UNAVAILABLE', status: 503 })
      expect(await stored()).toEqual({ agents: 0, executors: 0, books: 0 })
    })

    it.each([
      ['SIGNER_FROZEN', 503],
      ['BUSY', 503],
      ['SANCTIONED', 451],
    ] as const)('if it refuses: %s reaches the caller unchanged', async (code, status) => {
      world.signer.refuses = code
      const extras = { signer_checks: [{ rule: code }] }
      expect(await refused(world.live())).toMatchObject({ code, status, extras })
      expect(await stored()).toEqual({ agents: 0, executors: 0, books: 0 })
    })

    it('if its attestation is another’s, of another agent, or of another executor', async () => {
      const { created } = world.signer.bend
      const bends: (typeof created)[] = [
        (made) => ({ ...made, executor: WHO.stranger }),
        (made) => ({ ...made, attestation: { ...made.attestation, text: `${made.attestation.text} ` } }),
        (made) => ({ ...made, attestation: { ...made.attestation, cosigner: WHO.stranger } }),
        (made) => ({ ...made, attestation: { ...made.attestation, signature: `0x${'11'.repeat(65)}` } }),
      ]
      for (const bend of bends) {
        world.signer.bend.created = bend
        expect(await refused(world.live())).toMatchObject({ code: 'EXECUTOR_ATTESTATION', status: 503 })
      }
      expect(await stored()).toEqual({ agents: 0, executors: 0, books: 0 })
    })

    it('if the co-signer is not the known one', async () => {
      world.deps.cosigner = () => WHO.stranger
      expect(await codeOf(world.live())).toBe('EXECUTOR_ATTESTATION')
    })
  })
})
