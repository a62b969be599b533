import { NATIVE } from '@pit/chain'
import { SignerUnreachable } from '@pit/platform/signerClient'
import { withDb } from '@pit/platform/test/withStore'
import { refusal } from '@pit/protocol'
import { createCosigner } from '@pit/sessions/internal/cosigner'
import { endStuck } from '@pit/sessions/internal/jobs'
import { deleteEnded, deleteUnsigned, findSession } from '@pit/sessions/internal/store'
import { MEME, PERMIT2, ROUTER } from '@pit/trading/test/tradeFixtures'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  CURVE,
  codeOf,
  emptySessions,
  hostedRecord,
  openSessionWorld,
  refused,
  type SessionWorld,
  WHO,
} from '../../test/sessionWorld.ts'

withDb('granting', (db) => {
  let world: SessionWorld
  beforeEach(async () => {
    await emptySessions(db)
    world = openSessionWorld(db)
  })

  describe('a grant', () => {
    it('says what is signed, what has to be sent first, and what can be lost', async () => {
      const pending = await world.start({ tokens: ['ETH', 'USDG', MEME.address], setup_budget_usd: 60 })
      expect(pending).toMatchObject({
        status: 'pending',
        wallet: WHO.owner,
        executor: WHO.executor,
        cosigner: WHO.cosigner,
        expires: world.nowS() + 86_400,
        wallet_code: 'none',
        limits: { max_trade_usd: 25, max_day_usd: 100, max_trades: 50 },
        sign: { authorization: { nonce: 0, after_setup: { nonce: 5 }, address: world.addresses.delegator } },
      })
      // A dollar is a dollar, ETH 2,500 of them: caps are rounded down.
      expect(pending.sign.delegation.binding['marks']).toEqual([
        { token: MEME.address, decimals: 18, price_e18: (5n * 10n ** 17n).toString() },
      ])
      const approved = pending.setup.map(({ decoded }) => decoded as { spender: string; atoms: string })
      expect(approved.map(({ spender, atoms }) => [spender, atoms])).toEqual([
        [PERMIT2, '60000000'],
        [ROUTER, '60000000'],
        [PERMIT2, (120n * 10n ** 18n).toString()],
        [ROUTER, (120n * 10n ** 18n).toString()],
        [CURVE.id, (120n * 10n ** 18n).toString()],
      ])
      expect(pending.setup.map(({ tx }) => tx?.nonce)).toEqual([0, 1, 2, 3, 4])
      expect(world.seen.ownerTxs[0]?.txs).toHaveLength(5)
      expect(pending.caveats.map(({ enforcer }) => enforcer)).toEqual([
        'Redeemer',
        'AllowedTargets',
        'AllowedMethods',
        'Timestamp',
        'LimitedCalls',
        'NativeTokenPeriodTransfer',
        'ValueLte',
      ])
      expect(pending.exposure).toMatchObject({
        on_chain: {
          eth: { per_trade_wei: (10n ** 16n).toString(), per_window_wei: (4n * 10n ** 16n).toString() },
        },
        by_cosigner: { max_trade_usd: 25, max_day_usd: 100 },
      })
      expect(Object.keys(pending.sign.curve_roots as object)).toHaveLength(2)
    })

    it('asks for no setup that is there, and for no authorization of a wallet that runs the delegator', async () => {
      world.settleWallet()
      const pending = await world.start()
      expect(pending).toMatchObject({ wallet_code: 'delegator', setup: [], sign: { authorization: null } })
      expect(await world.start({ setup_budget_usd: 0 })).toMatchObject({ setup: [] })
    })

    it.each([
      [{ max_trade_usd: 1_000.01 }, 'SESSION_LIMIT', 'max_trade_usd'],
      [{ max_trade_usd: 0 }, 'SESSION_LIMIT', 'max_trade_usd'],
      [{ max_day_usd: 24 }, 'SESSION_LIMIT', 'max_day_usd'],
      [{ max_day_usd: 2_500.01 }, 'SESSION_LIMIT', 'max_day_usd'],
      [{ max_trades: 0 }, 'SESSION_LIMIT', 'max_trades'],
      [{ max_trades: 10_001 }, 'SESSION_LIMIT', 'max_trades'],
      [{ expires_in_s: 59 }, 'SESSION_LIMIT', 'expires_in_s'],
      [{ expires_in_s: 2_592_001 }, 'SESSION_LIMIT', 'expires_in_s'],
      [{ tokens: ['ETH', 'USDG', MEME.address], expires_in_s: 86_401 }, 'SESSION_LIMIT', 'expires_in_s'],
      [{ tokens: ['ETH'] }, 'SESSION_LIMIT', 'tokens'],
      [{ tokens: ['ETH', NATIVE] }, 'SESSION_LIMIT', 'tokens'],
      [{ setup_budget_usd: -1 }, 'SESSION_LIMIT', 'setup_budget_usd'],
      [{ setup_budget_usd: 1_251 }, 'SESSION_LIMIT', 'setup_budget_usd'],
      [{ tokens: ['ETH', 'DOGE'] }, 'TOKEN_NOT_ALLOWED', 'tokens.1'],
      [{ tokens: ['ETH', `0x${'77'.repeat(20)}`] }, 'UNKNOWN_TOKEN', 'tokens.1'],
      [{ tokens: ['USDG', MEME.address], pools: false }, 'TOKEN_NOT_ALLOWED', 'tokens.1'],
      [{ executor: WHO.owner }, 'BAD_EXECUTOR', 'executor'],
      [{ executor: WHO.cosigner }, 'BAD_EXECUTOR', 'executor'],
      [{ executor: ROUTER }, 'BAD_EXECUTOR', 'executor'],
      [{ executor: NATIVE }, 'BAD_EXECUTOR', 'executor'],
      [{ wallet: WHO.stranger }, 'WALLET_MISMATCH', 'wallet'],
      [{ policies: ['block_new'] }, 'BAD_REQUEST', 'policies'],
    ])('of %j is refused: %s at %s', async ({ pools, ...terms }: Record<string, unknown>, code, field) => {
      if (pools === false) {
        const { get } = world.options.tokens
        world.options.tokens.get = async (...asked) => ({ ...(await get(...asked)), venues: [] })
      }
      const error = await refused(world.start(terms))
      expect(error).toMatchObject({ code, extras: { field } })
    })

    it('is refused for risks nobody accepted and for policies that block', async () => {
      const { get } = world.options.tokens
      const risks = [{ code: 'HONEYPOT' as const, severity: 'severe' as const, message: 'x' }]
      world.options.tokens.get = async (...asked) => ({ ...(await get(...asked)), risks })
      const tokens = ['ETH', MEME.address]
      expect(await refused(world.start({ tokens }))).toMatchObject({
        code: 'RISK_NOT_ACCEPTED',
        extras: { unaccepted: ['HONEYPOT'] },
      })
      const accept_risks = ['HONEYPOT']
      expect(await world.start({ tokens, accept_risks })).toMatchObject({ risk_terms: { accept_risks } })
      const terms = { tokens, accept_risks, shield: true, policies: ['require_verified', 'block_severe'] }
      expect(await refused(world.start(terms))).toMatchObject({
        code: 'RISK_BLOCKED',
        extras: { blocked: ['AUDIT_UNVERIFIED', 'HONEYPOT'] },
      })
    })

    it('to a hosted agent’s executor is its owner’s alone', async () => {
      await world.host({ owner: WHO.stranger })
      expect(await codeOf(world.start())).toBe('EXECUTOR_OWNER')
      await db.query('update hosted_executors set owner = $1', [WHO.owner])
      expect(await world.start()).toMatchObject({ status: 'pending' })
    })

    it('is refused while something it stands on is missing', async () => {
      world.chain.code.set(WHO.owner, '0x6001')
      expect(await codeOf(world.start())).toBe('WALLET_CODE')
      world.chain.isDown = true
      expect(await codeOf(world.start())).toBe('RPC_UNAVAILABLE')
      world.chain.isDown = false
      const { mark } = world.options.market
      world.options.market.mark = (token) => (token === NATIVE ? undefined : mark(token))
      world.chain.code.clear()
      expect(await codeOf(world.start())).toBe('NO_MARK')
      world.state.sanctioned.add(WHO.executor)
      expect(await refused(world.start())).toMatchObject({
        code: 'SANCTIONED',
        extras: { field: 'executor' },
      })
      expect(await codeOf(openSessionWorld(db, { withSigner: false }).start())).toBe('SIGNER_REQUIRED')
      const deaf = openSessionWorld(db)
      deaf.signer.reachable = false
      expect(await refused(deaf.start())).toMatchObject({
        code: 'SIGNER_UNAVAILABLE',
        status: 503,
        retryAfterS: 5,
      })
    })

    it('keeps the newest of what was never signed, and sweeps it in time', async () => {
      for (let i = 0; i < 25; i++) await world.start()
      const count = async () => (await db.query<{ n: number }>('select count(*) as n from sessions'))[0]?.n
      expect(await count()).toBe(20)
      expect(await deleteUnsigned(db, world.nowS(), world.nowS())).toBe(0)
      const { id } = await world.grant()
      const [newest] = (await world.post('me.sessions', 'owner')).sessions.filter(
        ({ status }) => status === 'pending',
      )
      world.signer.reachable = false
      await world.post('live.session.revoke', 'owner', { session_id: newest!.session_id, reset_code: false })
      expect(
        await deleteUnsigned(db, world.nowS() + 1, world.nowS()),
        'revoked before it was signed too',
      ).toBe(19)
      expect(await findSession(db, id), 'never what was signed').toMatchObject({ status: 'active' })
    })
  })

  describe('switching on', () => {
    it('takes every signature of the owner, and nobody else’s', async () => {
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
      expect(world.signer.roots.get(own.rootHash)?.ask).toMatchObject({ session_id, curve_roots: [{}, {}] })
      expect(await on(own), 'again').toMatchObject({ status: 'active' })
    })

    it('works without curve roots, and without an authorization once the wallet runs the delegator', async () => {
      const { session_id } = await world.start({ tokens: ['ETH', 'USDG', MEME.address] })
      world.settleWallet()
      const { delegation_signature } = await world.signatures(session_id)
      const answer = await world.post('live.session.grant', 'owner', { session_id, delegation_signature })
      expect(answer).toMatchObject({ status: 'active', authorization_stored: false, curve_roots: null })
    })

    it('takes an authorization for the wallet as it was, as it is, or as its setup leaves it', async () => {
      for (const [sent, signsFor, stored] of [
        [0, 0, true],
        // Before its setup is sent, for the nonce after it.
        [0, 2, true],
        [2, 2, true],
        [3, 3, true],
        // Of what no longer counts nothing is kept; what to sign instead is answered.
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

    it('takes a new authorization of an active session, by its session_id alone', async () => {
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

    it('is once, whatever gets lost between the two', async () => {
      const { session_id } = await world.start()
      const own = await world.signatures(session_id)
      const on = () => world.post('live.session.grant', 'owner', own)
      // The co-signer has it already: an answer was lost on the way back.
      await world.signer.registerRoot({
        session_id,
        binding: (await findSession(db, session_id))!.binding,
        root: (await findSession(db, session_id))!.root,
        curve_roots: [],
      })
      expect(await Promise.all([on(), on()])).toMatchObject([{ status: 'active' }, { status: 'active' }])
      const other = await world.start()
      const taken = await world.signatures(other.session_id)
      await world.signer.registerRoot({
        session_id: 'another',
        binding: (await findSession(db, other.session_id))!.binding,
        root: (await findSession(db, other.session_id))!.root,
        curve_roots: [],
      })
      expect(await codeOf(world.post('live.session.grant', 'owner', taken))).toBe('ROOT_REUSED')
    })

    it('leaves nothing at the co-signer of one that was revoked while it was switched on', async () => {
      const { session_id } = await world.start()
      const own = await world.signatures(session_id)
      const { registerRoot } = world.signer
      world.signer.registerRoot = async (ask) => {
        const answer = await registerRoot(ask)
        await db.query(`update sessions set status = 'revoked', revoked_at_s = 1 where id = $1`, [session_id])
        return answer
      }
      expect(await codeOf(world.post('live.session.grant', 'owner', own))).toBe('SESSION_REVOKED')
      expect(world.signer.roots.get(own.rootHash)?.revoked).toBe(true)
    })

    it('comes too late for one that was revoked or has ended', async () => {
      const { session_id } = await world.start({ expires_in_s: 60 })
      const own = await world.signatures(session_id)
      world.clock.aheadS = 60
      expect(await codeOf(world.post('live.session.grant', 'owner', own))).toBe('SESSION_EXPIRED')
      world.clock.aheadS = 0
      await db.query(`update sessions set status = 'revoked', revoked_at_s = 1 where id = $1`, [session_id])
      expect(await codeOf(world.post('live.session.grant', 'owner', own))).toBe('SESSION_REVOKED')
    })

    describe('whose answer is lost', () => {
      const cosigner = () =>
        createCosigner({ client: world.signer, pinned: null, logger: world.options.logger })
      const jobs = () => ({ ...world.options, cosigner: cosigner() })
      /** The co-signer takes it, and nobody hears. */
      function lose(): () => void {
        const { registerRoot } = world.signer
        world.signer.registerRoot = async (ask) => {
          await registerRoot(ask)
          throw new SignerUnreachable('nothing in 10 ms')
        }
        return () => {
          world.signer.registerRoot = registerRoot
        }
      }

      it('is kept with its signatures until it is asked again', async () => {
        const { session_id } = await world.start()
        const own = await world.signatures(session_id)
        const on = () => world.post('live.session.grant', 'owner', own)
        const found = lose()
        expect(await codeOf(on())).toBe('SIGNER_UNAVAILABLE')
        expect(await findSession(db, session_id)).toMatchObject({
          status: 'registering',
          root: { signature: own.delegation_signature },
        })
        expect(await codeOf(world.trade({ id: session_id }))).toBe('SESSION_PENDING')
        expect(await world.post('me.sessions', 'owner')).toMatchObject({ sessions: [{ status: 'pending' }] })
        found()
        expect(await on()).toMatchObject({ status: 'active' })
      })

      it('is ended at the co-signer when nobody asks again', async () => {
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

      it('is no refusal either where the co-signer has the root and cannot be asked whose it is', async () => {
        const { session_id } = await world.start()
        const own = await world.signatures(session_id)
        const on = () => world.post('live.session.grant', 'owner', own)
        const { registerRoot, root } = world.signer
        world.signer.registerRoot = async (ask) => {
          await registerRoot(ask)
          throw refusal('ROOT_REUSED')
        }
        world.signer.root = async () => {
          throw new SignerUnreachable('nothing in 10 ms')
        }
        expect(await codeOf(on())).toBe('ROOT_REUSED')
        // Or nobody would end it there.
        expect(await findSession(db, session_id)).toMatchObject({ status: 'registering' })
        Object.assign(world.signer, { registerRoot, root })
        expect(await on()).toMatchObject({ status: 'active' })
      })

      it('ends here too what it ended at the co-signer: a call beside it was refused and took the signatures back', async () => {
        const { session_id } = await world.start()
        const own = await world.signatures(session_id)
        const on = () => codeOf(world.post('live.session.grant', 'owner', own))
        const { registerRoot } = world.signer
        let second: Promise<string> | undefined
        let first: Promise<string> | undefined
        let calls = 0
        world.signer.registerRoot = async (ask) => {
          if (calls++ > 0) {
            const answer = await registerRoot(ask)
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
        // Signing it again would be in vain: the co-signer takes no root twice.
        expect((await findSession(db, session_id))?.status ?? 'revoked').toBe('revoked')
      })

      it('is told apart from a refusal, after which it can be signed again', async () => {
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

  describe('many grants', () => {
    it('that are revoked before they are signed leave nothing behind', async () => {
      const { session_id } = await world.start()
      const { rootHash } = (await findSession(db, session_id))!
      const revoke = () => world.post('live.session.revoke', 'owner', { session_id, reset_code: false })
      world.signer.reachable = false
      expect(await revoke()).toMatchObject({ status: 'revoked', signer_revoked: false })
      expect(await findSession(db, session_id)).toMatchObject({ status: 'revoked' })
      world.signer.reachable = true
      const told: string[] = []
      const { revokeRoot } = world.signer
      world.signer.revokeRoot = (hash) => {
        told.push(hash)
        return revokeRoot(hash)
      }
      expect(await revoke()).toMatchObject({ signer_revoked: true })
      expect(told).toEqual([rootHash])
      expect(await findSession(db, session_id)).toBeUndefined()
    })

    it('hide nothing that can trade', async () => {
      const { id } = await world.grant()
      world.clock.aheadS = 60
      for (let i = 0; i < 3; i++) await world.start()
      const { sessions } = await world.post('me.sessions', 'owner')
      expect(sessions.map(({ status }) => status)).toEqual(['active', 'pending', 'pending', 'pending'])
      expect(sessions[0]).toMatchObject({ session_id: id })
    })

    it('are swept long after their end, with what they counted, unless an agent still names them', async () => {
      world.settleWallet()
      const [old, named] = [await world.grant(), await world.grant()]
      await world.trade(old)
      await world.host()
      await db.query('update hosted_agents set session_id = $1', [named.id])
      expect(await deleteEnded(db, old.expiresAtS, 10, hostedRecord.sessionsInUse)).toBe(0)
      expect(await deleteEnded(db, old.expiresAtS + 1, 10, hostedRecord.sessionsInUse)).toBe(1)
      expect(await findSession(db, old.id)).toBeUndefined()
      expect(await findSession(db, named.id)).toBeDefined()
      expect(await db.query('select id from session_trades')).toEqual([])
    })
  })
})
