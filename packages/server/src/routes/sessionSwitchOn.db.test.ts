import { withDb } from '@pit/platform/test/withStore'
import { refusal } from '@pit/protocol'
import { createCosigner } from '@pit/sessions/internal/cosigner'
import { endStuck } from '@pit/sessions/internal/jobs'
import { findSession } from '@pit/sessions/internal/store'
import { SignerUnreachable } from '@pit/signer-wire'
import { MEME } from '@pit/trading/test/tradeFixtures'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  codeOf,
  emptySessions,
  openSessionWorld,
  refused,
  type SessionWorld,
  WHO,
} from '../../test/sessionWorld.ts'

withDb('switching a session on', (db) => {
  let world: SessionWorld
  beforeEach(async () => {
    await emptySessions(db)
    world = openSessionWorld(db)
  })

  describe('switching on', () => {
    it('requires every signature of the owner, and accepts no one else’s', async () => {
      const { session_id } = await world.start({ tokens: ['ETH', 'USDG', MEME.address] })
      const own = await world.signatures(session_id)
      const forged = await world.signatures(session_id, 'stranger')
      const on = (body: object, role: 'owner' | 'stranger' | 'executor' = 'owner') =>
        world.post('live.session.grant', role, body)
      const malformed = [
        '0x',
        '0x1',
        '0x12',
        `0x${'11'.repeat(64)}`,
        `0x${'11'.repeat(65)}`,
        `0x${'11'.repeat(900)}`,
      ]
      expect(await codeOf(on(own, 'stranger'))).toBe('NO_SESSION')
      expect(await codeOf(on(own, 'executor'))).toBe('NO_SESSION')
      expect(await codeOf(on({ ...own, session_id: 'ses_none' }))).toBe('NO_SESSION')
      for (const field of ['delegation_signature', 'authorization_signature'] as const) {
        expect(await refused(on({ ...own, [field]: forged[field] }))).toMatchObject({
          code: 'BAD_SIGNATURE',
          status: 422,
        })
        for (const signature of [...malformed, `${own[field]!.slice(0, -2)}1d`]) {
          expect(await refused(on({ ...own, [field]: signature }))).toMatchObject({
            code: 'BAD_SIGNATURE',
            status: 400,
            extras: { field },
          })
        }
      }
      const { curve_root_signatures } = forged
      expect(await refused(on({ ...own, curve_root_signatures }))).toMatchObject({
        code: 'BAD_SIGNATURE',
        status: 422,
      })
      const [first] = Object.entries(own.curve_root_signatures!)
      expect(await codeOf(on({ ...own, curve_root_signatures: Object.fromEntries([first!]) }))).toBe(
        'BAD_REQUEST',
      )
      const stray = { ...own.curve_root_signatures, [`0x${'ab'.repeat(32)}`]: first![1] }
      expect(await codeOf(on({ ...own, curve_root_signatures: stray }))).toBe('BAD_REQUEST')
      const { authorization_signature: _, ...without } = own
      expect(await codeOf(on(without))).toBe('BAD_REQUEST')
      expect(world.signer.roots.size).toBe(0)

      expect(await on(own)).toMatchObject({ status: 'active', authorization_stored: true })
      expect(world.signer.roots.get(own.rootHash)?.request).toMatchObject({
        session_id,
        curve_roots: [{}, {}],
      })
      expect(await on(own), 'again').toMatchObject({ status: 'active' })
    })

    it('works without curve roots, and without an authorization once the wallet runs the delegator', async () => {
      const { session_id } = await world.start({ tokens: ['ETH', 'USDG', MEME.address] })
      world.settleWallet()
      const { delegation_signature } = await world.signatures(session_id)
      const answer = await world.post('live.session.grant', 'owner', { session_id, delegation_signature })
      expect(answer).toMatchObject({ status: 'active', authorization_stored: false, curve_roots: null })
    })

    it('accepts an authorization for the wallet as it was, as it is, or after its setup', async () => {
      for (const [sent, signsFor, stored] of [
        [0, 0, true],
        // Before its setup is sent, for the nonce after it.
        [0, 2, true],
        [2, 2, true],
        [3, 3, true],
        // Outdated signatures are not stored; the response says what to sign instead.
        [3, 0, false],
        [3, 2, false],
      ] as const) {
        world.chain.setNonce(WHO.owner, 0)
        const { session_id, sign } = await world.start()
        expect(sign.authorization).toMatchObject({ nonce: 0, after_setup: { nonce: 2 } })
        const own = await world.signatures(session_id)
        world.chain.setNonce(WHO.owner, sent)
        const answer = await world.post('live.session.grant', 'owner', {
          ...own,
          authorization_signature: world.authorize(signsFor),
        })
        expect(answer).toMatchObject({
          status: 'active',
          authorization_stored: stored,
          sign: stored ? null : { authorization: { nonce: sent, wallet: WHO.owner } },
        })
      }
      const { session_id } = await world.start()
      const own = await world.signatures(session_id)
      const strange = { ...own, authorization_signature: world.authorize(9) }
      expect(await refused(world.post('live.session.grant', 'owner', strange))).toMatchObject({
        code: 'BAD_SIGNATURE',
        status: 422,
      })
    })

    it('accepts a new authorization of an active session, by its session_id alone', async () => {
      const { id: session_id } = await world.grant()
      const again = (nonce: number, by: 'owner' | 'stranger' = 'owner') =>
        world.post('live.session.grant', 'owner', {
          session_id,
          authorization_signature: world.authorize(nonce, by),
        })
      world.chain.setNonce(WHO.owner, 7)
      expect(await refused(again(7, 'stranger'))).toMatchObject({ code: 'BAD_SIGNATURE', status: 422 })
      expect(await again(0), 'as it was granted').toMatchObject({ sign: { authorization: { nonce: 7 } } })
      expect(await again(7)).toMatchObject({ authorization_stored: true, sign: null })
      expect((await world.trade({ id: session_id })).tx).toMatchObject({
        type: 4,
        authorization_list: [{ nonce: 7 }],
      })
      world.settleWallet()
      expect(await again(7), 'none is needed by now').toMatchObject({ status: 'active' })
      world.chain.code.set(WHO.owner, '0x6001')
      expect(await codeOf(again(7))).toBe('WALLET_CODE')
      await world.post('live.session.revoke', 'owner', { session_id, reset_code: false })
      expect(await codeOf(again(7))).toBe('SESSION_REVOKED')
      world.chain.code.delete(WHO.owner)
      const other = await world.start()
      expect(
        await refused(
          world.post('live.session.grant', 'owner', {
            session_id: other.session_id,
            authorization_signature: world.authorize(7),
          }),
        ),
      ).toMatchObject({ code: 'BAD_REQUEST', extras: { field: 'delegation_signature' } })
    })

    it('happens once, whatever gets lost between the two', async () => {
      const { session_id } = await world.start()
      const own = await world.signatures(session_id)
      const on = () => world.post('live.session.grant', 'owner', own)
      // The co-signer has it already: a response was lost.
      await world.signer.registerRoot({
        session_id,
        binding: (await findSession(db, session_id))!.binding,
        root: (await findSession(db, session_id))!.root,
        curve_roots: [],
      })
      expect(await Promise.all([on(), on()])).toMatchObject([{ status: 'active' }, { status: 'active' }])
      const other = await world.start()
      const otherSignatures = await world.signatures(other.session_id)
      await world.signer.registerRoot({
        session_id: 'another',
        binding: (await findSession(db, other.session_id))!.binding,
        root: (await findSession(db, other.session_id))!.root,
        curve_roots: [],
      })
      expect(await codeOf(world.post('live.session.grant', 'owner', otherSignatures))).toBe('ROOT_REUSED')
    })

    it('leaves nothing at the co-signer for one that was revoked while it was switched on', async () => {
      const { session_id } = await world.start()
      const own = await world.signatures(session_id)
      const { registerRoot } = world.signer
      world.signer.registerRoot = async (request) => {
        const answer = await registerRoot(request)
        await db.query(`update sessions set status = 'revoked', revoked_at_s = 1 where id = $1`, [session_id])
        return answer
      }
      expect(await codeOf(world.post('live.session.grant', 'owner', own))).toBe('SESSION_REVOKED')
      expect(world.signer.roots.get(own.rootHash)?.revoked).toBe(true)
    })

    it('is too late for one that was revoked or has ended', async () => {
      const { session_id } = await world.start({ expires_in_s: 60 })
      const own = await world.signatures(session_id)
      world.clock.aheadS = 60
      expect(await codeOf(world.post('live.session.grant', 'owner', own))).toBe('SESSION_EXPIRED')
      world.clock.aheadS = 0
      await db.query(`update sessions set status = 'revoked', revoked_at_s = 1 where id = $1`, [session_id])
      expect(await codeOf(world.post('live.session.grant', 'owner', own))).toBe('SESSION_REVOKED')
    })

    describe('whose response is lost', () => {
      const cosigner = () =>
        createCosigner({ client: world.signer, pinned: null, logger: world.options.logger })
      const jobs = () => ({ ...world.options, cosigner: cosigner() })
      /** The co-signer registers it, and the response is lost. */
      function lose(): () => void {
        const { registerRoot } = world.signer
        world.signer.registerRoot = async (request) => {
          await registerRoot(request)
          throw new SignerUnreachable('nothing in 10 ms')
        }
        return () => {
          world.signer.registerRoot = registerRoot
        }
      }

      it('is stored with its signatures until it is repeated', async () => {
        const { session_id } = await world.start()
        const own = await world.signatures(session_id)
        const on = () => world.post('live.session.grant', 'owner', own)
        const restore = lose()
        expect(await codeOf(on())).toBe('SIGNER_UNAVAILABLE')
        expect(await findSession(db, session_id)).toMatchObject({
          status: 'registering',
          root: { signature: own.delegation_signature },
        })
        expect(await codeOf(world.trade({ id: session_id }))).toBe('SESSION_PENDING')
        expect(await world.post('me.sessions', 'owner')).toMatchObject({ sessions: [{ status: 'pending' }] })
        restore()
        expect(await on()).toMatchObject({ status: 'active' })
      })

      it('is ended at the co-signer if it is not repeated', async () => {
        const { session_id } = await world.start()
        const own = await world.signatures(session_id)
        lose()
        await codeOf(world.post('live.session.grant', 'owner', own))
        expect(world.signer.roots.get(own.rootHash)).toMatchObject({ revoked: false })
        await endStuck(jobs())
        expect(await findSession(db, session_id)).toMatchObject({ status: 'registering' })
        world.clock.aheadS = 301
        await endStuck(jobs())
        expect(await findSession(db, session_id)).toMatchObject({ status: 'revoked', authorization: null })
        expect(world.signer.roots.get(own.rootHash)).toMatchObject({ revoked: true })
      })

      it('is not refused either if the co-signer has the root but does not answer for its owner', async () => {
        const { session_id } = await world.start()
        const own = await world.signatures(session_id)
        const on = () => world.post('live.session.grant', 'owner', own)
        const { registerRoot, root } = world.signer
        world.signer.registerRoot = async (request) => {
          await registerRoot(request)
          throw refusal('ROOT_REUSED')
        }
        world.signer.root = async () => {
          throw new SignerUnreachable('nothing in 10 ms')
        }
        expect(await codeOf(on())).toBe('ROOT_REUSED')
        // Otherwise it would never be ended there.
        expect(await findSession(db, session_id)).toMatchObject({ status: 'registering' })
        Object.assign(world.signer, { registerRoot, root })
        expect(await on()).toMatchObject({ status: 'active' })
      })

      it('also ends here what it ended at the co-signer, after a refused concurrent call removed the signatures', async () => {
        const { session_id } = await world.start()
        const own = await world.signatures(session_id)
        const on = () => codeOf(world.post('live.session.grant', 'owner', own))
        const { registerRoot } = world.signer
        let second: Promise<string> | undefined
        let first: Promise<string> | undefined
        let calls = 0
        world.signer.registerRoot = async (request) => {
          if (calls++ > 0) {
            const answer = await registerRoot(request)
            await first
            return answer
          }
          second = on()
          await expect.poll(() => calls, { timeout: 30_000 }).toBe(2)
          throw refusal('BUSY')
        }
        first = on()
        expect(await first).toBe('BUSY')
        expect(await second).toBe('SESSION_REVOKED')
        expect(world.signer.roots.get(own.rootHash)?.revoked).toBe(true)
        world.signer.registerRoot = registerRoot
        // Signing it again would not help: the co-signer accepts no root twice.
        expect((await findSession(db, session_id))?.status ?? 'revoked').toBe('revoked')
      })

      it('differs from a refusal, after which it can be signed again', async () => {
        const { session_id } = await world.start()
        const own = await world.signatures(session_id)
        const { registerRoot } = world.signer
        world.signer.registerRoot = async () => {
          throw refusal('CAP_PRICE')
        }
        expect(await codeOf(world.post('live.session.grant', 'owner', own))).toBe('CAP_PRICE')
        expect(await findSession(db, session_id)).toMatchObject({
          status: 'pending',
          root: { signature: '0x' },
        })
        world.signer.registerRoot = registerRoot
        expect(await world.post('live.session.grant', 'owner', own)).toMatchObject({ status: 'active' })
      })
    })
  })
})
