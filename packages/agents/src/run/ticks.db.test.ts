import { replayBook } from '@pit/brains'
import { until } from '@pit/platform/test/until'
import { withDb } from '@pit/platform/test/withStore'
import { expect, it, vi } from 'vitest'
import { TOKENS, USD, WALLET } from '../../test/paperWorld.ts'
import { decisionOf, openTickWorld, orderOf, queriesOf } from '../../test/tickWorld.ts'
import { KEPT_ROWS, thinLogs } from '../logs.ts'
import { LEASE_MS, QUEUED_MS, SLOW_PER_WALLET } from './leases.ts'

withDb('ticks of hosted agents', (db) => {
  it('decides, stores its orders and fills them on paper, tick after tick', async () => {
    const world = openTickWorld(db)
    const id = await world.addAgent()
    await world.drain()
    expect(await world.agentRow(id)).toMatchObject({ tick: 1, lease_by: null, lease_until_ms: null })
    expect(await world.ordersOf(id)).toMatchObject([
      { tick: 1, n: 0, status: 'filled', micro_usd: 10_000_000 },
    ])
    const logs = await world.logsOf(id)
    expect(logs.map(({ kind }) => kind)).toEqual(['decision', 'trade'])
    expect(logs[0]!.data).toMatchObject({
      seen: { pairs: [{ pair: 'ETH/USDG', price_usd: 2_500 }], cash_usd: 10_000, day_used_usd: 0 },
      decided: [{ pair: 'ETH/USDG', side: 'buy', usd: 10 }],
      outcome: [{ n: 0, outcome: 'begun' }],
    })
    expect(logs[1]).toMatchObject({ tick: 1, fee_bps: 25, data: { paper: true, usd: 10 } })
    expect((await world.agentRow(id)).last_trade).toMatchObject({
      pair: 'ETH/USDG',
      side: 'buy',
      paper: true,
    })

    // The next tick is due in half to one and a half intervals.
    await world.drain()
    expect((await world.agentRow(id)).tick).toBe(1)
    const { next_tick_ms: next } = await world.agentRow(id)
    expect(next! - world.clock.ms).toBeGreaterThanOrEqual(30_000)
    expect(next! - world.clock.ms).toBeLessThanOrEqual(90_000)
    world.clock.ms = next!
    await world.drain()
    const after = await world.agentRow(id)
    expect(after).toMatchObject({ tick: 2, next_tick_ms: next! + 60_000 })
    expect(after.brain_state).toMatchObject({ pairs: expect.anything() })
    const fills = (await world.paper.fillsOf(after.book_id, { limit: 10 })).reverse()
    expect(fills.length).toBe(2)
    const book = (await world.paper.bookNow([after.book_id])).get(after.book_id)!
    expect(new Map(book.balances.map(({ token, atoms }) => [token, atoms]))).toEqual(
      replayBook(10_000n * USD, fills, TOKENS.USDG),
    )
  })

  it('skips missed ticks', async () => {
    const world = openTickWorld(db)
    const id = await world.addAgent()
    await world.drain()
    const { next_tick_ms: next } = await world.agentRow(id)
    world.clock.ms = next! + 10 * 60_000 + 1_234
    await world.drain()
    expect(await world.agentRow(id)).toMatchObject({ tick: 2, next_tick_ms: next! + 11 * 60_000 })
  })

  it('spreads agents created at the same time', async () => {
    const world = openTickWorld(db)
    world.state.brain = () => decisionOf()
    const ids = await Promise.all(Array.from({ length: 120 }, () => world.addAgent({ intervalS: 300 })))
    await world.drain()
    const times = await Promise.all(ids.map(async (id) => (await world.agentRow(id)).next_tick_ms!))
    const tenths = new Set(times.map((ms) => Math.floor(((ms - world.clock.ms) / 300_000) * 10)))
    expect(tenths.size).toBeGreaterThanOrEqual(9)
  })

  it('lets slow webhooks delay only agents of the same owner', async () => {
    const world = openTickWorld(db)
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    world.state.brain = async ({ agent }) => {
      if (agent.wallet === WALLET) await held
      return decisionOf()
    }
    const hook = { brain: 'webhook', params: { url: 'http://127.0.0.1:9' } } as const
    const own = new Set<string>()
    for (let i = 0; i < 10; i++) own.add(await world.addAgent(hook))
    const ownAsked = () =>
      new Set(world.state.decisions.map(({ agent }) => agent).filter((id) => own.has(id)))
    const other = await world.addAgent({ ...hook, wallet: '0x00000000000000000000000000000000000000ee' })
    const done = world.drain()
    await expect
      .poll(() => world.state.decisions.some(({ agent }) => agent === other), { timeout: 10_000 })
      .toBe(true)
    const askedMeanwhile = ownAsked().size
    release()
    await done
    expect(askedMeanwhile).toBeLessThanOrEqual(SLOW_PER_WALLET)
    expect(ownAsked().size).toBe(10)
  })

  it('ticks an agent once with several workers', async () => {
    const world = openTickWorld(db)
    const ids = await Promise.all(Array.from({ length: 60 }, () => world.addAgent()))
    const others = [world.another(), world.another({ workerId: 'worker 3' })]
    await Promise.all([world.drain(), ...others.map((other) => other.drain())])
    for (const id of ids) {
      expect((await world.agentRow(id)).tick).toBe(1)
      expect(await world.ordersOf(id)).toMatchObject([{ tick: 1, status: 'filled' }])
    }
  })

  it('takes over ticks of a dead worker, and repeats only undecided ones', async () => {
    const world = openTickWorld(db)
    const [queued, claimed, decided] = [
      await world.addAgent(),
      await world.addAgent(),
      await world.addAgent(),
    ]
    const nowMs = world.clock.ms
    const lease = (id: string, by: string, untilMs: number) =>
      db.query(
        'update hosted_agents set lease_by = $2, lease_until_ms = $3, next_tick_ms = $4 where id = $1',
        [id, by, untilMs, nowMs + 60_000],
      )
    await lease(queued, 'queued elsewhere', nowMs + QUEUED_MS)
    await lease(claimed, 'worker 9', nowMs + LEASE_MS)
    await lease(decided, 'worker 9', nowMs + LEASE_MS)
    await db.query('update hosted_agents set tick = 1 where id = $1', [decided])
    await db.query(
      `insert into hosted_orders (agent_id, tick, n, pair, side, micro_usd, status, created_at_ms)
       values ($1, 1, 0, 'ETH/USDG', 'buy', 5000000, 'intended', $2)`,
      [decided, nowMs],
    )
    await world.drain()
    expect((await world.agentRow(claimed)).tick).toBe(0)
    world.clock.ms += QUEUED_MS
    await world.drain()
    for (const id of [queued, claimed]) {
      expect(await world.agentRow(id)).toMatchObject({ tick: 1, lease_by: null })
      expect(await world.ordersOf(id)).toMatchObject([{ tick: 1, status: 'filled' }])
    }
    // Started orders are ended, not repeated; the agent continues with its next tick.
    expect(await world.ordersOf(decided)).toMatchObject([
      { tick: 1, n: 0, status: 'failed', code: 'TRADE_LOST' },
      { tick: 2, n: 0, status: 'filled' },
    ])
  })

  it('does nothing for a worker that lost its lease', async () => {
    const world = openTickWorld(db)
    const id = await world.addAgent()
    const other = world.another()
    let takenOver = false
    world.state.brain = async (request) => {
      if (!takenOver) {
        takenOver = true
        // The worker sleeps past its lease; another one ticks meanwhile.
        world.clock.ms += LEASE_MS + 1
        await other.drain()
      }
      return decisionOf(orderOf('ETH/USDG', 'buy', 10 + request.tick))
    }
    await world.drain()
    expect((await world.agentRow(id)).tick).toBe(1)
    expect(await world.ordersOf(id)).toMatchObject([{ tick: 1, n: 0, status: 'filled' }])
    expect(world.state.decisions.filter(({ agent }) => agent === id)).toHaveLength(2)
    const logs = await world.logsOf(id)
    expect(logs.map(({ kind }) => kind)).toEqual(['decision', 'trade'])
  })

  it('does not take over its own ticks after a late renewal', async () => {
    const world = openTickWorld(db)
    const id = await world.addAgent()
    world.state.brain = async () => {
      world.clock.ms += LEASE_MS + 1
      // Each scheduling round first reads three queue lengths; after two full rounds the tick is still
      // leased.
      const { texts, end } = queriesOf(world)
      await until(() => texts.filter((text) => /count\(\*\).*pgboss/is.test(text)).length >= 9)
      end()
      return decisionOf(orderOf('ETH/USDG', 'buy', 10))
    }
    await world.drain()
    expect(world.state.decisions.filter(({ agent }) => agent === id)).toHaveLength(1)
    expect(await world.ordersOf(id)).toMatchObject([{ tick: 1, status: 'filled' }])
  })

  it('keeps a limited number of decisions, and all trades of an agent', async () => {
    const world = openTickWorld(db)
    const id = await world.addAgent()
    await db.query(
      `insert into hosted_logs (agent_id, tick, at_ms, kind)
       select $1, n, n, case when n % 2 = 0 then 'decision' else 'trade' end
       from generate_series(1, $2) as n`,
      [id, KEPT_ROWS + 200],
    )
    await thinLogs(db, id, 99)
    const count = async () => (await world.logsOf(id)).length
    expect(await count()).toBe(KEPT_ROWS + 200)
    await thinLogs(db, id, 100)
    expect(await count()).toBeLessThanOrEqual(KEPT_ROWS + 101)
    expect((await world.logsOf(id)).filter(({ kind }) => kind === 'trade')).toHaveLength(KEPT_ROWS / 2 + 100)
  })

  it('does not trade if the owner changed or paused the agent during its decision', async () => {
    const world = openTickWorld(db)
    const id = await world.addAgent()
    world.state.brain = async () => {
      await db.query(`update hosted_agents set status = 'paused', revision = revision + 1 where id = $1`, [
        id,
      ])
      return decisionOf(orderOf('ETH/USDG', 'buy', 10))
    }
    await world.drain()
    expect(await world.ordersOf(id)).toEqual([])
    expect((await world.logsOf(id)).at(-1)).toMatchObject({ kind: 'hold', code: 'CHANGED' })
    expect(await world.agentRow(id)).toMatchObject({ tick: 1, brain_state: null, lease_by: null })
  })

  it('does not tick while the kill switch is on', async () => {
    const world = openTickWorld(db)
    world.state.killed = true
    const id = await world.addAgent()
    await world.drain()
    expect(world.state.decisions.filter(({ agent }) => agent === id)).toEqual([])
    expect(await world.logsOf(id)).toMatchObject([{ kind: 'hold', code: 'KILLED', tick: 1 }])
  })

  it('holds orders that exceed the agent’s limits, with the limit’s code', async () => {
    const world = openTickWorld(db)
    const limits = {
      maxTradeMicroUsd: 100n * USD,
      maxDayMicroUsd: 250n * USD,
      maxPositionMicroUsd: 200n * USD,
    }
    const id = await world.addAgent({ limits })
    world.state.brain = () =>
      decisionOf(
        orderOf('ETH/USDG', 'buy', 101),
        orderOf('ETH/USDG', 'buy', 0.5),
        orderOf('cbBTC/USDG', 'buy', 10),
        orderOf('ETH/USDG', 'sell', 10),
        orderOf('ETH/USDG', 'buy', 100),
        orderOf('ETH/USDG', 'buy', 100),
        orderOf('ETH/USDG', 'buy', 60),
      )
    await world.drain()
    const held = (await world.logsOf(id)).filter(({ kind }) => kind === 'hold').map(({ code }) => code)
    expect(held).toEqual(['MAX_TRADE', 'MIN_NOTIONAL', 'PAIR', 'NOTHING_TO_SELL', 'MAX_DAY'])
    expect(await world.ordersOf(id)).toMatchObject([
      { n: 4, status: 'filled' },
      { n: 5, status: 'filled' },
    ])
    // The daily limit is rolling, and the position limit counts current holdings.
    world.state.brain = () => decisionOf(orderOf('ETH/USDG', 'buy', 40), orderOf('ETH/USDG', 'buy', 60))
    world.clock.ms = (await world.agentRow(id)).next_tick_ms!
    await world.drain()
    expect((await world.logsOf(id)).slice(-2).map(({ code }) => code)).toEqual(['MAX_POSITION', 'MAX_DAY'])
    // A sale larger than the holding sells the holding.
    world.state.brain = () => decisionOf(orderOf('ETH/USDG', 'sell', 100))
    world.clock.ms += 25 * 3_600_000
    await world.drain()
    world.clock.ms = (await world.agentRow(id)).next_tick_ms!
    await world.drain()
    const book = (await world.paper.bookNow([(await world.agentRow(id)).book_id])).values().next().value!
    expect(book.balances.map(({ symbol }) => symbol)).toEqual(['USDG'])
  })

  it('holds an order that a plan would refuse, with the same code', async () => {
    const world = openTickWorld(db)
    const id = await world.addAgent({ usd: 20 })
    world.state.brain = () => decisionOf(orderOf('ETH/USDG', 'buy', 20))
    await world.drain()
    expect(await world.ordersOf(id)).toMatchObject([{ status: 'held', code: 'SIMULATION_FAILED' }])
    expect((await world.logsOf(id)).at(-1)).toMatchObject({ kind: 'hold', code: 'SIMULATION_FAILED' })
    const { dayUseOf } = await import('./orders.ts')
    expect((await dayUseOf(db, [id], world.clock.ms)).get(id)).toBeUndefined()
  })

  it('trades a practice entrant’s season book only against USDG, and holds if the league does', async () => {
    const world = openTickWorld(db)
    const bookId = await world.paper.openBook(db, {
      owner: `practice:1:${Math.random()}`,
      startMicroUsd: 500n * USD,
      atS: 0,
    })
    world.state.gate = { bookId }
    const id = await world.addAgent({ pairs: ['ETH/USDG', 'USDG/ETH'] })
    world.state.brain = () => decisionOf(orderOf('USDG/ETH', 'buy', 5), orderOf('ETH/USDG', 'buy', 5))
    await world.drain()
    expect((await world.logsOf(id)).map(({ code }) => code)).toEqual([null, 'LEAGUE_PAIR', null])
    expect((await world.paper.fillsOf(bookId, { limit: 5 })).length).toBe(1)
    expect((await world.paper.fillsOf((await world.agentRow(id)).book_id, { limit: 5 })).length).toBe(0)
    world.state.gate = { hold: 'SEASON_CLOSED', message: 'No season is open.' }
    world.clock.ms = (await world.agentRow(id)).next_tick_ms!
    await world.drain()
    expect((await world.logsOf(id)).at(-1)).toMatchObject({ kind: 'hold', code: 'SEASON_CLOSED' })
  })

  it('logs a brain’s holds and errors, and pauses after too many errors in a row', async () => {
    const world = openTickWorld(db)
    const id = await world.addAgent()
    world.state.brain = () => ({ kind: 'hold', code: 'AI_BUDGET', message: 'Spent.', data: { left_usd: 0 } })
    await world.drain()
    expect((await world.logsOf(id)).at(-1)).toMatchObject({ kind: 'hold', code: 'AI_BUDGET', tick: 1 })
    world.state.brain = () => Promise.reject(new Error('broken'))
    for (let i = 0; i < 20; i++) {
      expect((await world.agentRow(id)).status).toBe('active')
      world.clock.ms = (await world.agentRow(id)).next_tick_ms!
      await world.drain()
    }
    const row = await world.agentRow(id)
    expect(row).toMatchObject({ status: 'paused', pause_reason: { code: 'ERRORS' }, lease_by: null })
    expect((await world.logsOf(id)).at(-1)).toMatchObject({ kind: 'state', code: 'ERRORS' })
  })

  it('stores any text of a brain, and holds orders for foreign pairs', async () => {
    const world = openTickWorld(db)
    const id = await world.addAgent()
    const awful = `a\0b\ud800 ${'x'.repeat(100_000)}`
    world.state.brain = () => ({
      kind: 'decision',
      decision: {
        orders: [{ ...orderOf(awful, 'buy', 5), reason: awful }, orderOf('ETH/USDG', 'buy', 5)],
        reason: awful,
        state: { [awful]: awful },
      },
      data: { raw: Array.from({ length: 50 }, () => awful) },
    })
    await world.drain()
    expect((await world.logsOf(id)).map(({ kind, code }) => [kind, code])).toEqual([
      ['decision', null],
      ['hold', 'PAIR'],
      ['trade', null],
    ])
    expect((await world.agentRow(id)).tick).toBe(1)
  })

  it('holds for an owner on the sanctions list', async () => {
    const world = openTickWorld(db)
    const id = await world.addAgent()
    world.state.sanctioned = WALLET
    await world.drain()
    expect(await world.logsOf(id)).toMatchObject([{ kind: 'hold', code: 'SANCTIONED' }])
    expect(world.state.decisions.filter(({ agent }) => agent === id)).toEqual([])
  })

  it('runs quick ticks while slow ones wait', async () => {
    const world = openTickWorld(db, { concurrency: 2 })
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    world.state.brain = async ({ agent }) => {
      if (agent.brain === 'webhook') await held
      return decisionOf()
    }
    // One agent per owner, and more than fit in the queue.
    const walletOf = (n: number) => `0x${(n + 1).toString(16).padStart(40, 'c')}` as const
    const slow = await Promise.all(
      Array.from({ length: 70 }, (_, n) => world.addAgent({ brain: 'webhook', wallet: walletOf(n) })),
    )
    const ticking = world.drain()
    const quick = await Promise.all(Array.from({ length: 30 }, () => world.addAgent()))
    const ticks = async (ids: readonly string[]) =>
      (await Promise.all(ids.map(async (id) => (await world.agentRow(id)).tick))).filter((tick) => tick > 0)
        .length
    await vi.waitFor(async () => expect(await ticks(quick)).toBe(30), { timeout: 30_000, interval: 100 })
    expect(await ticks(slow)).toBe(0)
    letGo()
    await ticking
    expect(await ticks(slow)).toBe(70)
  }, 180_000)

  it('reads the marks of a minute once for all agents', async () => {
    const world = openTickWorld(db)
    const minuteS = Math.floor(world.clock.ms / 60_000) * 60
    await db.query(
      `insert into marks (token, minute_s, price_e18, source, block, updated_at_s, stale)
       select $1, $2 - 60 * n, 2500000000000000000000 - n::numeric * 1000000000000000000, 'oracle_feed', 1,
       1, false
       from generate_series(0, 99) as n on conflict do nothing`,
      ['0x0000000000000000000000000000000000000000', minuteS],
    )
    const params = { lookback_s: 3_600, threshold_bps: 50, exit_bps: 25, usd: 25, exit: 'all', cooldown_s: 0 }
    const ids = await Promise.all(
      Array.from({ length: 5 }, () => world.addAgent({ brain: 'momentum', params })),
    )
    const { texts, end } = queriesOf(world)
    await world.drain()
    end()
    expect(texts.filter((text) => text.includes('join marks'))).toHaveLength(1)
    for (const id of ids)
      expect(await world.ordersOf(id)).toMatchObject([{ status: 'filled', micro_usd: 25_000_000 }])
  })
})
