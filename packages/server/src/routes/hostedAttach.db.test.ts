import { pauseAgent } from '@pit/agents/internal/store'
import { withDb } from '@pit/platform/test/withStore'
import { MEME } from '@pit/trading/test/tradeFixtures'
import { beforeEach, describe, expect, it } from 'vitest'
import { emptyHosted, type HostedWorld, openHostedWorld } from '../../test/hostedWorld.ts'
import { codeOf, refused, WHO } from '../../test/sessionWorld.ts'

withDb('sessions of hosted agents', (db) => {
  let world: HostedWorld
  beforeEach(async () => {
    await emptyHosted(db)
    world = openHostedWorld(db)
  })

  describe('a session', () => {
    it('of another wallet, or unknown, is not found', async () => {
      const agent = await world.live()
      expect(await refused(world.attach(agent, 'ses_none'))).toMatchObject({
        code: 'NO_SESSION',
        status: 404,
      })
      const strange = await world.live({})
      const sessionId = await world.grantTo(strange)
      await db.query('update sessions set wallet = $1', [WHO.stranger])
      expect(await codeOf(world.attach(strange, sessionId))).toBe('NO_SESSION')
    })

    it('that cannot drive the agent is rejected with every reason', async () => {
      const agent = await world.live({ pairs: ['ETH/USDG', `${MEME.address}/USDG`] })
      const other = await world.live()
      const sessionId = await world.grantTo(other)
      world.clock.aheadS = 86_400
      const error = await refused(world.attach(agent, sessionId))
      expect(error).toMatchObject({
        code: 'BAD_SESSION',
        status: 422,
        extras: { checks: [{ rule: 'executor' }, { rule: 'status' }, { rule: 'tokens' }] },
      })
      expect(error.message).toContain(`not to the agent’s executor ${agent.executor}`)
      expect(error.message).toContain('its status is expired')
      expect(error.message).toContain(MEME.address)
      world.clock.aheadS = 86_400 - 59
      expect(await refused(world.attach(other, sessionId))).toMatchObject({
        extras: { checks: [{ rule: 'expiry' }] },
      })
    })

    it('that is narrower than the agent is rejected, and nothing is attached', async () => {
      const agent = await world.live({ limits: { max_trade_usd: 30, max_day_usd: 200, max_position_usd: 9 } })
      const sessionId = await world.grantTo(agent)
      expect(await refused(world.attach(agent, sessionId))).toMatchObject({
        code: 'OUTSIDE_SESSION',
        extras: { checks: [{ rule: 'max_trade' }, { rule: 'max_day' }] },
      })
      expect(await world.get(agent)).toMatchObject({ session_id: null })
    })

    it('is not attached to a paper or stopped agent, nor without an attested executor', async () => {
      expect(await codeOf(world.attach(await world.create(), 'ses_x'))).toBe('PAPER_AGENT')
      const agent = await world.live()
      const sessionId = await world.grantTo(agent)
      await db.query(
        `update hosted_agents set executor_attestation = executor_attestation || '{"signature":"0x00"}'`,
      )
      expect(await refused(world.attach(agent, sessionId))).toMatchObject({
        code: 'EXECUTOR_ATTESTATION',
        status: 503,
      })
      await world.stop(agent)
      expect(await codeOf(world.attach(agent, sessionId))).toBe('STOPPED')
    })

    it('may be replaced while the agent runs', async () => {
      const agent = await world.running()
      const next = await world.grantTo(agent, { max_trade_usd: 50, max_day_usd: 200 })
      expect(await world.attach(agent, next)).toMatchObject({ session_id: next, live: true, trading: true })
      const { session_revoke } = await world.stop(agent)
      // Stopping revokes the previous one too.
      expect(session_revoke!.sessions!.map(({ session_id }) => session_id).sort()).toEqual(
        [agent.session_id, next].sort(),
      )
      expect(session_revoke!.on_chain.map(({ tx }) => (tx as { nonce: number }).nonce)).toEqual([0, 1])
    })

    it('that ends pauses the agent, in whichever process', async () => {
      const agent = await world.running()
      expect(await pauseAgent(db, agent.id, { code: 'SESSION_ENDED' })).toBe(true)
      expect(await pauseAgent(db, agent.id, { code: 'ERRORS' })).toBe(false)
      expect(await world.get(agent)).toMatchObject({
        status: 'paused',
        pause_reason: { code: 'SESSION_ENDED' },
      })
      await world.session.sessions.revokeSession({
        wallet: WHO.owner,
        sessionId: agent.session_id!,
        keyId: null,
      })
      expect(await codeOf(world.resume(agent))).toBe('SESSION_NOT_ACTIVE')
      const next = await world.grantTo(agent)
      await world.attach(agent, next)
      // Live on lets it run again although it was never switched off; so does resuming.
      expect(await world.update(agent, { live: true })).toMatchObject({ trading: true })
      await pauseAgent(db, agent.id, { code: 'ERRORS' })
      expect(await world.resume(agent)).toMatchObject({ trading: true })
    })
  })

  describe('rotating the executor', () => {
    it('retires the key, ends its sessions and waits for a new one', async () => {
      const agent = await world.running()
      const rotated = await world.rotate(agent)
      expect(rotated).toMatchObject({
        retired_executor: agent.executor,
        session_id: null,
        live: false,
        status: 'paused',
        pause_reason: { code: 'ROTATED' },
        session_revoke: { on_chain: [{ kind: 'disable_delegation' }] },
      })
      expect(rotated.executor).not.toBe(agent.executor)
      expect((rotated.executor_attestation as { text: string }).text).toContain(rotated.executor)
      expect((await world.session.sessions.sessionOf(agent.session_id!))?.status).toBe('revoked')
      expect(await codeOf(world.attach(agent, agent.session_id!))).toBe('BAD_SESSION')
      await world.attach(agent, await world.grantTo(rotated))
      expect(await world.update(agent, { live: true })).toMatchObject({ trading: true })
    })

    it('is rejected on paper and once stopped, and changes nothing without the signer', async () => {
      expect(await codeOf(world.rotate(await world.create()))).toBe('PAPER_AGENT')
      const agent = await world.running()
      world.signer.reachable = false
      expect(await codeOf(world.rotate(agent))).toBe('SIGNER_UNAVAILABLE')
      expect(await world.get(agent)).toMatchObject({ executor: agent.executor, trading: true })
      world.signer.reachable = true
      await world.stop(agent)
      expect(await codeOf(world.rotate(agent))).toBe('STOPPED')
    })
  })
})
