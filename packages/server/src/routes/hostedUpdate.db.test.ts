import { withDb } from '@pit/platform/test/withStore'
import { beforeEach, describe, expect, it } from 'vitest'
import { emptyHosted, type HostedWorld, openHostedWorld } from '../../test/hostedWorld.ts'
import { codeOf, refused } from '../../test/sessionWorld.ts'

withDb('changing a hosted agent', (db) => {
  let world: HostedWorld
  beforeEach(async () => {
    await emptyHosted(db)
    world = openHostedWorld(db)
  })
  const kinds = async (agent: { id: string }) => (await world.logs(agent)).rows.map(({ code }) => code)

  describe('live on', () => {
    it('is rejected in the documented order', async () => {
      const paper = await world.create()
      expect(await codeOf(world.update(paper, { live: true }))).toBe('PAPER_AGENT')
      const agent = await world.live()
      await world.throwSwitch('kill', true)
      await world.throwSwitch('live', false)
      const wide = { live: true, shield: true, policies: ['block_new', 'MOON'] }
      expect(await codeOf(world.update(agent, wide))).toBe('NO_SESSION')
      const sessionId = await world.grantTo(agent)
      await world.attach(agent, sessionId)
      world.clock.aheadS = 86_400
      expect(await codeOf(world.update(agent, wide))).toBe('SESSION_NOT_ACTIVE')
      world.clock.aheadS = 0
      expect(await codeOf(world.update(agent, wide))).toBe('KILLED')
      await world.throwSwitch('kill', false)
      expect(await codeOf(world.update(agent, wide))).toBe('LIVE_DISABLED')
      await world.throwSwitch('live', true)
      expect(await refused(world.update(agent, wide))).toMatchObject({
        code: 'OUTSIDE_SESSION',
        extras: { field: 'shield', checks: [{ rule: 'shield' }] },
      })
      expect(await codeOf(world.update(agent, { live: true, policies: ['block_new'] }))).toBe('BAD_TERMS')
      expect(await world.get(agent)).toMatchObject({ live: false, status: 'paused' })
      await world.update(agent, { live: true })
      await world.stop(agent)
      expect(await codeOf(world.update(agent, wide))).toBe('STOPPED')
      await world.stop(paper)
      expect(await codeOf(world.update(paper, { live: true }))).toBe('STOPPED')
    })

    it('is off, and nothing trades, without relaying or a signer', async () => {
      const agent = await world.running()
      await world.pause(agent)
      for (const lacking of [{ submitEnabled: false }, { withSigner: false }]) {
        const other = openHostedWorld(db, lacking)
        expect(await codeOf(other.resume(agent))).toBe('LIVE_DISABLED')
        expect(await codeOf(other.update(agent, { live: true }))).toBe('LIVE_DISABLED')
      }
      await world.resume(agent)
      expect(await world.get(agent)).toMatchObject({ trading: true, watch: { holds: [] } })
      for (const lacking of [{ submitEnabled: false }, { withSigner: false }]) {
        expect(await openHostedWorld(db, lacking).get(agent)).toMatchObject({
          trading: false,
          watch: { holds: [{ code: 'LIVE_DISABLED' }] },
        })
      }
      world.state.signerAnswers = false
      expect(await world.get(agent)).toMatchObject({
        trading: false,
        watch: { holds: [{ code: 'SIGNER_UNAVAILABLE' }] },
      })
    })

    it('shows what the operator switched off', async () => {
      const agent = await world.running()
      await world.throwSwitch('kill', true)
      expect(await world.get(agent)).toMatchObject({ trading: false, watch: { holds: [{ code: 'KILLED' }] } })
      await world.pause(agent)
      expect(await codeOf(world.resume(agent))).toBe('KILLED')
      await world.throwSwitch('kill', false)
      await world.throwSwitch('live', false)
      expect(await codeOf(world.resume(agent))).toBe('LIVE_DISABLED')
      const paper = await world.create()
      await world.pause(paper)
      expect(await world.resume(paper)).toMatchObject({ status: 'active' })
      await world.throwSwitch('kill', true)
      await world.pause(paper)
      expect(await codeOf(world.resume(paper))).toBe('KILLED')
    })
  })

  describe('an update', () => {
    it('changes the given fields and nothing else', async () => {
      const agent = await world.create({ name: 'a', shield: true, policies: ['block_new'] })
      const changed = await world.update(agent, {
        name: 'b',
        params: { usd: 7 },
        limits: { max_trade_usd: 30 },
        pairs: ['cbBTC/USDG'],
        accept_risks: ['HONEYPOT'],
      })
      expect(changed).toMatchObject({
        name: 'b',
        params: { usd: 7 },
        limits: { max_trade_usd: 30, max_day_usd: 100, max_position_usd: 500 },
        pairs: ['cbBTC/USDG'],
        terms: { accept_risks: ['HONEYPOT'], shield: true, policies: ['block_new'] },
        status: 'active',
      })
      expect(changed.tokens.map(({ token }) => token)).toEqual(['cbBTC', 'USDG'])
      // Policies are removed with the shield.
      expect((await world.update(agent, { shield: false })).terms).toMatchObject({
        shield: false,
        policies: [],
      })
      expect(await world.update(agent, {})).toMatchObject({ name: 'b' })
      const { rows } = await world.logs(agent)
      expect(rows.map(({ message }) => message)).toEqual([
        'The owner changed shield.',
        'The owner changed name, params, limits, pairs, accept_risks.',
        'Created: it trades on paper from now on.',
      ])
    })

    it('keeps its tick, unless the interval became shorter', async () => {
      const agent = await world.create({ interval_s: 86_400 })
      await db.query('update hosted_agents set next_tick_ms = $2, brain_state = $3 where id = $1', [
        agent.id,
        (world.nowS() + 86_000) * 1_000,
        '{"bought":1}',
      ])
      expect(await world.update(agent, { name: 'x' })).toMatchObject({
        watch: { next_tick_at: world.nowS() + 86_000 },
        brain_state: { bought: 1 },
      })
      expect(await world.update(agent, { interval_s: 30 })).toMatchObject({
        interval_s: 30,
        watch: { next_tick_at: world.nowS() + 30 },
      })
      expect(await world.update(agent, { interval_s: 600 })).toMatchObject({
        watch: { next_tick_at: world.nowS() + 30 },
      })
      expect(await world.update(agent, { brain: 'grid', params: { levels: 3 } })).toMatchObject({
        brain: 'grid',
        brain_state: null,
        params: { levels: 3 },
      })
    })

    it('to a webhook brain makes a secret, and away from it forgets it', async () => {
      const agent = await world.create()
      const webhook = await world.update(agent, { brain: 'webhook', params: { url: 'https://a.example' } })
      expect(webhook.webhook_secret).toBe('whsec_1')
      expect(await world.rotateSecret(agent)).toEqual({
        id: agent.id,
        webhook_secret: 'whsec_2',
        detached: null,
      })
      const secret = async () =>
        (await db.query<{ s: Uint8Array | null }>('select webhook_secret as s from hosted_agents'))[0]!.s
      expect(Buffer.from((await secret())!).toString()).toBe(`${agent.id} whsec_2`)
      await world.update(agent, { brain: 'dca' })
      expect(await secret()).toBeNull()
      expect(await codeOf(world.rotateSecret(agent))).toBe('NOT_WEBHOOK')
    })

    it.each([
      [{ pairs: ['NVDA/USDG'] }, 'TOKEN_STOCK'],
      [{ pairs: ['DOGE/USDG'] }, 'TOKEN_NOT_ALLOWED'],
      [{ limits: { max_day_usd: 1 } }, 'BAD_REQUEST'],
      [{ accept_risks: ['MOON'] }, 'BAD_TERMS'],
      [{ policies: ['block_new'] }, 'BAD_TERMS'],
      [{ brain: 'partner_llm' }, 'BAD_REQUEST'],
      [{ params: { bad: 1 } }, 'BAD_REQUEST'],
    ])('of a paper agent by %j is rejected: %s', async (body, code) => {
      const agent = await world.create()
      expect(await codeOf(world.update(agent, body))).toBe(code)
      expect(await kinds(agent)).toEqual(['CREATED'])
    })

    it('that is narrower than a session allows is outside it, and possible once it ended', async () => {
      const agent = await world.running()
      expect(await refused(world.update(agent, { shield: true }))).toMatchObject({
        code: 'OUTSIDE_SESSION',
        status: 422,
        extras: { field: 'shield' },
      })
      expect(await world.update(agent, { name: 'still', limits: { max_position_usd: 1 } })).toMatchObject({
        name: 'still',
        trading: true,
      })
      world.clock.aheadS = 86_400
      expect(await world.update(agent, { shield: true })).toMatchObject({ trading: false })
    })

    it('made from an old reading is made anew', async () => {
      const agent = await world.create()
      const names = await Promise.all([
        world.update(agent, { name: 'one' }),
        world.update(agent, { limits: { max_trade_usd: 50 } }),
        world.pause(agent),
      ])
      expect(names).toHaveLength(3)
      expect(await world.get(agent)).toMatchObject({
        name: 'one',
        limits: { max_trade_usd: 50 },
        status: 'paused',
      })
    })
  })
})
