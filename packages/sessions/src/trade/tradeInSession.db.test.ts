import type { Address } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { fail, refusal } from '@pit/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf, emptySessions, openSessionWorld, type SessionWorld, WHO } from '../../test/sessionWorld.ts'
import { describeRevoked } from '../revoke/describeRevoked.ts'
import { describeTrade } from './describeTrade.ts'
import type { SessionTradeParams } from './types.ts'

type HostedRequest = Extract<SessionTradeParams, { path: 'hosted' }>

withDb('trades of hosted agents', (db) => {
  let world: SessionWorld
  let request: HostedRequest
  beforeEach(async () => {
    await emptySessions(db)
    world = openSessionWorld(db)
    world.settleWallet()
    const session = await world.granted()
    const agentId = await world.host()
    request = {
      sessionId: session.id,
      path: 'hosted',
      agentId,
      by: { keyId: 7, wallet: WHO.owner },
      tokenIn: 'ETH',
      tokenOut: 'USDG',
      notionalUsd: 5,
      ownerAttestsNonUs: false,
      fund: false,
      admit: async () => {},
      judge: () => {},
      beforeCosign: async () => {},
    }
  })
  const trade = (change: Partial<HostedRequest> = {}) =>
    world.sessions.tradeInSession({ ...request, ...change })

  describe('in the agent’s session', () => {
    it('are co-signed, and stored for the agent’s key', async () => {
      const traded = await trade()
      if (traded.kind !== 'cosigned') return expect.unreachable('not co-signed')
      const { tx } = traded
      expect(tx).toMatchObject({ from: WHO.executor, to: world.addresses.manager, valueWei: 0n })
      expect(describeTrade(traded)).toMatchObject({
        ready: true,
        wallet: WHO.owner,
        spend: { trades: 1, this_usd: 5 },
      })
      expect(world.seen.plans).toMatchObject([
        { keyId: 7, wallet: WHO.owner, path: 'hosted', sessionId: request.sessionId },
      ])
      expect(world.seen.plans[0]!.plan.steps[0]!.tx!.data).toBe(tx.data)
    })

    it('are refused at the session’s limits, and the refusal is recorded for the agent', async () => {
      expect(await codeOf(trade({ notionalUsd: 26 }))).toBe('SESSION_MAX_TRADE')
      expect(world.seen.refusals).toMatchObject([{ keyId: 7, path: 'hosted', code: 'SESSION_MAX_TRADE' }])
    })

    it('are not co-signed if beforeCosign throws', async () => {
      const beforeCosign = async () => fail('KILLED')
      expect(await codeOf(trade({ beforeCosign }))).toBe('KILLED')
      expect(await db.query('select id from session_trades')).toEqual([])
    })

    it('are checked against the agent’s own terms before anything is counted', async () => {
      const judged: string[] = []
      await trade({ judge: ({ tokenIn, tokenOut }) => void judged.push(tokenIn.symbol, tokenOut.symbol) })
      expect(judged).toEqual(['ETH', 'USDG'])
      const judge = () => {
        throw refusal('RISK_NOT_ACCEPTED')
      }
      expect(await codeOf(trade({ judge }))).toBe('RISK_NOT_ACCEPTED')
      expect(await db.query('select id from session_trades')).toHaveLength(1)
      // Orders the agent itself rejects are not recorded as session refusals.
      expect(world.seen.refusals).toEqual([])
    })
  })

  it.each([
    ['an unknown session', { sessionId: 'ses_none' }],
    ['another agent’s session', { agentId: 'agt_2' }],
  ])('are refused in %s', async (_, change) => {
    expect(await codeOf(trade(change))).toBe('NO_SESSION')
  })

  it.each(['retired_at_s', 'closed_at_s'])('are refused for an executor with %s', async (column) => {
    await db.query(`update hosted_executors set ${column} = 5`)
    expect(await codeOf(trade())).toBe('NO_SESSION')
  })

  it('are refused for a sanctioned wallet', async () => {
    world.state.sanctioned.add(WHO.executor)
    expect(await codeOf(trade())).toBe('SANCTIONED')
  })

  it('stop after the owner revokes the session', async () => {
    const revoke = (wallet: Address, keyId: number | null = null) =>
      world.sessions.revokeSession({ wallet, sessionId: request.sessionId, keyId })
    const stored = await world.sessions.sessionOf(request.sessionId)
    expect(stored).toMatchObject({ id: request.sessionId, status: 'active' })
    expect(await world.sessions.sessionOf('ses_none')).toBeNull()
    expect(await codeOf(revoke(WHO.stranger))).toBe('NO_SESSION')
    const revoked = describeRevoked(await revoke(WHO.owner))
    expect(revoked).toMatchObject({ status: 'revoked', signer_revoked: true })
    expect(revoked.on_chain.length).toBeGreaterThan(0)
    // Without a key nothing can be relayed; the setup belongs to the grant.
    expect(world.seen.ownerTxs).toHaveLength(1)
    await revoke(WHO.owner, 7)
    expect(world.seen.ownerTxs.at(-1)).toMatchObject({ keyId: 7, wallet: WHO.owner })
    expect(await codeOf(trade())).toBe('SESSION_REVOKED')
  })
})
