import { keepFalls } from '@pit/agents/internal/paper/store'
import { SUMMED_AFTER_S } from '@pit/agents/internal/show/sumTrades'
import { withDb } from '@pit/platform/test/withStore'
import { beforeEach, describe, expect, it } from 'vitest'
import { emptyHosted, type HostedWorld, openHostedWorld } from '../../test/hostedWorld.ts'
import { refused, WHO } from '../../test/sessionWorld.ts'
import { describeStanding } from './describeAgent.ts'

withDb('views of hosted agents', (db) => {
  let world: HostedWorld
  beforeEach(async () => {
    await emptyHosted(db)
    world = openHostedWorld(db)
  })

  it('are part of me/sessions', async () => {
    const agent = await world.running({ name: 'mine' })
    expect((await world.hosted.standing(WHO.owner)).map(describeStanding)).toEqual([
      {
        id: agent.id,
        name: 'mine',
        status: 'active',
        strategy: 'dca',
        mode: 'live',
        live: true,
        trading: true,
        pairs: ['ETH/USDG'],
        session_id: agent.session_id,
        pause_reason: null,
      },
    ])
    expect(await world.hosted.standing(WHO.stranger)).toEqual([])
    expect(await world.hosted.agentOf(agent.id)).toMatchObject({ id: agent.id, wallet: WHO.owner })
    expect(await world.hosted.agentOf('agt_none')).toBeNull()
  })

  it('show equity over time to the owner, in the range asked for', async () => {
    const nowS = world.nowS()
    const append = (series: string, atS: number, value: number, [stepS, chunkS]: [number, number]) =>
      db.query(`insert into history_points values ($1, $2, $3, array[$4::int4], array[$5::int8])`, [
        ...[stepS, atS - (atS % chunkS), series, atS % chunkS, value],
      ])
    const agent = await world.create()
    const { bookId } = (await world.hosted.agentOf(agent.id)) as unknown as { bookId: number }
    // Minutes older than a day have become hours.
    await append(`book:${bookId}`, nowS - 30 * 3_600, 1_000_000_000, [3_600, 86_400])
    await append(`book:${bookId}`, nowS - 2 * 3_600, 1_000_500_000, [60, 3_600])
    const history = async (range: string) => {
      const { pnl } = await world.call('hosted.get', { params: { id: agent.id }, query: { range } })
      return pnl?.history?.map(([, usd]) => usd)
    }
    expect(await history('day')).toEqual([1_000.5])
    expect(await history('month')).toEqual([1_000, 1_000.5])
    expect((await world.list())[0]!.pnl).not.toHaveProperty('history')
    expect(
      await refused(world.call('hosted.get', { params: { id: agent.id }, role: 'stranger' })),
    ).toMatchObject({
      status: 403,
    })
  })

  describe('holds of its next tick', () => {
    const HELD = {
      code: 'MAX_POSITION',
      message: '2,500 USD of ETH are held; the limit is 500 USD.',
      pair: 'ETH/USDG',
      side: 'buy' as const,
    }

    it('are in every answer about one agent, from its creation on, and leave `trading` alone', async () => {
      world.state.nextHolds = async () => [HELD]
      const held = { next_tick_holds: [HELD] }
      const agent = await world.live()
      expect(agent).toMatchObject(held)
      expect(await world.attach(agent, await world.grantTo(agent))).toMatchObject(held)
      expect(await world.update(agent, { live: true })).toMatchObject({
        ...held,
        trading: true,
        watch: { holds: [] },
      })
      expect(await world.get(agent)).toMatchObject(held)
      expect(await world.pause(agent)).toMatchObject(held)
      expect((await world.list())[0]).not.toHaveProperty('next_tick_holds')
    })

    it('name what keeps a model from being asked', async () => {
      const agent = await world.create({ brain: 'partner_llm', params: {}, interval_s: 300 })
      expect((await world.get(agent)).next_tick_holds).toMatchObject([{ code: 'AI_OFF' }])
    })

    it.each<[string, () => Promise<never>]>([
      ['fail', () => Promise.reject(new Error('the chain does not answer'))],
      ['take too long', () => new Promise(() => {})],
    ])('are null if their reads %s, and the agent is paused all the same', async (_, read) => {
      const agent = await world.running()
      world.state.nextHolds = read
      expect(await world.pause(agent)).toMatchObject({ status: 'paused', next_tick_holds: null })
    })

    it('are not computed once it is stopped', async () => {
      const agent = await world.running()
      world.state.nextHolds = () => Promise.reject(new Error('unexpected'))
      await world.stop(agent)
      world.state.nextHolds = async () => [HELD]
      expect(await world.get(agent)).toMatchObject({ watch: null, next_tick_holds: null })
    })
  })

  it('lists twenty with as many reads as one', async () => {
    await world.running()
    await world.create()
    let reads = 0
    const counting: typeof db.query = (text, values) => {
      reads += 1
      return db.query(text, values)
    }
    world.deps.db = { ...db, query: counting }
    await world.list()
    const few = reads
    for (let i = 0; i < 5; i++) await world.create()
    await world.running()
    reads = 0
    expect(await world.list()).toHaveLength(8)
    expect(reads).toBe(few)
  })

  describe('its log', () => {
    it('is paged newest first, by kinds', async () => {
      const agent = await world.create()
      for (let i = 0; i < 5; i++) await world.update(agent, { name: `n${i}` })
      const first = await world.logs(agent, { limit: 4 })
      expect(first.rows).toHaveLength(4)
      expect(first.next_before).toBe(first.rows[3]!.id)
      const second = await world.logs(agent, { limit: 4, before: first.next_before })
      expect(second).toMatchObject({ rows: [{ code: 'UPDATED' }, { code: 'CREATED' }], next_before: null })
      expect((await world.logs(agent, { kinds: 'trade,session' })).rows).toEqual([])
      expect((await world.logs(agent, { kinds: 'state' })).rows).toHaveLength(6)
      expect(await refused(world.logs(agent, { kinds: 'state,moods' }))).toMatchObject({
        code: 'BAD_REQUEST',
        extras: { field: 'kinds' },
      })
    })

    it('is kept for a month', async () => {
      const agent = await world.create()
      world.clock.aheadS = 30 * 86_400 - 1
      await world.hosted.sweep()
      expect((await world.logs(agent)).rows).toHaveLength(1)
      world.clock.aheadS += 2
      await world.hosted.sweep()
      expect((await world.logs(agent)).rows).toHaveLength(0)
    })
  })

  it('has no fall to show from a book that was worth nothing', async () => {
    const agent = await world.create()
    const worth = async (microUsd: bigint) => {
      const [book] = await db.query<{ book_id: number }>('select book_id from hosted_agents where id = $1', [
        agent.id,
      ])
      await keepFalls(db, [{ bookId: book!.book_id, microUsd }])
    }
    await worth(0n)
    expect((await world.get(agent)).pnl).toMatchObject({ max_drawdown_usd: 0, max_drawdown_pct: null })
    for (const microUsd of [8_000_000n, 6_000_000n, 9_000_000n, 8_500_000n]) await worth(microUsd)
    expect((await world.get(agent)).pnl).toMatchObject({ max_drawdown_usd: 2, max_drawdown_pct: 25 })
  })

  it('counts live trades over all its sessions and executors, and no others', async () => {
    const agent = await world.running({ pairs: ['ETH/USDG'] })
    const other = await world.running()
    const trade = async (sessionId: string, n: number, status: string, path = 'hosted') => {
      const [row] = await db.query<{ id: number }>(
        `insert into trades (kind, wallet, key_id, path, session_id, status, token_in, token_out, amount_in,
           amount_out, tx_hash, volume_micro_usd, created_at_ms)
         values ('swap', $1, 1, $2, $3, $4, $5, $6, 5000000, 2100000000000000, $7, 5000000, $8) returning id`,
        [
          WHO.owner,
          path,
          sessionId,
          status,
          agent.tokens[1]!['address'],
          agent.tokens[0]!['address'],
          `0x${n.toString(16).padStart(64, '0')}`,
          world.nowS() * 1_000 + n,
        ],
      )
      return row!.id
    }
    const id = await trade(agent.session_id!, 1, 'mined')
    await db.query(
      `insert into fees (trade_id, token, atoms, side, bps, class, recipient, tx_hash, block, block_time_s,
       week_start_s)
       values ($1, $2, 12500, 'input', 25, 'major', 'r', 'h', 1, 1, 1)`,
      [id, agent.tokens[1]!.address],
    )
    await trade(agent.session_id!, 2, 'reverted')
    await trade(agent.session_id!, 3, 'mined', 'session')
    await trade(other.session_id!, 4, 'pending')
    const rotated = await world.rotate(agent)
    await world.attach(agent, await world.grantTo(rotated))
    const next = await world.update(agent, { live: true })
    await trade(next.session_id!, 5, 'mined')
    const shown = await world.list()
    const [first, second] = [agent, other].map(({ id }) => shown.find((one) => one.id === id))
    expect(first).toMatchObject({
      id: agent.id,
      live_stats: {
        mined: 2,
        reverted: 1,
        pending: 0,
        volume_usd: 10,
        fees: [{ token: agent.tokens[1]!.address, amount_atoms: '12500' }],
      },
      // 0.0042 ETH at 2,500 less ten dollars.
      pnl: { profit_usd: 0.5, unpriced: [] },
    })
    expect(second).toMatchObject({ id: other.id, live_stats: { mined: 0, pending: 1 }, pnl: null })
  })

  it('shows the same before and after its trades were summed, and reads only the newest', async () => {
    const agent = await world.running()
    const [eth, usdg] = agent.tokens.map((token) => token['address'])
    const startS = world.nowS()
    const trades = async (from: number, count: number, over: object = {}) => {
      const fields = { status: 'mined', settled: true, volume_token: usdg, volume: 5_000_000, ...over }
      await db.query(
        `with made as (
           insert into trades (kind, wallet, key_id, path, session_id, status, token_in, token_out, amount_in,
             amount_out, tx_hash, volume_token, volume_micro_usd, created_at_ms, mined_at_s, settled)
           select 'swap', $1, 1, 'hosted', $2, $3, case when n % 2 = 0 then $4 else $5 end,
             case when n % 2 = 0 then $5 else $4 end, 1000000 + n, 7000 + n,
             '0x' || lpad(to_hex(n), 64, '0'), $6, $7::numeric, $8::int8 * 1000 + n, $8, $9
           from generate_series($10::int4, $11::int4) as n returning id, token_in, status)
         insert into fees (trade_id, token, atoms, side, bps, class, recipient, tx_hash, block, block_time_s,
           week_start_s)
         select id, token_in, 25, 'input', 25, 'major', 'r', 'h', 1, 1, 1 from made where status = 'mined'`,
        [
          WHO.owner,
          agent.session_id,
          fields.status,
          usdg,
          eth,
          fields.volume_token,
          fields.volume,
          startS,
          fields.settled,
          from,
          from + count - 1,
        ],
      )
    }
    await trades(1, 1_200)
    await trades(2_001, 3, { status: 'reverted', volume: null })
    await trades(3_001, 2, { settled: false })
    await trades(3_011, 1, { volume: null })
    await trades(3_021, 1, { status: 'dropped', volume: null })
    await trades(3_031, 1, { status: 'dropped', volume: null, settled: false })
    const results = async () => {
      const [shown] = await world.list()
      return { pnl: shown!.pnl, live_stats: shown!.live_stats }
    }
    const unsummed = async () => {
      const [row] = await db.query<{ n: number }>('select count(*)::int4 as n from trades where not summed')
      return row!.n
    }
    const before = await results()
    expect(before.live_stats).toMatchObject({ mined: 1_203, reverted: 3, dropped: 2, volume_usd: 6_010 })
    await world.hosted.sweep()
    expect(await unsummed()).toBe(1_208)

    world.clock.aheadS += SUMMED_AFTER_S + 10
    await Promise.all([world.hosted.sweep(), world.hosted.sweep()])
    // Trades that may still change are excluded: not settled, not valued, given up and still searched for.
    expect(await unsummed()).toBe(4)
    expect(await results()).toEqual(before)
    await world.hosted.sweep()
    expect(await results()).toEqual(before)

    // Later ones are added, and summed in turn.
    await trades(4_001, 10)
    await db.query('update trades set settled = true, volume_micro_usd = 5000000 where status = $1', [
      'mined',
    ])
    const after = await results()
    expect(after.live_stats).toMatchObject({ mined: 1_213, volume_usd: 6_065 })
    await world.hosted.sweep()
    expect(await unsummed()).toBe(1)
    expect(await results()).toEqual(after)
    expect((await db.query('select * from hosted_trade_sums')).length).toBe(5)
  })
})
