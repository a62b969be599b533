import { NATIVE } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
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
    it('lists what to sign, what to send first, and the maximum loss', async () => {
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

    it('omits existing setup, and the authorization of a wallet that runs the delegator', async () => {
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
    ])('of %j is rejected: %s at %s', async ({ pools, ...terms }: Record<string, unknown>, code, field) => {
      if (pools === false) {
        const { get } = world.options.tokens
        world.options.tokens.get = async (...asked) => ({ ...(await get(...asked)), venues: [] })
      }
      const error = await refused(world.start(terms))
      expect(error).toMatchObject({ code, extras: { field } })
    })

    it('is rejected for unaccepted risks and for blocking policies', async () => {
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

    it('to a hosted agent’s executor belongs to its owner', async () => {
      await world.host({ owner: WHO.stranger })
      expect(await codeOf(world.start())).toBe('EXECUTOR_OWNER')
      await db.query('update hosted_executors set owner = $1', [WHO.owner])
      expect(await world.start()).toMatchObject({ status: 'pending' })
    })

    it('is rejected while a dependency is missing', async () => {
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

    it('keeps the newest unsigned ones, and sweeps them in time', async () => {
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

  describe('many grants', () => {
    it('that are revoked before they are signed leave nothing behind', async () => {
      const { session_id } = await world.start()
      const { rootHash } = (await findSession(db, session_id))!
      const revoke = () => world.post('live.session.revoke', 'owner', { session_id, reset_code: false })
      world.signer.reachable = false
      expect(await revoke()).toMatchObject({ status: 'revoked', signer_revoked: false })
      expect(await findSession(db, session_id)).toMatchObject({ status: 'revoked' })
      world.signer.reachable = true
      const revokedRoots: string[] = []
      const { revokeRoot } = world.signer
      world.signer.revokeRoot = (hash) => {
        revokedRoots.push(hash)
        return revokeRoot(hash)
      }
      expect(await revoke()).toMatchObject({ signer_revoked: true })
      expect(revokedRoots).toEqual([rootHash])
      expect(await findSession(db, session_id)).toBeUndefined()
    })

    it('hide no session that can trade', async () => {
      const { id } = await world.grant()
      world.clock.aheadS = 60
      for (let i = 0; i < 3; i++) await world.start()
      const { sessions } = await world.post('me.sessions', 'owner')
      expect(sessions.map(({ status }) => status)).toEqual(['active', 'pending', 'pending', 'pending'])
      expect(sessions[0]).toMatchObject({ session_id: id })
    })

    it('are swept long after their end, with their counts, unless an agent still references them', async () => {
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
