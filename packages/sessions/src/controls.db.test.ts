import { fromWireOrders, type Hex, orderListHash, orderSigner, readRoot } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { markPrice, refusal, worthUp } from '@pit/protocol'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  codeOf,
  crypto,
  emptySessions,
  KEYS,
  openSessionWorld,
  refused,
  type SessionWorld,
  WHO,
} from '../test/sessionWorld.ts'
import { listedControls } from './describe.ts'
import { describeRevoked } from './revoke/describeRevoked.ts'
import { describeRehearsal, describeTrade } from './trade/describeTrade.ts'
import type { SessionTradeParams } from './trade/types.ts'
import type { WantedSignature } from './trade/wantedSignature.ts'

type OwnRequest = Extract<SessionTradeParams, { path: 'session' }>

const CONTROLS = {
  signature_above_usd: 10,
  breakers: [{ max_fall_usd: 20, window_s: null, cool_down_s: 3_600 }],
}
const word = (digit: string) => `0x${digit.repeat(64)}` as Hex

withDb('sessions with controls', (db) => {
  let world: SessionWorld
  beforeEach(async () => {
    await emptySessions(db)
    world = openSessionWorld(db)
    world.settleWallet()
  })
  const trading = (sessionId: string, change: Partial<OwnRequest> = {}): OwnRequest => ({
    sessionId,
    path: 'session',
    by: { keyId: 7, wallet: WHO.owner },
    tokenIn: 'ETH',
    tokenOut: 'USDG',
    notionalUsd: 5,
    ownerAttestsNonUs: false,
    fund: false,
    admit: async () => {},
    ...change,
  })
  const counted = () => db.query('select sequence, micro_usd, status from session_trades order by sequence')

  describe('a grant', () => {
    it('binds the controls, and every root to the wallet’s nonce', async () => {
      world.chain.sessionNonce = 7n
      const session = await world.granted({ controls: CONTROLS })
      expect(session.binding).toMatchObject({
        controls: {
          signature_above_micro_usd: 10_000_000,
          breakers: [{ max_fall_micro_usd: 20_000_000, window_s: null, cool_down_s: 3_600 }],
        },
      })
      expect(readRoot(crypto, world.addresses, session.root)).toMatchObject({ nonce: 7n })
      expect(describeTrade(await world.sessions.tradeInSession(trading(session.id)))).toMatchObject({
        ready: true,
      })
    })

    it('without controls has neither', async () => {
      const session = await world.granted()
      expect(session.binding).not.toHaveProperty('controls')
      expect(readRoot(crypto, world.addresses, session.root)).toMatchObject({ nonce: null })
    })

    it('is refused for controls out of range, and if the nonce cannot be read', async () => {
      expect(await refused(world.granted({ controls: { signature_above_usd: -1 } }))).toMatchObject({
        code: 'SESSION_LIMIT',
        extras: { field: 'controls.signature_above_usd' },
      })
      world.chain.isDown = true
      expect(await codeOf(world.granted({ controls: {} }))).toBe('RPC_UNAVAILABLE')
    })
  })

  describe('a trade under a signed order', () => {
    const order = { id: word('a'), part: 1, rounds: ['18446744073709551617'] }

    it('names the order to the co-signer', async () => {
      const { id } = await world.granted({ controls: CONTROLS })
      await world.sessions.tradeInSession(trading(id, { order }))
      expect(world.signer.requests.at(-1)).toMatchObject({ order })
    })

    it('is refused in a session without controls', async () => {
      const { id } = await world.granted()
      expect(await refused(world.sessions.tradeInSession(trading(id, { order })))).toMatchObject({
        code: 'BAD_REQUEST',
        extras: { field: 'order' },
      })
    })

    it('signed again for the same part counts once, also with no trade left', async () => {
      const { id } = await world.granted({
        controls: CONTROLS,
        limits: { max_trade_micro_usd: 25e6, max_day_micro_usd: 25e6, max_trades: 1 },
      })
      const trade = (change: Partial<OwnRequest>) =>
        world.sessions.tradeInSession(trading(id, { notionalUsd: 20, ...change }))
      world.signer.value = 20_000_000
      await trade({ order })
      world.signer.value = 19_000_000
      world.clock.aheadS += 30
      const again = await trade({ order, notionalUsd: 19 })
      expect(describeTrade(again)).toMatchObject({ ready: true, leaf: { sequence: 1 } })
      expect(await counted()).toEqual([{ sequence: 1, micro_usd: 20_000_000, status: 'signed' }])
      expect(await codeOf(trade({ order: { ...order, part: 2 } }))).toBe('SESSION_TRADES_LEFT')
    })

    it('of the same part, requested twice at once, counts once', async () => {
      const { id } = await world.granted({ controls: CONTROLS })
      const [one, other] = await Promise.all([
        world.sessions.tradeInSession(trading(id, { order })),
        world.sessions.tradeInSession(trading(id, { order })),
      ])
      expect([one.kind, other.kind]).toEqual(['cosigned', 'cosigned'])
      expect(await counted()).toEqual([{ sequence: 1, micro_usd: 5_000_000, status: 'signed' }])
    })

    it('after the leaf expired is a new trade', async () => {
      const { id } = await world.granted({ controls: CONTROLS })
      await world.sessions.tradeInSession(trading(id, { order }))
      world.clock.aheadS += 121
      await world.sessions.tradeInSession(trading(id, { order }))
      expect(await counted()).toMatchObject([{ sequence: 1 }, { sequence: 2 }])
    })

    it('refused the second time leaves the first one counted', async () => {
      const { id } = await world.granted({ controls: CONTROLS })
      await world.sessions.tradeInSession(trading(id, { order }))
      world.signer.beforeLeaf = () => {
        throw refusal('REFUSED', { signer_checks: [{ rule: 'ORDER_ENDED', ok: false, message: 'ended' }] })
      }
      expect(await codeOf(world.sessions.tradeInSession(trading(id, { order })))).toBe('REFUSED')
      expect(await counted()).toHaveLength(1)
    })
  })

  describe('a trade that needs a signature', () => {
    it('is refused with the order list to sign', async () => {
      const session = await world.granted({ controls: CONTROLS })
      world.signer.beforeLeaf = () => {
        const check = { rule: 'SIGNATURE_REQUIRED', ok: false, message: 'Sign it.' }
        throw refusal('REFUSED', { signer_checks: [check] })
      }
      const error = await refused(world.sessions.tradeInSession(trading(session.id, { notionalUsd: 20 })))
      expect(error).toMatchObject({
        code: 'REFUSED',
        extras: { signer_checks: [{ rule: 'SIGNATURE_REQUIRED' }] },
      })
      const request = error.extras['orders'] as WantedSignature
      const list = fromWireOrders(request.list as never)
      expect(list).toMatchObject({ session: session.rootHash, replaces: [] })
      expect(list.orders).toMatchObject([{ amountIn: 8n * 10n ** 15n, slices: 1, trigger: { kind: 'none' } }])
      expect(list.orders[0]!.minAmountOut).toBeGreaterThan(19_000_000n)
      expect(request).toMatchObject({ id: orderListHash(crypto, list), valid_until: world.nowS() + 900 })
      const account = privateKeyToAccount(KEYS.owner)
      const signature = await account.signTypedData(request.typed_data as never)
      expect(orderSigner(crypto, world.addresses, list, signature)).toBe(WHO.owner)
      expect(await counted()).toEqual([])
    })
  })

  describe('a trade with its signed list', () => {
    const list = (amount_in: string) => ({
      session: word('1'),
      nonce: word('2'),
      replaces: [],
      orders: [
        {
          token_in: `0x${'0'.repeat(40)}` as Hex,
          token_out: `0x${'9'.repeat(40)}` as Hex,
          amount_in,
          min_amount_out: '0',
          max_slippage_bps: 100,
          trigger: { kind: 'none' as const },
          slices: 1,
          every_s: 0,
          starts_at: 0,
          expires_at: 9_000_000_000,
          group: 0,
          parent: 0,
        },
      ],
    })
    const signature = `0x${'3'.repeat(130)}` as Hex
    const order = { id: word('4'), part: 1, rounds: [] }

    it('registers the list first', async () => {
      const { id, rootHash } = await world.granted({ controls: CONTROLS })
      await world.sessions.tradeInSession(trading(id, { order, list: { list: list('5'), signature } }))
      expect(world.signer.lists).toMatchObject([{ root_hash: rootHash, list: list('5'), signature }])
      expect(await counted()).toHaveLength(1)
    })

    it('is planned within the bounds of its order, also later without the list', async () => {
      const { id } = await world.granted({ controls: CONTROLS })
      const bounds = async (change: Partial<OwnRequest>) => {
        await world.sessions.tradeInSession(trading(id, change))
        return world.seen.trades.at(-1)!.orderBounds
      }
      expect(await bounds({ order, list: { list: list('5'), signature } })).toBeUndefined()
      const [stored] = await db.query<{ id: Hex }>('select id from session_orders')
      const storedOrder = { ...order, id: stored!.id }
      const signedBounds = { amountIn: 5n, minAmountOut: 0n, maxSlippageBps: 100 }
      expect(await bounds({ order: storedOrder })).toEqual(signedBounds)
      await world.sessions.rehearseTrade(trading(id, { order: storedOrder }))
      expect(world.seen.trades.at(-1)!.orderBounds).toEqual(signedBounds)
      expect(await bounds({ order: { ...order, part: 2 } })).toBeUndefined()
      const other = await world.granted({ controls: CONTROLS })
      await world.sessions.tradeInSession(trading(other.id, { order: storedOrder }))
      expect(world.seen.trades.at(-1)!.orderBounds, 'another session').toBeUndefined()
    })

    it('counts its atoms rounded up, as the co-signer does', async () => {
      const { id } = await world.granted({ controls: CONTROLS })
      const countedRows: unknown[] = []
      world.signer.beforeLeaf = async () => {
        countedRows.push(...(await counted()))
      }
      // No whole number of micro-dollars.
      await world.sessions.tradeInSession(
        trading(id, { order, notionalUsd: undefined as never, amountIn: 10n ** 18n / 750n }),
      )
      const { micro_usd } = countedRows[0] as { micro_usd: number }
      const price = world.options.market.mark(`0x${'0'.repeat(40)}`)!.priceE18
      expect(BigInt(micro_usd)).toBe(worthUp(10n ** 18n / 750n, markPrice(price, 18)))
    })

    it('is refused with the field of a list that cannot be one', async () => {
      const { id } = await world.granted({ controls: CONTROLS })
      const error = await refused(
        world.sessions.tradeInSession(trading(id, { order, list: { list: list('0'), signature } })),
      )
      expect(error).toMatchObject({ code: 'BAD_REQUEST', extras: { field: 'order.list.orders.0.amount_in' } })
      expect(world.signer.lists).toEqual([])
    })
  })

  describe('a rehearsal', () => {
    it('reports every rule of both, and counts nothing', async () => {
      const { id } = await world.granted({ controls: CONTROLS })
      world.signer.verdicts = [{ rule: 'MAX_TRADE', ok: true, message: 'Within it.', value: 5, limit: 25 }]
      const answer = describeRehearsal(await world.sessions.rehearseTrade(trading(id)))
      expect(answer).toMatchObject({
        check_only: true,
        ok: true,
        ready: false,
        tx: null,
        leaf: null,
        signer_checks: [{ rule: 'MAX_TRADE', ok: true, value: 5, limit: 25 }],
        spend: { this_usd: 5 },
      })
      expect(answer.checks.length).toBeGreaterThan(10)
      expect(await counted()).toEqual([])
      expect(world.seen.plans).toEqual([])
      expect(world.seen.refusals).toEqual([])
    })

    it('reports failed rules without refusing', async () => {
      const { id } = await world.granted({ controls: CONTROLS })
      world.state.simulationOk = false
      world.signer.verdicts = [{ rule: 'SIGNATURE_REQUIRED', ok: false, message: 'Sign it.' }]
      const answer = describeRehearsal(await world.sessions.rehearseTrade(trading(id, { notionalUsd: 26 })))
      expect(answer).toMatchObject({ ok: false, signer_checks: [{ ok: false }] })
      const failed = answer.checks.filter(({ ok }) => !ok).map(({ code }) => code)
      expect(failed).toEqual(expect.arrayContaining(['SESSION_MAX_TRADE', 'SIMULATION_FAILED']))
    })

    it('of a session that ended reports it', async () => {
      const { id } = await world.granted()
      world.clock.aheadS += 90_000
      const answer = describeRehearsal(await world.sessions.rehearseTrade(trading(id)))
      expect(answer.ok).toBe(false)
      expect(answer.checks.find(({ ok }) => !ok)).toMatchObject({ code: 'SESSION_EXPIRED' })
    })
  })

  describe('a list of sessions', () => {
    it('shows the levels of active sessions with controls, and none if the co-signer is silent', async () => {
      const plain = await world.granted()
      const controlled = await world.granted({ controls: CONTROLS })
      const shown = async () => {
        const { granted } = await world.sessions.listSessions(WHO.owner)
        const of = ({ id }: { id: string }) =>
          listedControls(granted.find(({ session }) => session.id === id)!)
        return { plain: of(plain), controlled: of(controlled) }
      }
      const breaker = { max_fall_usd: 20, best_usd: 3, now_usd: -2.5, tripped_until: null }
      expect(await shown()).toEqual({
        plain: null,
        controlled: { ...CONTROLS, levels: { unsigned_usd: 1, breakers: [breaker] } },
      })
      world.signer.reachable = false
      expect(await shown()).toMatchObject({ controlled: { ...CONTROLS, levels: null } })
      world.signer.reachable = true
      await world.sessions.revokeSession({ wallet: WHO.owner, sessionId: controlled.id, keyId: null })
      expect(await shown()).toMatchObject({ controlled: { levels: null } })
    })
  })

  describe('a revocation', () => {
    it('returns the co-signer’s receipt for a challenge, also when repeated', async () => {
      const session = await world.granted({ controls: CONTROLS })
      const revoke = (challenge?: Hex) =>
        world.sessions.revokeSession({
          wallet: WHO.owner,
          sessionId: session.id,
          keyId: null,
          ...(challenge && { challenge }),
        })
      for (const challenge of [word('b'), word('c')]) {
        const { receipt } = describeRevoked(await revoke(challenge))
        expect(receipt).toMatchObject({ what: 'revoked', session: session.rootHash, challenge })
      }
      expect(describeRevoked(await revoke())).toMatchObject({ signer_revoked: true, receipt: null })
      world.signer.reachable = false
      expect(describeRevoked(await revoke(word('d')))).toMatchObject({ signer_revoked: true, receipt: null })
    })
  })
})
