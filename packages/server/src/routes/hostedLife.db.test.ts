import { withDb } from '@pit/platform/test/withStore'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { emptyHosted, type HostedWorld, openHostedWorld } from '../../test/hostedWorld.ts'
import { codeOf, GRANT, refused, WHO } from '../../test/sessionWorld.ts'

const DECISION = { tick: 1, at: 0, reason: 'x', orders: [], outcome: [] }

withDb('the life of a hosted agent', (db) => {
  let world: HostedWorld
  beforeEach(async () => {
    await emptyHosted(db)
    world = openHostedWorld(db)
  })
  const kinds = async (agent: { id: string }) => (await world.logs(agent)).rows.map(({ code }) => code)

  it('belongs to its owner: another’s is forbidden, an unknown one not found', async () => {
    const agent = await world.create()
    const all = [
      world.get,
      world.update,
      world.pause,
      world.resume,
      world.stop,
      world.delete,
      world.rotate,
      world.rotateSecret,
      world.refund,
      world.executor,
      world.unattest,
    ]
    for (const act of all) {
      expect(await refused(act(agent, {}, 'stranger'))).toMatchObject({ code: 'FORBIDDEN', status: 403 })
      expect(await refused(act({ id: 'agt_none' }))).toMatchObject({ code: 'NOT_FOUND', status: 404 })
    }
    expect(await codeOf(world.attach(agent, 'ses_x', 'stranger'))).toBe('FORBIDDEN')
    expect(await codeOf(world.logs(agent, {}, 'stranger'))).toBe('FORBIDDEN')
    expect(await world.list('stranger')).toEqual([])
    expect(await world.get(agent)).toMatchObject({ status: 'active' })
  })

  it('goes from nothing to trading for real, and is paused and resumed', async () => {
    const agent = await world.live()
    expect(await refused(world.update(agent, { live: true }))).toMatchObject({
      code: 'NO_SESSION',
      status: 409,
    })
    expect(await refused(world.resume(agent))).toMatchObject({ code: 'NO_SESSION', status: 409 })
    const sessionId = await world.grantTo(agent)
    const attached = await world.attach(agent, sessionId)
    expect(attached).toMatchObject({
      session_id: sessionId,
      status: 'paused',
      live: false,
      trading: false,
      session_terms: { accept_risks: [], shield: false, fee_schedule: 2, fees: { other_bps: 50 } },
      session_expires: world.nowS() + 86_400,
    })
    expect(attached.session_root_hash).toBe((await world.session.sessions.sessionOf(sessionId))!.rootHash)
    const live = await world.update(agent, { live: true })
    expect(live).toMatchObject({ live: true, status: 'active', pause_reason: null, trading: true })
    expect(live.watch).toMatchObject({ next_tick_at: world.nowS(), holds: [], soon: [] })

    expect(await world.pause(agent)).toMatchObject({
      status: 'paused',
      pause_reason: { code: 'OWNER' },
      trading: false,
    })
    // Live on does not override the owner's pause.
    expect(await world.update(agent, { live: true })).toMatchObject({ status: 'paused' })
    expect(await world.resume(agent)).toMatchObject({ status: 'active', pause_reason: null, trading: true })
    expect(await world.update(agent, { live: false })).toMatchObject({
      live: false,
      status: 'active',
      trading: false,
    })
    expect(await kinds(agent)).toEqual(['LIVE_OFF', 'RESUMED', 'PAUSED', 'LIVE_ON', 'ATTACHED', 'CREATED'])
    world.clock.aheadS = 86_400 - 1_000
    expect(await world.get(agent)).toMatchObject({ watch: { soon: [{ code: 'SESSION_ENDS' }] } })
  })

  describe('resuming', () => {
    const ticked = (agent: { id: string }, last: object) =>
      db.query('update hosted_agents set last_decision = $2 where id = $1', [
        agent.id,
        JSON.stringify({ ...DECISION, ...last }),
      ])
    const nextTick = async (agent: { id: string }) =>
      ((await world.get(agent)).watch as { next_tick_at: number }).next_tick_at

    it('asks no model sooner than its interval, however often it is paused and resumed', async () => {
      const ai = await world.create({ brain: 'partner_llm', params: {}, interval_s: 900 })
      const rule = await world.create()
      for (const agent of [ai, rule]) await ticked(agent, { at: world.nowS() - 100, reason: 'held' })
      for (const agent of [ai, rule, ai, rule]) {
        await world.pause(agent)
        await world.resume(agent)
      }
      expect(await nextTick(ai)).toBe(world.nowS() + 800)
      expect(await nextTick(rule)).toBe(world.nowS())
      // A clock that was ahead does not block it permanently; one that waited long enough ticks at once.
      await ticked(ai, { at: world.nowS() + 86_400 })
      await world.pause(ai)
      await world.resume(ai)
      expect(await nextTick(ai)).toBe(world.nowS() + 900)
      await ticked(ai, { at: world.nowS() - 900 })
      await world.pause(ai)
      await world.resume(ai)
      expect(await nextTick(ai)).toBe(world.nowS())
    })

    it('changing to a model and back does not ask it sooner either', async () => {
      const agent = await world.create({ interval_s: 10 })
      await ticked(agent, { at: world.nowS() - 5 })
      await world.update(agent, { brain: 'partner_llm', interval_s: 300 })
      expect(await nextTick(agent)).toBe(world.nowS() + 295)
      await world.update(agent, { brain: 'dca', interval_s: 10 })
      expect(await nextTick(agent)).toBe(world.nowS() + 10)
    })

    it('changing the interval back and forth lets no model tick sooner than its final interval', async () => {
      const agent = await world.create({ brain: 'partner_llm', params: {}, interval_s: 900 })
      await ticked(agent, { at: world.nowS() - 100 })
      await world.update(agent, { interval_s: 300 })
      expect(await nextTick(agent)).toBe(world.nowS() + 200)
      // The pool's minimum interval, just before the tick.
      world.clock.aheadS += 199
      await world.update(agent, { interval_s: 900 })
      expect(await nextTick(agent)).toBe(world.nowS() + 900 - 299)
    })

    it('clears earlier failures', async () => {
      const agent = await world.create()
      await ticked(agent, { at: 1, error: 'WEBHOOK_STATUS', errors_in_a_row: 20 })
      await db.query(`update hosted_agents set status = 'paused', pause_reason = '{"code":"ERRORS"}'`)
      await world.resume(agent)
      expect((await world.get(agent)).last_decision).toEqual({ ...DECISION, at: 1, error: 'WEBHOOK_STATUS' })
    })
  })

  describe('on the practice board', () => {
    const enter = (agent: { id: string }, leftAtS: number | null = null) =>
      db.query(
        `insert into league_entries (board, kind, agent_id, wallet, hosted_id, from_season, owner,
           agent_wallet, beneficiary, token, symbol, name, proof, entered_at_s, left_at_s)
         values ('practice', 'hosted', $1, $2, $1, 1, $2, $2, $2, $2, 'A', 'A', 'signed_in', 1, $3)`,
        [agent.id, WHO.owner, leftAtS],
      )
    afterEach(() => db.query('delete from league_entries'))

    it('it cannot join and change at once', async () => {
      const agent = await world.create({ interval_s: 300 })
      const { transaction } = db
      world.deps.db = {
        ...db,
        transaction: async (work) => {
          world.deps.db = db
          await enter(agent)
          return transaction(work)
        },
      }
      expect(await codeOf(world.update(agent, { interval_s: 60 }))).toBe('LEAGUE_INTERVAL')
      expect(await world.get(agent)).toMatchObject({ interval_s: 300 })
    })

    it('it stays eligible until it leaves', async () => {
      const agent = await world.create({ interval_s: 300 })
      await enter(agent)
      expect(await refused(world.update(agent, { interval_s: 299 }))).toMatchObject({
        code: 'LEAGUE_INTERVAL',
        status: 409,
      })
      expect(await refused(world.update(agent, { pairs: ['ETH/USDG', 'WETH/USDG'] }))).toMatchObject({
        code: 'LEAGUE_PAIRS',
        status: 409,
      })
      expect(await world.update(agent, { interval_s: 600, pairs: ['cbBTC/USDG'] })).toMatchObject({
        interval_s: 600,
      })
      await db.query('update hosted_agents set last_decision = $1', [
        JSON.stringify({ ...DECISION, at: world.nowS() - 10 }),
      ])
      await world.pause(agent)
      expect(await world.resume(agent)).toMatchObject({ watch: { next_tick_at: world.nowS() + 590 } })
      await db.query('update league_entries set left_at_s = 2')
      expect(await world.update(agent, { interval_s: 60, pairs: ['WETH/USDG'] })).toMatchObject({
        interval_s: 60,
      })
    })
  })

  describe('stopping', () => {
    it('is permanent: the session ends here and the on-chain steps are returned, again on a repeat', async () => {
      const agent = await world.running()
      const stopped = await world.stop(agent)
      expect(stopped).toMatchObject({
        status: 'stopped',
        live: false,
        trading: false,
        pause_reason: null,
        watch: null,
        session_id: agent.session_id,
        session_revoke: {
          on_chain: [
            { kind: 'disable_delegation', tx: { from: WHO.owner, to: world.session.addresses.manager } },
          ],
          sessions: [{ session_id: agent.session_id, signer_revoked: true }],
        },
      })
      expect(world.session.seen.ownerTxs.at(-1)).toMatchObject({ keyId: 1, wallet: WHO.owner })
      expect((await world.session.sessions.sessionOf(agent.session_id!))?.status).toBe('revoked')
      expect(await world.stop(agent)).toMatchObject({ session_revoke: stopped.session_revoke })
      expect(await codeOf(world.pause(agent))).toBe('STOPPED')
      expect(await codeOf(world.resume(agent))).toBe('STOPPED')
      expect(await codeOf(world.update(agent, { name: 'x' }))).toBe('STOPPED')
      expect(await kinds(agent)).toEqual(['STOPPED', 'LIVE_ON', 'ATTACHED', 'CREATED'])
    })

    it('stops even if an unsigned grant is swept meanwhile', async () => {
      const agent = await world.live()
      await world.session.start({ ...GRANT, executor: agent.executor })
      const { sessions } = world.deps
      world.deps.sessions = {
        async revokeSession(request) {
          await db.query('delete from sessions')
          return sessions.revokeSession(request)
        },
      }
      expect(await world.stop(agent)).toMatchObject({ status: 'stopped', session_revoke: { sessions: [] } })
    })

    it('works while signer and chain are away, and without a session', async () => {
      const agent = await world.running()
      world.chain.isDown = true
      world.session.signer.reachable = false
      expect(await world.stop(agent)).toMatchObject({
        status: 'stopped',
        session_revoke: { on_chain: [{ tx: { nonce: null } }], sessions: [{ signer_revoked: false }] },
      })
      const fresh = await world.create()
      expect(await world.stop(fresh)).toMatchObject({ session_revoke: { on_chain: [], sessions: [] } })
    })

    it('leaves the league, now or once the league is available', async () => {
      const [one, two] = [await world.create(), await world.create()]
      await world.stop(one)
      expect(world.left).toEqual([one.id])
      world.state.leaveFails = true
      expect(await world.delete(two)).toMatchObject({ deleted: true })
      await world.hosted.sweep()
      expect(world.left).toEqual([one.id])
      world.state.leaveFails = false
      await world.hosted.sweep()
      await world.hosted.sweep()
      expect(world.left).toEqual([one.id, two.id])
    })
  })

  describe('deleting', () => {
    it('takes a paper agent from any state, a live one once it is stopped', async () => {
      const paper = await world.create()
      expect(await world.delete(paper)).toEqual({ id: paper.id, deleted: true, executor: null })
      const live = await world.live()
      expect(await refused(world.delete(live))).toMatchObject({ code: 'STOP_FIRST', status: 409 })
      await world.stop(live)
      expect(await world.delete(live)).toEqual({ id: live.id, deleted: true, executor: live.executor })
      for (const act of [world.get, world.stop, world.delete, world.update, world.rotate]) {
        expect(await refused(act(live))).toMatchObject({ code: 'NOT_FOUND', status: 404 })
      }
      expect(await codeOf(world.logs(live))).toBe('NOT_FOUND')
      expect(await world.list()).toEqual([])
      expect(await world.executor(live)).toMatchObject({ executor: live.executor })
      expect(await codeOf(world.executor(paper))).toBe('NO_EXECUTOR')
      expect(await world.hosted.agentOf(paper.id)).toMatchObject({ deletedAtS: world.nowS() })
    })
  })
})
