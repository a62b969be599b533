import { withDb } from '@pit/platform/test/withStore'
import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf, emptySessions, openSessionWorld, type SessionWorld, WHO } from '../../test/sessionWorld.ts'
import type { HostedTradeAsk } from './tradeHosted.ts'

withDb('trades of hosted agents', (db) => {
  let world: SessionWorld
  let ask: HostedTradeAsk
  beforeEach(async () => {
    await emptySessions(db)
    world = openSessionWorld(db)
    world.settleWallet()
    const session = await world.grant()
    const agentId = await world.host()
    ask = {
      sessionId: session.id,
      agentId,
      keyId: 7,
      tokenIn: 'ETH',
      tokenOut: 'USDG',
      notionalMicroUsd: 5_000_000n,
      ownerAttestsNonUs: false,
    }
  })
  const trade = (change: Partial<HostedTradeAsk> = {}) => world.sessions.tradeHosted({ ...ask, ...change })

  describe('in the agent’s session', () => {
    it('are co-signed, and stored for the agent’s key', async () => {
      const { tx, answer } = await trade()
      expect(tx).toMatchObject({ from: WHO.executor, to: world.place.manager, valueWei: 0n })
      expect(answer).toMatchObject({ ready: true, wallet: WHO.owner, spend: { trades: 1, this_usd: 5 } })
      expect(world.seen.plans).toMatchObject([
        { keyId: 7, wallet: WHO.owner, path: 'hosted', sessionId: ask.sessionId },
      ])
      expect(world.seen.plans[0]!.plan.steps[0]!.tx!.data).toBe(tx.data)
    })

    it('stop at the session’s limits as its own do, and the refusal is the agent’s', async () => {
      expect(await codeOf(trade({ notionalMicroUsd: 26_000_000n }))).toBe('SESSION_MAX_TRADE')
      expect(world.seen.refusals).toMatchObject([{ keyId: 7, path: 'hosted', code: 'SESSION_MAX_TRADE' }])
    })

    it('are not co-signed while the operator’s switches stand against them', async () => {
      world.state.killed = true
      expect(await codeOf(trade())).toBe('KILLED')
      world.state.killed = false
      world.state.live = false
      expect(await codeOf(trade())).toBe('LIVE_DISABLED')
      expect(await db.query('select id from session_trades')).toEqual([])
    })
  })

  it.each([
    ['no such session', { sessionId: 'ses_none' }],
    ['another agent’s session', { agentId: 'agt_2' }],
  ])('are none in %s', async (_, change) => {
    expect(await codeOf(trade(change))).toBe('NO_SESSION')
  })

  it.each(['retired_at_s', 'closed_at_s'])('are none by an executor with %s', async (column) => {
    await db.query(`update hosted_executors set ${column} = 5`)
    expect(await codeOf(trade())).toBe('NO_SESSION')
  })

  it('are none for the sanctioned', async () => {
    world.state.sanctioned.add(WHO.executor)
    expect(await codeOf(trade())).toBe('SANCTIONED')
  })

  it('leave the session to its owner: revoked for a wallet, it trades no more', async () => {
    const found = await world.sessions.sessionOf(ask.sessionId)
    expect(found).toMatchObject({ id: ask.sessionId, status: 'active' })
    expect(await world.sessions.sessionOf('ses_none')).toBeNull()
    expect(await codeOf(world.sessions.revokeFor(WHO.stranger, ask.sessionId))).toBe('NO_SESSION')
    const revoked = await world.sessions.revokeFor(WHO.owner, ask.sessionId)
    expect(revoked).toMatchObject({ status: 'revoked', signer_revoked: true })
    expect(revoked.on_chain.length).toBeGreaterThan(0)
    // Without a key there is nobody to relay them for; the setup was the grant's.
    expect(world.seen.ownerTxs).toHaveLength(1)
    await world.sessions.revokeFor(WHO.owner, ask.sessionId, 7)
    expect(world.seen.ownerTxs.at(-1)).toMatchObject({ keyId: 7, wallet: WHO.owner })
    expect(await codeOf(trade())).toBe('SESSION_REVOKED')
  })
})
