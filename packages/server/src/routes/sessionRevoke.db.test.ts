import { encodeDisable } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { createCosigner } from '@pit/sessions/internal/cosigner'
import { createSessionGate } from '@pit/sessions/internal/gate'
import { sendRevocations } from '@pit/sessions/internal/jobs'
import { findSession } from '@pit/sessions/internal/store'
import type { Session } from '@pit/sessions/internal/types'
import { MEME, PERMIT2, ROUTER, USDG } from '@pit/trading/test/tradeFixtures'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  CURVE,
  codeOf,
  emptySessions,
  openSessionWorld,
  refused,
  type SessionWorld,
  WHO,
} from '../../test/sessionWorld.ts'

withDb('revoking', (db) => {
  let world: SessionWorld
  beforeEach(async () => {
    await emptySessions(db)
    world = openSessionWorld(db)
  })
  const revoke = (
    { id }: Pick<Session, 'id'>,
    reset_code = false,
    role: 'owner' | 'executor' | 'stranger' = 'owner',
  ) => world.post('live.session.revoke', role, { session_id: id, reset_code })

  it('ends it here and at the co-signer, and returns the on-chain steps', async () => {
    const session = await world.grant({ tokens: ['ETH', 'USDG', MEME.address] })
    world.settleWallet()
    world.chain.setNonce(WHO.owner, 9)
    const answer = await revoke(session, true)
    expect(answer).toMatchObject({
      status: 'revoked',
      revoked_at: world.nowS(),
      signer_revoked: true,
      simulation: { ok: true },
      reset_code: {
        authorization: { nonce: 13, address: `0x${'0'.repeat(40)}` },
        nonce_when_sent_by_another: 12,
      },
    })
    const { root, curveRoots } = session
    expect(answer.on_chain.map(({ tx }) => tx)).toMatchObject(
      [root, curveRoots!.curve, curveRoots!.fee].map((one, i) => ({
        type: 2,
        from: WHO.owner,
        to: world.addresses.manager,
        data: encodeDisable(one),
        nonce: 9 + i,
        gas: '65000',
      })),
    )
    expect(world.seen.ownerTxs.at(-1)?.txs).toHaveLength(3)
    expect(answer.approvals).toMatchObject([
      { token: USDG.address, spender: PERMIT2 },
      { token: USDG.address, spender: ROUTER, through: PERMIT2 },
      { token: MEME.address, spender: CURVE.id },
    ])
    expect(world.signer.roots.get(session.rootHash)?.revoked).toBe(true)
    expect(await codeOf(world.trade(session))).toBe('SESSION_REVOKED')
  })

  it('omits steps the chain no longer needs, and keeps its first time', async () => {
    const session = await world.grant()
    const { revoked_at } = await revoke(session)
    world.chain.disabled.add(session.rootHash)
    world.clock.aheadS = 50
    expect(await revoke(session)).toMatchObject({
      revoked_at,
      on_chain: [],
      simulation: null,
      signer_revoked: true,
    })
  })

  it('is one under concurrency, beside trades too', async () => {
    const session = await world.grant()
    world.settleWallet()
    const [one, , other] = await Promise.all([
      revoke(session),
      codeOf(world.trade(session)),
      revoke(session),
      codeOf(world.trade(session)),
    ])
    expect(other).toMatchObject({ status: 'revoked', revoked_at: one.revoked_at })
    expect(world.signer.roots.get(session.rootHash)?.revoked).toBe(true)
    expect(await codeOf(world.trade(session))).toBe('SESSION_REVOKED')
    // Only co-signed trades were counted before it, and nothing is left open.
    const counted = await db.query<{ status: string }>('select status from session_trades')
    expect(counted.every(({ status }) => status === 'signed')).toBe(true)
    expect(counted).toHaveLength(world.signer.roots.get(session.rootHash)!.leaves.length)
  })

  it('belongs to the owner', async () => {
    const session = await world.grant()
    expect(await refused(revoke(session, false, 'executor'))).toMatchObject({
      code: 'WALLET_MISMATCH',
      status: 403,
    })
    expect(await refused(revoke(session, false, 'stranger'))).toMatchObject({
      code: 'NO_SESSION',
      status: 404,
    })
    expect(await codeOf(revoke({ id: 'ses_none' }))).toBe('NO_SESSION')
    expect(world.signer.roots.get(session.rootHash)?.revoked).toBe(false)
  })

  it('works while co-signer and chain are away: the co-signer is notified once it is back', async () => {
    const session = await world.grant()
    world.signer.reachable = false
    world.chain.isDown = true
    const answer = await revoke(session)
    expect(answer).toMatchObject({
      status: 'revoked',
      signer_revoked: false,
      simulation: null,
      approvals: [],
      on_chain: [{ kind: 'disable_delegation', tx: { nonce: null } }],
    })
    expect(await codeOf(world.trade(session))).toBe('SESSION_REVOKED')
    const { logger } = world.options
    const cosigner = createCosigner({ client: world.signer, pinned: null, logger })
    await sendRevocations({ ...world.options, cosigner })
    expect(world.signer.roots.get(session.rootHash)?.revoked).toBe(false)
    world.signer.reachable = true
    await sendRevocations({ ...world.options, cosigner })
    expect(world.signer.roots.get(session.rootHash)?.revoked).toBe(true)
    expect(await revoke(session)).toMatchObject({ signer_revoked: true })
    cosigner.close()
  })

  describe('a grant that was never signed', () => {
    const listed = async () =>
      (await world.post('me.sessions', 'owner')).sessions.map(({ session_id, status }) => [
        session_id,
        status,
      ])

    it('cancels it at once: nothing is left here, at the co-signer or on chain', async () => {
      const { session_id } = await world.start()
      const signed = await world.signatures(session_id)
      const { rootHash } = (await findSession(db, session_id))!
      const revokeRoot = vi.spyOn(world.signer, 'revokeRoot')
      expect(await listed()).toEqual([[session_id, 'pending']])
      expect(await revoke({ id: session_id })).toMatchObject({
        session_id,
        status: 'revoked',
        revoked_at: world.nowS(),
        signer_revoked: true,
        on_chain: [],
        simulation: null,
        reset_code: null,
      })
      expect(await listed()).toEqual([])
      // A later signature switches nothing on, here or at the co-signer.
      expect(await codeOf(world.post('live.session.grant', 'owner', signed))).toBe('NO_SESSION')
      expect(revokeRoot).toHaveBeenCalledWith(rootHash)
      // A repeated cancellation finds nothing.
      expect(await codeOf(revoke({ id: session_id }))).toBe('NO_SESSION')
    })

    it('cancels it while co-signer and chain are away, and forgets it once the co-signer is back', async () => {
      const { session_id } = await world.start()
      const signed = await world.signatures(session_id)
      world.signer.reachable = false
      world.chain.isDown = true
      for (let tries = 0; tries < 2; tries++) {
        expect(await revoke({ id: session_id })).toMatchObject({
          status: 'revoked',
          signer_revoked: false,
          on_chain: [],
        })
      }
      expect(await listed()).toEqual([[session_id, 'revoked']])
      expect(await codeOf(world.post('live.session.grant', 'owner', signed))).toBe('SESSION_REVOKED')
      world.signer.reachable = true
      expect(await revoke({ id: session_id })).toMatchObject({ signer_revoked: true })
      expect(await listed()).toEqual([])
    })

    it('frees its place: cancelled ones do not count towards the twenty', async () => {
      const first = (await world.start()).session_id
      for (let n = 0; n < 25; n++) await revoke({ id: (await world.start()).session_id })
      expect(await listed()).toEqual([[first, 'pending']])
    })

    it('belongs to its owner', async () => {
      const { session_id } = await world.start()
      expect(await codeOf(revoke({ id: session_id }, false, 'executor'))).toBe('WALLET_MISMATCH')
      expect(await codeOf(revoke({ id: session_id }, false, 'stranger'))).toBe('NO_SESSION')
      expect(await listed()).toEqual([[session_id, 'pending']])
    })
  })

  it('while a trade is being co-signed keeps its leaf from everybody, and counts it', async () => {
    const session = await world.grant()
    world.settleWallet()
    world.signer.beforeLeaf = async () => {
      world.signer.reachable = false
      await revoke(session)
      world.signer.reachable = true
    }
    expect(await codeOf(world.trade(session))).toBe('SESSION_REVOKED')
    expect(await db.query(`select id from session_trades where status = 'signed'`)).toHaveLength(1)
    // Bytes stored for the relay before are not sent.
    expect(await createSessionGate({ db, clock: world.clock }).isOpen(session.id)).toBe(false)
  })

  it('needs no signer', async () => {
    const session = await world.grant()
    const bare = openSessionWorld(db, { withSigner: false })
    const answer = await bare.post('live.session.revoke', 'owner', {
      session_id: session.id,
      reset_code: false,
    })
    expect(answer).toMatchObject({ status: 'revoked', signer_revoked: false })
    expect(await bare.post('me.sessions', 'owner')).toMatchObject({
      wallet: WHO.owner,
      sessions: [{ session_id: session.id, status: 'revoked' }],
      hosted: [],
      hosted_available: false,
      routes: { revoke_session: 'POST /api/v1/live/session/revoke' },
    })
  })
})
