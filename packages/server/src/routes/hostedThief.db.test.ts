import { withDb } from '@pit/platform/test/withStore'
import { checkRefusal, toEnvelope } from '@pit/protocol'
import { MEME } from '@pit/trading/test/tradeFixtures'
import { beforeEach, describe, expect, it } from 'vitest'
import { emptyHosted, type HostedWorld, openHostedWorld } from '../../test/hostedWorld.ts'
import { codeOf, refused, WHO } from '../../test/sessionWorld.ts'

const THIN = `${MEME.address}/USDG`
const WIDE = { tokens: ['ETH', 'USDG', MEME.address] }
/** The result of `running`, by name. */
const SAME = { brain: 'dca', params: { usd: 5 }, interval_s: 60, pairs: ['ETH/USDG'] }
const WEBHOOK = { brain: 'webhook', params: { url: 'https://thief.example' } }

/** All calls use the owner's API key, which was stolen. The wallet's key was not. */
withDb('a stolen key and a live agent', (db) => {
  let world: HostedWorld
  beforeEach(async () => {
    await emptyHosted(db)
    world = openHostedWorld(db)
  })
  /** A live agent whose session would let it trade the thin token too. */
  async function running(over: object = {}) {
    const agent = await world.live(over)
    await world.attach(agent, await world.grantTo(agent, WIDE))
    return world.update(agent, { live: true })
  }

  it('cannot churn a thin token: steering the agent switches it off, and only its owner switches it on', async () => {
    const agent = await running()
    const before = agent.session_id!
    const startedGrant = await world.startGrant(agent, WIDE)
    const changed = await world.update(agent, { ...WEBHOOK, pairs: [THIN] })
    expect(changed).toMatchObject({
      live: false,
      trading: false,
      status: 'paused',
      pause_reason: { code: 'CHANGED', fields: ['brain', 'pairs'] },
      session_id: null,
    })
    const { rows } = await world.logs(agent, { kinds: 'session' })
    expect(rows[0]).toMatchObject({ code: 'DETACHED', data: { session_id: before } })

    expect(await codeOf(world.update(agent, { live: true }))).toBe('NO_SESSION')
    expect(await codeOf(world.resume(agent))).toBe('NO_SESSION')
    const error = await refused(world.attach(agent, before))
    expect(error).toMatchObject({ code: 'BAD_SESSION', extras: { checks: [{ rule: 'granted' }] } })
    expect(error.message).toContain('granted before the agent was last changed')
    // One whose grant was started before the change, and which its owner signs unaware.
    await world.signGrant(startedGrant)
    expect(await refused(world.attach(agent, startedGrant))).toMatchObject({
      extras: { checks: [{ rule: 'granted' }] },
    })
    // Reverting a change is a change like any other.
    await world.update(agent, { brain: 'dca', params: { usd: 5 }, pairs: ['ETH/USDG'] })
    expect(await codeOf(world.attach(agent, before))).toBe('BAD_SESSION')

    // All in one second: a grant after the change counts, whatever the clock shows.
    await world.attach(agent, await world.grantTo(agent, WIDE))
    expect(await world.update(agent, { live: true })).toMatchObject({ trading: true })
  })

  /** Everything the owner and the ticks see of an agent. */
  const stateOf = async (agent: { id: string }) => ({
    shown: await world.get(agent),
    logs: (await world.logs(agent)).rows,
    stored: await db.query('select * from hosted_agents where id = $1', [agent.id]),
  })

  it.each<[object, string[]]>([
    [{ brain: 'grid', params: { levels: 3 } }, ['brain']],
    [{ pairs: [THIN, 'ETH/USDG'] }, ['pairs']],
    [{ limits: { max_trade_usd: 20.000001 } }, ['limits']],
    [{ limits: { max_trade_usd: 5, max_position_usd: 501 } }, ['limits']],
    [{ params: { usd: 5.000001 } }, ['params.usd']],
    [{ params: { usd: 5, side: 'sell' } }, ['params.side']],
    [{ params: { usd: 1, side: 'sell' }, name: 'harmless' }, ['params.side']],
    [{ params: {} }, ['params.usd']],
    [{ interval_s: 59 }, ['interval_s']],
    [{ interval_s: 30, params: { usd: 20 } }, ['interval_s', 'params.usd']],
  ])('a change by %j switches it off, and cannot include live on', async (body, fields) => {
    const agent = await running()
    const before = await stateOf(agent)
    expect(await refused(world.update(agent, { ...body, live: true }))).toMatchObject({
      code: 'BAD_SESSION',
      status: 422,
      message: expect.stringContaining('detaches the attached session'),
      extras: { checks: [{ rule: 'granted' }] },
    })
    expect(await stateOf(agent)).toEqual(before)
    expect(await world.update(agent, body)).toMatchObject({
      detached: { session_id: agent.session_id, fields },
      live: false,
      session_id: null,
      status: 'paused',
      pause_reason: { code: 'CHANGED', fields },
    })
    // Neither reverting nor switching on reattaches the old session.
    await world.update(agent, SAME)
    expect(await codeOf(world.attach(agent, agent.session_id!))).toBe('BAD_SESSION')
    expect(await codeOf(world.update(agent, { live: true }))).toBe('NO_SESSION')
  })

  it.each<[object, string, string]>([
    [{ limits: { max_trade_usd: 26 } }, 'limits.max_trade_usd', 'max_trade'],
    [{ limits: { max_day_usd: 100.5 } }, 'limits.max_day_usd', 'max_day'],
    [{ accept_risks: ['HONEYPOT'] }, 'accept_risks', 'accept_risks'],
    [{ pairs: ['cbBTC/USDG'] }, 'pairs', 'tokens'],
  ])('a change by %j is outside its session, and changes nothing', async (body, field, rule) => {
    const agent = await running()
    const others = { name: 'other', params: { usd: 1 }, interval_s: 600, brain: 'dca' }
    for (const live of [true, false, undefined]) {
      const before = await stateOf(agent)
      const error = await refused(
        world.update(agent, { ...others, ...body, ...(live !== undefined && { live }) }),
      )
      expect(error).toMatchObject({
        code: 'OUTSIDE_SESSION',
        status: 422,
        extras: { field, checks: [{ rule, field, ok: false }] },
      })
      expect(checkRefusal(toEnvelope(error).error)).toEqual({ ok: true })
      expect(await stateOf(agent)).toEqual(before)
    }
    // Its owner ends the session first, or attaches a wider one.
    await world.session.sessions.revokeSession({
      wallet: WHO.owner,
      sessionId: agent.session_id!,
      keyId: null,
    })
    expect(await world.update(agent, body)).toMatchObject({ live: false, session_id: null })
  })

  it('passes limits inside its session with live on, unless they are wider than the agent’s', async () => {
    const agent = await running()
    await world.update(agent, { live: false })
    const narrower = { limits: { max_trade_usd: 10, max_day_usd: 50, max_position_usd: 500 } }
    expect(await world.update(agent, { ...narrower, live: true })).toMatchObject({
      trading: true,
      detached: null,
    })
    expect(await codeOf(world.update(agent, { limits: { max_trade_usd: 25 }, live: true }))).toBe(
      'BAD_SESSION',
    )
  })

  it('compares a wider change with a session only while that is active', async () => {
    const agent = await running()
    const wide = { limits: { max_trade_usd: 26 }, live: true }
    await world.throwSwitch('kill', true)
    expect(await codeOf(world.update(agent, wide))).toBe('KILLED')
    await world.throwSwitch('kill', false)
    world.clock.aheadS = 86_400
    expect(await codeOf(world.update(agent, wide))).toBe('SESSION_NOT_ACTIVE')
  })

  it.each<[object]>([
    [{ name: 'other' }],
    [{ params: { usd: 1 } }],
    [{ params: { usd: 5, total_usd: 100 } }],
    [{ params: { usd: 5, side: 'buy' } }],
    [{ interval_s: 600 }],
    [{ interval_s: 60 }],
    [{ limits: { max_trade_usd: 10, max_day_usd: 50 } }],
    [{ brain: 'dca', pairs: ['ETH/USDG'], limits: { max_trade_usd: 20 }, accept_risks: [] }],
  ])('a change by %j is allowed', async (body) => {
    const agent = await running()
    expect(await world.update(agent, body)).toMatchObject({ trading: true, session_id: agent.session_id })
  })

  it('cannot reset the brain’s counters by sending the same pairs or params again', async () => {
    const agent = await running({ params: { usd: 5, total_usd: 5 } })
    const counted = { pairs: { 'ETH/USDG': { ordered: '5000000' } } }
    await db.query('update hosted_agents set brain_state = $1', [JSON.stringify(counted)])
    const same = { ...SAME, params: { usd: 5, total_usd: 5 } }
    expect(await world.update(agent, same)).toMatchObject({ trading: true, brain_state: counted })
    await world.pause(agent)
    expect(await world.resume(agent)).toMatchObject({ trading: true, brain_state: counted })
  })

  it('cannot make it tick sooner by pausing and resuming, nor by switching it off and on', async () => {
    const agent = await running()
    const lastTickS = world.nowS() - 10
    await db.query('update hosted_agents set last_decision = $1, next_tick_ms = $2', [
      JSON.stringify({ tick: 1, at: lastTickS, reason: '', orders: [], outcome: [] }),
      (lastTickS + 60) * 1_000,
    ])
    const due = { watch: { next_tick_at: lastTickS + 60 } }
    await world.pause(agent)
    expect(await world.resume(agent)).toMatchObject(due)
    await world.update(agent, { live: false })
    expect(await world.update(agent, { live: true })).toMatchObject(due)
    // Through a pause by the service, too.
    await db.query(`update hosted_agents set status = 'paused', pause_reason = '{"code":"ERRORS"}'`)
    expect(await world.update(agent, { live: true })).toMatchObject(due)
  })

  it('cannot steer by a new webhook secret', async () => {
    const agent = await running({ brain: 'webhook', params: { url: 'https://owner.example' } })
    expect(await world.rotateSecret(agent)).toMatchObject({
      detached: { session_id: agent.session_id, fields: ['webhook_secret'] },
    })
    expect(await world.get(agent)).toMatchObject({ live: false, session_id: null })
    expect(await codeOf(world.attach(agent, agent.session_id!))).toBe('BAD_SESSION')
    await world.attach(agent, await world.grantTo(agent, WIDE))
    expect(await world.update(agent, { live: true })).toMatchObject({ trading: true })
    await world.stop(agent)
    expect(await world.rotateSecret(agent)).toMatchObject({ detached: null })
  })

  describe('and the owner’s model key', () => {
    const MODEL = { brain: 'partner_llm', interval_s: 300 }
    const ANY_SOURCE = { ...MODEL, params: { funding: 'pool' } }
    const OWN = { ...MODEL, params: { funding: 'own' } }
    const POOL_ONLY = { ...MODEL, params: { funding: 'pool', fallback_own: false } }

    it.each([OWN, ANY_SOURCE])('detaches agents that it may pay for: %j', async (body) => {
      await world.connect('key of the owner')
      const agent = await running(body)
      const other = await world.startGrant(agent, WIDE)
      expect(await world.connect('key of the owner')).toMatchObject({ detached_agents: [] })
      expect(await world.get(agent)).toMatchObject({ trading: true })

      expect(await world.connect('key of the thief')).toMatchObject({ detached_agents: [agent.id] })
      expect(await world.get(agent)).toMatchObject({
        live: false,
        session_id: null,
        status: 'paused',
        pause_reason: { code: 'CHANGED', fields: ['model_key'] },
      })
      await world.signGrant(other)
      for (const session of [agent.session_id!, other]) {
        expect(await codeOf(world.attach(agent, session))).toBe('BAD_SESSION')
      }
      expect(await codeOf(world.update(agent, { live: true }))).toBe('NO_SESSION')

      await world.attach(agent, await world.grantTo(agent, WIDE))
      await world.update(agent, { live: true })
      expect(await world.disconnect()).toMatchObject({ detached_agents: [agent.id] })
      expect(await world.disconnect()).toMatchObject({ detached_agents: [] })
      expect((await world.logs(agent, { kinds: 'session' })).rows[0]).toMatchObject({
        code: 'DETACHED',
        data: { fields: ['model_key'] },
      })
    })

    it('detaches no agent that cannot use it, on paper, or stopped', async () => {
      const pool = await running(POOL_ONLY)
      const rules = await running()
      const paper = await world.create(OWN)
      const stopped = await running(OWN)
      await world.stop(stopped)
      expect(await world.connect('any key')).toMatchObject({ detached_agents: [] })
      for (const agent of [pool, rules]) expect(await world.get(agent)).toMatchObject({ trading: true })
      expect(await world.get(paper)).toMatchObject({ trading: true })
      expect(await world.get(stopped)).toMatchObject({ session_id: stopped.session_id })
    })

    it('in a race with attaching never answers under an earlier session', async () => {
      for (let round = 0; round < 4; round++) {
        const agent = await world.live(OWN)
        const granted = await world.grantTo(agent, WIDE)
        await Promise.allSettled([
          world.attach(agent, granted),
          world.connect(`key ${round}`),
          world.attach(agent, granted),
        ])
        expect(await world.get(agent)).toMatchObject({ session_id: null, live: false })
        expect(await codeOf(world.attach(agent, granted))).toBe('BAD_SESSION')
      }
    })
  })

  it('cannot steer by a new executor', async () => {
    const agent = await running({ brain: 'webhook', params: { url: 'https://owner.example' } })
    expect(await world.rotate(agent)).toMatchObject({ live: false, session_id: null, status: 'paused' })
    expect(await codeOf(world.attach(agent, agent.session_id!))).toBe('BAD_SESSION')
    expect(await codeOf(world.update(agent, { live: true }))).toBe('NO_SESSION')
  })

  it.each([
    [{ live: false }, { params: { usd: 20 } }],
    [{ interval_s: 600 }, { interval_s: 60 }],
    [{ params: { usd: 1 } }, { params: { usd: 5 } }],
    [{ limits: { max_trade_usd: 1 } }, { limits: { max_trade_usd: 20 } }],
  ])('cannot steer it in two steps: %j, then %j', async (first, second) => {
    const agent = await running()
    await world.update(agent, first)
    await world.update(agent, second)
    expect(await codeOf(world.update(agent, { live: true }))).toBe('NO_SESSION')
    expect(await codeOf(world.attach(agent, agent.session_id!))).toBe('BAD_SESSION')
  })

  it('cannot move a webhook, but may change its other settings', async () => {
    const agent = await running({ brain: 'webhook', params: { url: 'https://owner.example' } })
    const same = { params: { url: 'https://owner.example' } }
    expect(await world.update(agent, same)).toMatchObject({ trading: true })
    expect(await world.update(agent, { params: WEBHOOK.params })).toMatchObject({
      live: false,
      session_id: null,
      pause_reason: { fields: ['params.url'] },
    })
  })

  it('is irrelevant for an agent that was never on', async () => {
    const fresh = await world.live()
    const granted = await world.grantTo(fresh, WIDE)
    expect(await world.update(fresh, WEBHOOK)).toMatchObject({ pause_reason: { code: 'NEW' } })
    expect(await codeOf(world.attach(fresh, granted))).toBe('BAD_SESSION')

    const paused = await running()
    await world.pause(paused)
    await world.update(paused, { pairs: [THIN] })
    expect(await world.get(paused)).toMatchObject({ session_id: null, pause_reason: { code: 'OWNER' } })
    expect(await codeOf(world.resume(paused))).toBe('NO_SESSION')

    const off = await running()
    await world.update(off, { live: false })
    await world.update(off, WEBHOOK)
    expect(await codeOf(world.update(off, { live: true }))).toBe('NO_SESSION')
  })

  describe('in a race', () => {
    it('of attaching and changing, the session never covers the changed agent', async () => {
      for (let round = 0; round < 4; round++) {
        const agent = await world.live()
        const granted = await world.grantTo(agent, WIDE)
        await Promise.allSettled([
          world.attach(agent, granted),
          world.update(agent, { pairs: [THIN] }),
          world.update(agent, { limits: { max_trade_usd: 21 } }),
          world.attach(agent, granted),
        ])
        expect(await world.get(agent)).toMatchObject({ session_id: null, live: false, pairs: [THIN] })
        expect(await codeOf(world.attach(agent, granted))).toBe('BAD_SESSION')
      }
    })

    it('with a server that ended between a change and its list, no earlier session passes', async () => {
      const agent = await running()
      await world.update(agent, { pairs: [THIN] })
      await db.query('update hosted_agents set stale_sessions = null')
      expect(await codeOf(world.attach(agent, agent.session_id!))).toBe('BAD_SESSION')
      await world.attach(agent, await world.grantTo(agent, WIDE))
      expect(await world.update(agent, { live: true })).toMatchObject({ trading: true })
    })
  })
})
