import { NATIVE } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { fail, refusal } from '@pit/protocol'
import { createSessionGate } from '@pit/sessions/internal/gate'
import type { Planned, PlanTx, TradePlan } from '@pit/trading'
import { MEME, ROUTER } from '@pit/trading/test/tradeFixtures'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  CURVE,
  codeOf,
  emptySessions,
  OTHER,
  openSessionWorld,
  refused,
  type SessionWorld,
  type TradeRequest,
  WHO,
} from '../../test/sessionWorld.ts'

const withSwap = (planned: Planned, over: Partial<PlanTx>): Planned => ({
  ...planned,
  plan: {
    ...planned.plan,
    steps: planned.plan.steps.map((step) => ({ ...step, tx: { ...step.tx!, ...over } })),
  },
})
const withFee = ({ request: params, ...rest }: Planned, bps: number): Planned => ({
  ...rest,
  request: { ...params, quote: { ...params.quote, fee: { ...params.quote.fee, bps } } },
})
/** Claims to trade twice as much as its call does. */
const twice = (plan: TradePlan): TradePlan => ({
  ...plan,
  quote: { ...plan.quote, amountIn: 2n * plan.quote.amountIn },
})

withDb('trading in a session', (db) => {
  let world: SessionWorld
  beforeEach(async () => {
    await emptySessions(db)
    world = openSessionWorld(db)
  })

  describe('a trade', () => {
    it('is co-signed, simulated as sent, stored for the relay and counted', async () => {
      const session = await world.grant()
      world.settleWallet()
      const answer = await world.trade(session)
      expect(answer).toMatchObject({
        ready: true,
        simulated_ok: true,
        executor: WHO.executor,
        wallet: WHO.owner,
        execution: 'router',
        tx: { type: 2, from: WHO.executor, to: world.addresses.manager, value: '0', gas: '520000' },
        leaf: { sequence: 1, expires: world.nowS() + 120 },
        spend: { trades: 1, trades_left: 49, last_24h_usd: 5, remaining_24h_usd: 95, this_usd: 5 },
        fee_bps: 25,
      })
      expect(answer.checks.every(({ ok }) => ok)).toBe(true)
      expect(world.signer.requests[0]?.execution).toMatchObject({ target: ROUTER, valueWei: 2n * 10n ** 15n })
      expect(world.signer.requests[0]).toMatchObject({
        root_hash: session.rootHash,
        fee_bps: 25,
        slippage_bps: 100,
      })
      const [stored] = world.seen.plans
      expect(stored).toMatchObject({ wallet: WHO.owner, path: 'session', sessionId: session.id })
      expect(stored?.plan.steps).toMatchObject([
        { kind: 'swap', tx: { from: WHO.executor, data: answer.tx?.data } },
      ])
      expect(world.seen.simulated.at(-1)).toMatchObject({
        wallet: WHO.owner,
        transactions: [{ tx: { from: WHO.executor, data: answer.tx?.data } }],
        fund: false,
      })
      const shown = {
        session_id: session.id,
        status: 'active',
        tokens: ['ETH', 'USDG'],
        used: { trades: 1, trades_left: 49, last_24h_usd: 5, remaining_24h_usd: 95 },
        wallet: WHO.owner,
      }
      await world.start()
      const listed = async (role: 'owner' | 'executor' | 'stranger') => {
        const { sessions, as_executor } = await world.post('me.sessions', role)
        return { sessions, as_executor }
      }
      expect(await listed('owner')).toMatchObject({
        sessions: [
          { ...shown, role: 'owner' },
          { status: 'pending', role: 'owner' },
        ],
        as_executor: [],
      })
      // Its own list excludes sessions of other wallets; both exclude a grant that was never signed.
      expect(await listed('executor')).toMatchObject({
        sessions: [],
        as_executor: [{ ...shown, role: 'executor' }],
      })
      expect(await listed('stranger')).toEqual({ sessions: [], as_executor: [] })
    })

    it('carries the wallet’s authorization until it has its code, and only at its nonce', async () => {
      // Its setup was not sent, and selling ETH does not need it.
      const session = await world.grant()
      const selling = { token_in: 'USDG', token_out: 'ETH' }
      expect(await codeOf(world.trade(session, selling))).toBe('SESSION_SETUP')
      const answer = await world.trade(session, {}, 'owner')
      expect(answer.tx).toMatchObject({
        type: 4,
        authorization_list: [{ nonce: 0, address: world.addresses.delegator }],
      })
      expect(world.seen.plans[0]?.plan.steps[0]?.tx).toMatchObject({ authorizations: [{ nonce: 0 }] })
      world.chain.setNonce(WHO.owner, 1)
      const stale = await refused(world.trade(session))
      expect(stale).toMatchObject({
        code: 'WALLET_CODE',
        message: expect.stringContaining('live/session/grant'),
        extras: { sign: { authorization: { nonce: 1, wallet: WHO.owner, after_setup: null } } },
      })
      expect(await codeOf(world.trade(session, selling)), 'sending that would cost a nonce').toBe(
        'SESSION_SETUP',
      )
      world.settleWallet()
      expect((await world.trade(session)).tx).toMatchObject({ type: 2 })
      // A reorg undid the first trade: its authorization counts again.
      world.chain.code.delete(WHO.owner)
      world.chain.setNonce(WHO.owner, 0)
      expect((await world.trade(session)).tx).toMatchObject({ type: 4, authorization_list: [{ nonce: 0 }] })
      world.chain.code.set(WHO.owner, '0x6001')
      expect(await codeOf(world.trade(session))).toBe('WALLET_CODE')
    })

    it('on a curve pays its fee beside the call', async () => {
      const session = await world.grant({ tokens: ['ETH', 'USDG', MEME.address] })
      world.settleWallet()
      const buy = await world.trade(session, { token_out: MEME.address })
      expect(buy).toMatchObject({ execution: 'curve', fee_bps: 50, ready: true })
      expect(world.signer.requests[0]).toMatchObject({
        execution: { target: CURVE.id },
        curve_fee: { amount_wei: 10_000_000_000_000n },
      })
      const sell = await world.trade(session, { token_in: MEME.address, token_out: 'ETH', notional_usd: 4 })
      expect(sell).toMatchObject({ execution: 'curve', fee_side: 'output' })
      expect(world.seen.plans.map(({ plan }) => plan.steps.map(({ kind }) => kind))).toEqual([
        ['swap'],
        ['swap'],
      ])
    })

    it('is only simulated if funds are missing or on request: nothing is counted', async () => {
      const session = await world.grant()
      world.settleWallet()
      expect(await world.trade(session, { fund: true })).toMatchObject({
        ready: false,
        tx: null,
        leaf: null,
        simulated_ok: true,
      })
      world.chain.setBalance(NATIVE, WHO.executor, 0n)
      const dry = await world.trade(session)
      expect(dry).toMatchObject({ ready: false, leaf: null, spend: { trades: 0 } })
      expect(dry.checks.at(-1)).toMatchObject({ code: 'COSIGNED', ok: false })
      expect(await codeOf(world.trade(session, { fund: false }))).toBe('SIMULATION_FAILED')
      world.chain.setBalance(NATIVE, WHO.executor, 10n ** 18n)
      world.chain.setBalance(NATIVE, WHO.owner, 10n)
      expect(await world.trade(session)).toMatchObject({ ready: false, leaf: null })
      expect(world.signer.requests).toEqual([])
    })

    it('that fails as sent is reported: it was co-signed and counts', async () => {
      const session = await world.grant()
      world.settleWallet()
      world.state.simulationOk = false
      expect(await world.trade(session)).toMatchObject({
        ready: false,
        simulated_ok: false,
        spend: { trades: 1 },
      })
    })

    it.each<[string, TradeRequest & { before?: (w: SessionWorld) => void }]>([
      ['SESSION_TOKENS', { token_out: 'cbBTC' }],
      ['SESSION_TOKENS', { token_in: OTHER }],
      ['TOKEN_NOT_ALLOWED', { token_in: 'DOGE' }],
      ['TOKEN_NOT_ALLOWED', { token_out: 'usdg' }],
      ['SESSION_TERMS', { accept_risks: ['HONEYPOT'] }],
      ['SESSION_TERMS', { shield: true }],
      ['SESSION_TERMS', { policies: ['block_new'] }],
      ['SESSION_MAX_TRADE', { notional_usd: 25.01 }],
      ['SESSION_MAX_TRADE', { amount_in: (11n * 10n ** 15n).toString() }],
      ['SESSION_SETUP', { token_in: 'USDG', token_out: 'ETH', before: (w) => w.chain.permit.clear() }],
      ['SESSION_SETUP', { token_in: 'USDG', token_out: 'ETH', before: (w) => w.chain.allowance.clear() }],
    ])('is rejected: %s for %j', async (code, { before, ...request }) => {
      const session = await world.grant()
      world.settleWallet()
      before?.(world)
      const error = await refused(world.trade(session, request))
      expect(error.code).toBe(code)
      if (code !== 'SESSION_TERMS') {
        expect(error.extras['checks']).toContainEqual(expect.objectContaining({ code, ok: false }))
        expect(world.seen.refusals).toMatchObject([
          { path: 'session', code, sessionId: session.id, wallet: WHO.owner },
        ])
      }
      expect(world.signer.requests).toEqual([])
    })

    it.each<[string, (planned: Planned) => Planned]>([
      ['SESSION_TARGET', (planned) => withSwap(planned, { to: OTHER })],
      ['SESSION_EXECUTION', (planned) => withSwap(planned, { data: '0x3593564c' })],
      ['SESSION_EXECUTION', (planned) => withSwap(planned, { valueWei: 1n })],
      [
        'SESSION_EXECUTION',
        ({ request: params, ...rest }) => ({ ...rest, request: params, plan: twice(rest.plan) }),
      ],
      ['FEE_BPS', (planned) => withFee(planned, 24)],
      // Another tier than its calldata pays.
      ['FEE_MISMATCH', (planned) => withFee(planned, 20)],
    ])('with a tampered plan is rejected: %s', async (code, bends) => {
      const session = await world.grant()
      world.settleWallet()
      world.bends = bends
      expect(await codeOf(world.trade(session))).toBe(code)
      expect(world.signer.requests).toEqual([])
    })

    it('is rejected if it would pay a stranger', async () => {
      const session = await world.grant({ tokens: ['ETH', 'USDG', MEME.address] })
      world.settleWallet()
      world.state.feeRecipient = OTHER
      expect(await codeOf(world.trade(session))).toBe('SESSION_RECIPIENTS')
      expect(await codeOf(world.trade(session, { token_out: MEME.address }))).toBe('SESSION_RECIPIENTS')
    })

    it('is rejected if ETH fell so far that the root’s value limit, at its price, is too low', async () => {
      const session = await world.grant()
      world.settleWallet()
      world.state.etherTimes = 0.5
      expect(await codeOf(world.trade(session, { notional_usd: 13 }))).toBe('SESSION_ROOT_ALLOWS')
      expect(await world.trade(session, { notional_usd: 12 })).toMatchObject({ ready: true })
    })

    it('pays the wallet’s tier within the binding, and shield on top', async () => {
      const session = await world.grant()
      const shielded = await world.grant({ shield: true })
      world.settleWallet()
      world.state.tierBps = 15
      expect(await world.trade(session)).toMatchObject({ fee_bps: 15 })
      expect(await world.trade(shielded)).toMatchObject({
        fee_bps: 25,
        shield: true,
        risk_terms: { shield: true, policies: ['block_flagged'] },
      })
      world.state.tierBps = 5
      expect(await world.trade(session)).toMatchObject({ fee_bps: 10 })
    })

    it('may repeat the session’s own terms', async () => {
      const session = await world.grant({ accept_risks: ['HONEYPOT', 'SELL_TAX'] })
      world.settleWallet()
      const same = { accept_risks: ['SELL_TAX', 'HONEYPOT'], shield: false, policies: false }
      expect(await world.trade(session, same)).toMatchObject({ ready: true, risk_terms: { shield: false } })
    })

    it('belongs to the session’s parties', async () => {
      const session = await world.grant()
      expect(await codeOf(world.trade(session, {}, 'stranger'))).toBe('NO_SESSION')
      expect(await codeOf(world.trade({ id: 'ses_0' }))).toBe('NO_SESSION')
      world.state.sanctioned.add(WHO.owner)
      expect(await refused(world.trade(session))).toMatchObject({
        code: 'SANCTIONED',
        extras: { field: 'session_wallet' },
      })
    })

    it('stops seconds before the end', async () => {
      const session = await world.grant({ expires_in_s: 600 })
      world.settleWallet()
      world.clock.aheadS = 589
      expect(await world.trade(session)).toMatchObject({ ready: true })
      world.clock.aheadS = 590
      expect(await codeOf(world.trade(session))).toBe('SESSION_EXPIRY')
      world.clock.aheadS = 600
      expect(await codeOf(world.trade(session))).toBe('SESSION_EXPIRED')
      expect((await world.post('me.sessions', 'owner')).sessions[0]?.status).toBe('expired')
    })

    it('is rejected on a curve without signed roots', async () => {
      const session = await world.grant({ tokens: ['ETH', 'USDG', MEME.address] }, { curves: false })
      world.settleWallet()
      const { planTrade } = world.options.trade
      world.options.trade.planTrade = async (params) =>
        params.trade.venues.includes('venue_curve') ? planTrade(params) : fail('NO_ROUTE')
      expect(await codeOf(world.trade(session, { token_out: MEME.address }))).toBe('SESSION_CURVE_ROOTS')
      const other = await world.grant({ tokens: ['ETH', 'USDG', MEME.address] })
      world.state.curve = { ...CURVE, id: OTHER }
      expect(await codeOf(world.trade(other, { token_out: MEME.address }))).toBe('SESSION_CURVE')
      world.state.curve = { ...CURVE, pair: OTHER }
      expect(await codeOf(world.trade(other, { token_out: MEME.address }))).toBe('SESSION_CURVE')
    })

    it('is rejected under a binding that was changed in the store', async () => {
      const session = await world.grant()
      world.settleWallet()
      const change = `update sessions set binding = jsonb_set(binding, '{limits,max_trade_micro_usd}',
         '1000000000')`
      await db.query(change)
      expect(await codeOf(world.trade(session, { notional_usd: 900 }))).toBe('SESSION_BOUND')
      await db.query(`update sessions set expires_at_s = expires_at_s + 1000`)
      expect(await codeOf(world.trade(session))).toBe('SESSION_BOUND')
    })
  })

  describe('the co-signer’s response', () => {
    it('is passed on, and a refused trade does not count', async () => {
      const session = await world.grant()
      world.settleWallet()
      const signer_checks = [{ rule: 'PRICE', ok: false, message: 'far off' }]
      world.signer.beforeLeaf = () => {
        throw refusal('PRICE', { signer_checks })
      }
      expect(await refused(world.trade(session))).toMatchObject({
        code: 'PRICE',
        status: 422,
        extras: { signer_checks },
      })
      world.signer.beforeLeaf = () => {}
      world.signer.reachable = false
      expect(await refused(world.trade(session))).toMatchObject({
        code: 'SIGNER_UNAVAILABLE',
        retryAfterS: 5,
      })
      world.signer.reachable = true
      expect(await world.trade(session)).toMatchObject({ spend: { trades: 1 } })
      expect(await db.query('select id from session_trades')).toHaveLength(1)
    })

    it('is rejected if it is another leaf than requested: nothing is returned', async () => {
      const session = await world.grant()
      world.settleWallet()
      world.signer.answers = (honest) => ({ ...honest, leaf: { ...honest.leaf, delegate: WHO.stranger } })
      expect(await refused(world.trade(session))).toMatchObject({ code: 'SIGNER_MISMATCH', status: 502 })
      expect(world.seen.plans).toEqual([])
      // It may have counted there: so it counts here, until the ledger is read.
      expect((await world.post('me.sessions', 'owner')).sessions[0]?.used.trades).toBe(1)
    })
  })

  it('allows only its own executors’ transactions, while it is valid', async () => {
    const gate = createSessionGate({ db, clock: world.clock })
    const params = { wallet: WHO.owner, signer: WHO.executor }
    const { session_id } = await world.start()
    expect([await gate.executorOf(params), await gate.isOpen(session_id)]).toEqual([false, false])
    const session = await world.grant({ expires_in_s: 100 })
    expect([await gate.executorOf(params), await gate.isOpen(session.id)]).toEqual([true, true])
    expect(await gate.executorOf({ ...params, signer: WHO.stranger })).toBe(false)
    expect(await gate.executorOf({ ...params, wallet: WHO.stranger })).toBe(false)
    world.clock.aheadS = 100
    expect([await gate.executorOf(params), await gate.isOpen(session.id)]).toEqual([false, false])
    world.clock.aheadS = 0
    await world.post('live.session.revoke', 'owner', { session_id: session.id, reset_code: false })
    expect([await gate.executorOf(params), await gate.isOpen(session.id)]).toEqual([false, false])
  })
})
