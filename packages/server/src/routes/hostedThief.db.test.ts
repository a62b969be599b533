import { withDb } from '@pit/platform/test/withStore'
import { MEME } from '@pit/trading/test/tradeFixtures'
import { beforeEach, describe, expect, it } from 'vitest'
import { emptyHosted, type HostedWorld, openHostedWorld } from '../../test/hostedWorld.ts'
import { codeOf, refused } from '../../test/sessionWorld.ts'

const THIN = `${MEME.address}/USDG`
const WIDE = { tokens: ['ETH', 'USDG', MEME.address] }
const WEBHOOK = { brain: 'webhook', params: { url: 'https://thief.example' } }

/** Everything is asked with the owner's own key: that is what was stolen. The wallet's key was not. */
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

  it('cannot churn a thin token: what steers the agent switches it off, and only its owner switches it on', async () => {
    const agent = await running()
    const before = agent.session_id!
    const begun = await world.startGrant(agent, WIDE)
    const changed = await world.update(agent, { ...WEBHOOK, pairs: [THIN] })
    expect(changed).toMatchObject({
      live: false,
      trading: false,
      status: 'paused',
      pause_reason: { code: 'CHANGED', fields: ['brain', 'params.url', 'pairs'] },
      session_id: null,
    })
    const { rows } = await world.logs(agent, { kinds: 'session' })
    expect(rows[0]).toMatchObject({ code: 'DETACHED', data: { session_id: before } })

    expect(await codeOf(world.update(agent, { live: true }))).toBe('NO_SESSION')
    expect(await codeOf(world.resume(agent))).toBe('NO_SESSION')
    const error = await refused(world.attach(agent, before))
    expect(error).toMatchObject({ code: 'BAD_SESSION', extras: { checks: [{ rule: 'granted' }] } })
    expect(error.message).toContain('granted before the agent was last changed')
    // One whose grant was begun for the agent of before, and which its owner signs unaware.
    await world.signGrant(begun)
    expect(await refused(world.attach(agent, begun))).toMatchObject({
      extras: { checks: [{ rule: 'granted' }] },
    })
    // Back to what it was is a change like any other.
    await world.update(agent, { brain: 'dca', params: { usd: 5 }, pairs: ['ETH/USDG'] })
    expect(await codeOf(world.attach(agent, before))).toBe('BAD_SESSION')

    // All of it in one second: a grant after the change counts, whatever the clock says.
    await world.attach(agent, await world.grantTo(agent, WIDE))
    expect(await world.update(agent, { live: true })).toMatchObject({ trading: true })
  })

  it.each<[object, string[]]>([
    [{ brain: 'grid', params: { levels: 3 } }, ['brain']],
    [{ pairs: ['ETH/USDG', THIN] }, ['pairs']],
    [{ limits: { max_trade_usd: 20.000001 } }, ['limits']],
    [{ limits: { max_day_usd: 100.5 } }, ['limits']],
    [{ limits: { max_trade_usd: 5, max_position_usd: 501 } }, ['limits']],
    [{ accept_risks: ['HONEYPOT'] }, ['accept_risks']],
    // Wider than its session: it is detached, so that the next can be granted for it.
    [{ limits: { max_trade_usd: 26 } }, ['limits']],
  ])('a change by %j switches it off, and cannot come with live on', async (body, fields) => {
    const agent = await running()
    expect(await refused(world.update(agent, { ...body, live: true }))).toMatchObject({
      code: 'NO_SESSION',
      message: expect.stringContaining('detaches the session'),
    })
    expect(await world.get(agent)).toMatchObject({ trading: true })
    expect(await world.update(agent, body)).toMatchObject({
      live: false,
      session_id: null,
      status: 'paused',
      pause_reason: { code: 'CHANGED', fields },
    })
  })

  it.each<[object]>([
    [{ name: 'other' }],
    [{ params: { usd: 1 } }],
    [{ interval_s: 600 }],
    [{ limits: { max_trade_usd: 10, max_day_usd: 50 } }],
    [{ brain: 'dca', pairs: ['ETH/USDG'], limits: { max_trade_usd: 20 }, accept_risks: [] }],
  ])('a change by %j is free', async (body) => {
    const agent = await running()
    expect(await world.update(agent, body)).toMatchObject({ trading: true, session_id: agent.session_id })
  })

  it('moves a webhook nowhere else, and leaves it its other settings', async () => {
    const agent = await running({ brain: 'webhook', params: { url: 'https://owner.example' } })
    const same = { params: { url: 'https://owner.example' } }
    expect(await world.update(agent, same)).toMatchObject({ trading: true })
    expect(await world.update(agent, { params: WEBHOOK.params })).toMatchObject({
      live: false,
      session_id: null,
      pause_reason: { fields: ['params.url'] },
    })
  })

  it('finds no agent that was never on, paused or not switched on yet', async () => {
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
    it('of attaching and changing, the session is never of the agent as changed', async () => {
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

    it('with a server that ended between a change and its list, no session of before passes', async () => {
      const agent = await running()
      await world.update(agent, { pairs: [THIN] })
      await db.query('update hosted_agents set stale_sessions = null')
      expect(await codeOf(world.attach(agent, agent.session_id!))).toBe('BAD_SESSION')
      await world.attach(agent, await world.grantTo(agent, WIDE))
      expect(await world.update(agent, { live: true })).toMatchObject({ trading: true })
    })
  })
})
