import { withDb } from '@pit/platform/test/withStore'
import { refusal } from '@pit/protocol'
import { createCosigner } from '@pit/sessions/internal/cosigner'
import { settleLost } from '@pit/sessions/internal/jobs'
import { dropAnswers } from '@pit/sessions/internal/trade/clientIdTrades'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  codeOf,
  emptySessions,
  openSessionWorld,
  refused,
  type SessionWorld,
} from '../../test/sessionWorld.ts'

withDb('spending of a session', (db, store) => {
  let world: SessionWorld
  beforeEach(async () => {
    await emptySessions(db)
    world = openSessionWorld(db)
    world.settleWallet()
  })
  /** Each session's stored count must equal that of its rows. */
  afterEach(async () => {
    const wrong = await db.query(
      `select s.id from sessions s left join session_counts c on c.session_id = s.id
       where coalesce(c.trades, 0) <> (select count(*) from session_trades t where t.session_id = s.id)`,
    )
    expect(wrong).toEqual([])
  })
  const used = async () => (await world.post('me.sessions', 'owner')).sessions[0]?.used

  it('ends with its number of trades', async () => {
    const session = await world.grant({ max_trades: 2 })
    await world.trade(session)
    await world.trade(session)
    expect(await codeOf(world.trade(session))).toBe('SESSION_TRADES_LEFT')
  })

  it('ends with its dollars of 24 hours, and renews a day later', async () => {
    const session = await world.grant({ max_trade_usd: 5, max_day_usd: 12, expires_in_s: 10 * 86_400 })
    await world.trade(session)
    world.clock.aheadS = 3_600
    await world.trade(session)
    expect(await refused(world.trade(session, { notional_usd: 3 }))).toMatchObject({
      code: 'SESSION_MAX_DAY',
    })
    expect(await world.trade(session, { notional_usd: 2 })).toMatchObject({ ready: true })
    // A day, plus the remaining lifetime of the last leaf.
    world.clock.aheadS = 86_400 + 120
    expect(await used()).toMatchObject({ trades: 3, last_24h_usd: 10, remaining_24h_usd: 2 })
    expect(await world.trade(session, { notional_usd: 2 })).toMatchObject({ ready: true })
  })

  it('counts the co-signer’s dollars, not the service’s', async () => {
    const session = await world.grant()
    world.signer.value = 5_010_000
    await world.trade(session)
    expect(await used()).toMatchObject({ last_24h_usd: 5.01, remaining_24h_usd: 94.99 })
  })

  it('never exceeds a cap under concurrency', { timeout: 120_000 }, async () => {
    for (const [terms, fits] of [
      [{ max_trade_usd: 5, max_day_usd: 35, max_trades: 50 }, 7],
      [{ max_trade_usd: 5, max_day_usd: 100, max_trades: 3 }, 3],
    ] as const) {
      const session = await world.grant(terms)
      world.signer.requests = []
      // The co-signer is slow: all requests have been checked by then.
      world.signer.beforeLeaf = () => new Promise((resolve) => setTimeout(resolve, 20))
      const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => world.trade(session)))
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(fits)
      expect(world.signer.requests).toHaveLength(fits)
      const codes = new Set(outcomes.flatMap((one) => (one.status === 'rejected' ? one.reason.code : [])))
      expect([...codes]).toEqual([fits === 3 ? 'SESSION_TRADES_LEFT' : 'SESSION_MAX_DAY'])
    }
  })

  it('never exceeds a cap over two processes', { timeout: 120_000 }, async () => {
    const second = await store().openSecond?.()
    // The embedded store has one process.
    if (!second) return
    const session = await world.grant({ max_trade_usd: 5, max_day_usd: 35, max_trades: 50 })
    const other = openSessionWorld(second)
    other.settleWallet()
    other.signer.roots = world.signer.roots
    const slow = () => new Promise<void>((resolve) => setTimeout(resolve, 20))
    world.signer.beforeLeaf = slow
    other.signer.beforeLeaf = slow
    const ask = (times: number) =>
      Promise.allSettled(Array.from({ length: times }, (_, i) => (i % 2 ? world : other).trade(session)))
    const passed = async (times: number) =>
      (await ask(times)).filter(({ status }) => status === 'fulfilled').length
    expect(await passed(6)).toBe(6)
    expect(await passed(40)).toBe(1)
    expect(world.signer.requests.length + other.signer.requests.length).toBe(7)
    expect(other.signer.requests.length).toBeGreaterThanOrEqual(3)
  })

  describe('by a trade with a client_id', () => {
    const named = { client_id: 'trade-1' }
    /** Another process on the same store and co-signer. */
    const beside = (on = db): SessionWorld => {
      const other = openSessionWorld(on)
      other.settleWallet()
      other.signer.roots = world.signer.roots
      other.clock.aheadS = world.clock.aheadS
      return other
    }

    it('counts once, and returns the same response again', async () => {
      const session = await world.grant()
      const first = await world.trade(session, named)
      expect(first).toMatchObject({ ready: true, leaf: { sequence: 1 } })
      expect(await world.trade(session, named)).toEqual(first)
      expect(await beside().trade(session, named)).toEqual(first)
      expect(world.signer.requests).toMatchObject([{ client_id: 'trade-1' }])
      expect(await used()).toMatchObject({ trades: 1, last_24h_usd: 5 })
      for (const other of [{ notional_usd: 6 }, { notional_usd: 1e300 }, { slippage_bps: 10 }]) {
        expect(await refused(world.trade(session, { ...named, ...other }))).toMatchObject({
          code: 'BAD_REQUEST',
          status: 400,
          extras: { field: 'client_id' },
        })
      }
      expect(await world.trade(await world.grant(), named), 'of another session').toMatchObject({
        ready: true,
      })
      expect(await world.trade(session, { client_id: 'trade-2' })).toMatchObject({ leaf: { sequence: 2 } })
    })

    it('counts once if its response is lost, or the process ends before it responds', async () => {
      const session = await world.grant()
      world.signer.loses = true
      expect(await refused(world.trade(session, named))).toMatchObject({
        code: 'SIGNER_UNAVAILABLE',
        message: expect.stringContaining('same client_id'),
      })
      world.signer.loses = false
      const ends = vi.spyOn(world.seen.simulated, 'push').mockImplementationOnce(() => {
        throw new Error('the process ended')
      })
      await expect(world.trade(session, named)).rejects.toThrow('the process ended')
      ends.mockRestore()
      const after = beside()
      const answer = await after.trade(session, named)
      expect(answer).toMatchObject({ ready: true, leaf: { sequence: 1 }, spend: { trades: 1 } })
      expect(after.seen.plans[0]?.plan.steps[0]?.tx).toMatchObject({ data: answer.tx?.data })
      expect(await world.trade(session, named)).toEqual(answer)
      expect(await used()).toMatchObject({ trades: 1, last_24h_usd: 5 })
    })

    it('counts once under concurrency, over two processes', { timeout: 120_000 }, async () => {
      const second = (await store().openSecond?.()) ?? db
      const session = await world.grant()
      const other = beside(second)
      const slow = () => new Promise<void>((resolve) => setTimeout(resolve, 20))
      world.signer.beforeLeaf = slow
      other.signer.beforeLeaf = slow
      for (const client_id of ['a', 'b', 'c']) {
        const answers = await Promise.all(
          Array.from({ length: 12 }, (_, i) => (i % 2 ? world : other).trade(session, { client_id })),
        )
        for (const answer of answers) expect(answer).toEqual(answers[0])
      }
      expect(world.signer.roots.get(session.rootHash)?.leaves).toHaveLength(3)
      expect(await used()).toMatchObject({ trades: 3, last_24h_usd: 15 })
    })

    it('is free again if the co-signer refused it', async () => {
      const session = await world.grant()
      world.signer.beforeLeaf = () => {
        throw refusal('PRICE_UNAVAILABLE')
      }
      const both = [world.trade(session, named), world.trade(session, named)].map(codeOf)
      expect(await Promise.all(both)).toEqual(['PRICE_UNAVAILABLE', 'PRICE_UNAVAILABLE'])
      world.signer.beforeLeaf = () => {}
      expect(await world.trade(session, named)).toMatchObject({ ready: true, spend: { trades: 1 } })
      expect(await used()).toMatchObject({ trades: 1 })
    })

    it('is planned again once no process can still be signing the refused one', async () => {
      const session = await world.grant()
      world.signer.loses = true
      await codeOf(world.trade(session, named))
      world.signer.loses = false
      // It never reached the co-signer, which would refuse the plan by now.
      world.signer.roots.get(session.rootHash)!.leaves = []
      const calldatas: string[] = []
      world.signer.beforeLeaf = ({ execution }) => {
        calldatas.push(execution.data)
        if (execution.data !== calldatas[0]) return
        throw refusal('REFUSED', { signer_checks: [{ rule: 'PRICE', ok: false, message: 'too little' }] })
      }
      world.clock.aheadS = 30
      expect(await codeOf(world.trade(session, named))).toBe('REFUSED')
      world.clock.aheadS = 41
      expect(await world.trade(session, named)).toMatchObject({ ready: true, leaf: { sequence: 1 } })
      expect(calldatas).toHaveLength(3)
      expect(await used()).toMatchObject({ trades: 1 })
    })

    it('counts again if it was considered lost and is signed after all', async () => {
      const session = await world.grant()
      world.signer.loses = true
      await codeOf(world.trade(session, named))
      world.signer.loses = false
      world.signer.beforeLeaf = async () => void (await db.query('delete from session_trades'))
      expect(await world.trade(session, named)).toMatchObject({ ready: true, leaf: { sequence: 1 } })
      expect(await used()).toMatchObject({ trades: 1, last_24h_usd: 5 })
      expect(await world.trade(session, named)).toMatchObject({ ready: true, leaf: { sequence: 1 } })
    })

    it('can be relayed by either party’s key', async () => {
      const session = await world.grant()
      const answer = await world.trade(session, named, 'executor')
      expect(await world.trade(session, named, 'owner')).toEqual(answer)
      const keys = new Set(world.seen.plans.map(({ keyId }) => keyId))
      expect(keys).toEqual(
        new Set(['executor', 'owner'].map((role) => world.traderOf(role as 'owner').keyId)),
      )
      expect(new Set(world.seen.plans.map(({ plan }) => plan.steps[0]?.tx?.data)).size).toBe(1)
      expect(await used()).toMatchObject({ trades: 1 })
    })

    it('asks to look it up once its leaf has expired, or its response is gone', async () => {
      const session = await world.grant()
      const answer = await world.trade(session, named)
      world.clock.aheadS = 121
      const late = await world.trade(session, named)
      expect(late).toMatchObject({ ready: false, tx: answer.tx, leaf: answer.leaf })
      expect(late.checks.at(-1)).toMatchObject({
        code: 'COSIGNED',
        ok: false,
        message: expect.stringContaining('me/trades'),
      })
      await dropAnswers(db, world.clock.nowMs(), 100)
      expect(await refused(world.trade(session, named))).toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining('me/trades'),
        extras: { field: 'client_id' },
      })
      expect(await used()).toMatchObject({ trades: 1 })
    })

    it('is not returned once the session was revoked', async () => {
      const session = await world.grant()
      await world.trade(session, named)
      await world.post('live.session.revoke', 'owner', { session_id: session.id, reset_code: false })
      expect(await codeOf(world.trade(session, named))).toBe('SESSION_REVOKED')
    })

    it('that was lost and settled is still the same', async () => {
      const session = await world.grant()
      world.signer.loses = true
      await codeOf(world.trade(session, named))
      world.signer.loses = false
      world.clock.aheadS = 61
      await settle()
      expect(await world.trade(session, named)).toMatchObject({ leaf: { sequence: 1 }, spend: { trades: 1 } })
      expect(await used()).toMatchObject({ trades: 1 })
    })
  })

  const settle = () =>
    settleLost({
      ...world.options,
      cosigner: createCosigner({ client: world.signer, pinned: null, logger: world.options.logger }),
    })

  describe('when a response is lost', () => {
    it('counts until the co-signer’s ledger is read, and then as that says', async () => {
      const session = await world.grant({ max_trade_usd: 5, max_day_usd: 15 })
      world.signer.loses = true
      expect(await codeOf(world.trade(session))).toBe('SIGNER_UNAVAILABLE')
      world.signer.loses = false
      // This one never reached it: a process that ended in between left its row behind.
      await db.query(
        `insert into session_trades (session_id, status, micro_usd, created_at_ms)
         values ($1, 'asked', 5000000, $2)`,
        [session.id, world.clock.nowMs() + 1],
      )
      await world.trade(session)
      expect(await used()).toMatchObject({ trades: 3, remaining_24h_usd: 0 })
      expect(await codeOf(world.trade(session))).toBe('SESSION_MAX_DAY')
      await settle()
      expect(await used(), 'too young to tell').toMatchObject({ trades: 3 })
      world.clock.aheadS = 120
      await settle()
      expect(await used()).toMatchObject({ trades: 2, remaining_24h_usd: 5 })
      expect(await db.query(`select id from session_trades where status = 'asked'`)).toEqual([])
      expect(await world.trade(session)).toMatchObject({ ready: true })
    })

    it('counts if the co-signer’s store failed in the middle', async () => {
      const session = await world.grant()
      world.signer.beforeLeaf = () => {
        throw refusal('ENGINE_UNAVAILABLE')
      }
      expect(await codeOf(world.trade(session))).toBe('SIGNER_UNAVAILABLE')
      expect(await used()).toMatchObject({ trades: 1 })
      world.signer.beforeLeaf = () => {
        throw refusal('BUSY')
      }
      expect(await codeOf(world.trade(session))).toBe('BUSY')
      expect(await used()).toMatchObject({ trades: 1 })
    })

    it('ignores a count that is older than the last trade', async () => {
      const session = await world.grant()
      world.signer.loses = true
      await codeOf(world.trade(session))
      world.signer.loses = false
      world.clock.aheadS = 120
      const { root } = world.signer
      world.signer.root = async (hash) => {
        // Another trade is signed between the read and its response.
        const stale = { ...(await root(hash)), sequence: 0 }
        await world.trade(session)
        return stale
      }
      await settle()
      expect(await used()).toMatchObject({ trades: 2 })
      world.signer.root = root
      await settle()
      expect(await used()).toMatchObject({ trades: 2 })
      expect(await db.query(`select id from session_trades where status = 'asked'`)).toEqual([])
    })

    it('waits for a co-signer that does not answer', async () => {
      const session = await world.grant()
      world.signer.loses = true
      await codeOf(world.trade(session))
      world.clock.aheadS = 120
      world.signer.reachable = false
      await settle()
      expect(await used()).toMatchObject({ trades: 1 })
    })
  })
})
