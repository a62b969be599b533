import { type Hex, NATIVE, orderListHash } from '@pit/chain'
import { withDb } from '@pit/platform/test/withDb'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  CHALLENGE,
  type ControlWorld,
  idsOf,
  isFrom,
  makeList,
  makeOrder,
  openControlWorld,
  outcome,
  purchase,
  replacing,
  sale,
  use,
} from '../../test/controlKit.ts'
import { crypto, E18, KEYS, keyOf, NOW_S, PARTNER, STOCK, USDG } from '../../test/kit.ts'
import { nonce } from '../../test/ledgerKit.ts'
import { ledgerMigrations } from '../ledger/openLedger.ts'
import { sweepLedger } from '../ledger/sweepLedger.ts'
import { describeControls } from './describeControls.ts'
import { settle } from './settleLeaf.ts'

withDb(
  'signed orders',
  (db) => {
    let world: ControlWorld
    let session: Hex
    beforeEach(async () => {
      world = openControlWorld(db)
      session = await world.open()
    })

    describe('a list', () => {
      it('is registered with a receipt of the co-signer, and again with a new receipt', async () => {
        const list = makeList(session, [makeOrder(), makeOrder({ minAmountOut: 24_000_000n })])
        const placed = await world.place(session, list)
        expect(placed).toMatchObject({
          list_hash: orderListHash(crypto, list),
          ids: idsOf(list),
          receipt: {
            what: 'registered',
            before: 'not_registered',
            after: 'registered',
            at: NOW_S,
            outstanding: '0',
            until: NOW_S,
            challenge: CHALLENGE,
          },
        })
        expect(isFrom(placed.receipt)).toBe(true)
        expect(isFrom({ ...placed.receipt, at: NOW_S + 1 })).toBe(false)
        world.time.nowMs += 5_000
        const again = await world.place(session, list)
        expect(again).toMatchObject({ ids: placed.ids, receipt: { before: 'registered', at: NOW_S } })
        expect(isFrom(again.receipt)).toBe(true)
        const { orders } = await describeControls(world.deps, session)
        expect(orders).toMatchObject([
          { id: idsOf(list)[0], position: 0, ended: null, met: true, reserved_in: '0', received_out: '0' },
          { id: idsOf(list)[1], position: 1, registered_at: NOW_S },
        ])
      })

      it('is refused with a nonce that another list has', async () => {
        const list = makeList(session, [makeOrder()])
        await world.place(session, list)
        const other = { ...list, orders: [makeOrder({ amountIn: 2n * E18 })] }
        expect(await outcome(world.place(session, other))).toBe('ORDER_NONCE')
      })

      it('is refused unless the wallet signed it for this session with controls', async () => {
        const list = makeList(session, [makeOrder()])
        expect(await outcome(world.place(session, list, keyOf('stranger')))).toBe('ORDER_SIGNATURE')
        expect(await outcome(world.place(session, list, KEYS.cosigner))).toBe('ORDER_SIGNATURE')
        const other = await world.open()
        expect(await outcome(world.place(other, list))).toBe('ORDER_SESSION')
        await world.place(session, list)
        expect(await outcome(world.place(other, list)), 'registered').toBe('ORDER_SESSION')
        const plain = await world.open(null)
        expect(await outcome(world.place(plain, makeList(plain, [makeOrder()])))).toBe('ORDER_SESSION')
        expect(await outcome(world.place(`0x${'1'.repeat(64)}`, list))).toBe('NO_SESSION')
      })

      it('is refused while frozen, revoked, expired, or after the wallet ended its sessions', async () => {
        const list = makeList(session, [makeOrder()])
        await world.ledger.setFrozen(true, nonce())
        expect(await outcome(world.place(session, list))).toBe('SIGNER_FROZEN')
        await world.ledger.setFrozen(false, nonce())
        world.chain.nonce = 8n
        expect(await outcome(world.place(session, list))).toBe('SESSION_NONCE')
        world.chain.nonce = 7n
        world.chain.isDown = true
        expect(await outcome(world.place(session, list))).toBe('CHAIN_UNAVAILABLE')
        world.chain.isDown = false
        world.time.nowMs += 3_600_000
        expect(await outcome(world.place(session, list))).toBe('SESSION_EXPIRED ORDER_TIME')
        world.time.nowMs -= 3_600_000
        await world.ledger.revoke(session)
        expect(await outcome(world.place(session, list))).toBe('SESSION_REVOKED')
      })

      it('is refused as a whole if one of its orders cannot be registered', async () => {
        const bad = makeOrder({ tokenOut: PARTNER })
        expect(await outcome(world.place(session, makeList(session, [makeOrder(), bad])))).toBe(
          'ORDER_TOKENS',
        )
        expect((await describeControls(world.deps, session)).orders).toEqual([])
      })

      it('is registered up to 50 open orders; a replacement frees its place', async () => {
        const sixteen = () => Array.from({ length: 16 }, () => makeOrder())
        const lists = [1, 2, 3].map(() => makeList(session, sixteen()))
        for (const list of lists) await world.place(session, list)
        expect(
          await outcome(
            world.place(
              session,
              makeList(
                session,
                [1, 2, 3].map(() => makeOrder()),
              ),
            ),
          ),
        ).toBe('ORDER_LIMIT')
        await world.place(session, makeList(session, [makeOrder(), makeOrder()]))
        expect(await outcome(world.place(session, makeList(session, [makeOrder()])))).toBe('ORDER_LIMIT')
        const id = idsOf(lists[0]!)[3]!
        await world.place(session, makeList(session, [makeOrder()], replacing([id])))
        expect(await outcome(world.trade(session, { ...sale(25), ...use(id) }))).toBe('ORDER_ENDED')
      })

      it('is registered beside 50 orders if some of them can never trade again', async () => {
        const entry = { tokenIn: USDG, tokenOut: NATIVE, amountIn: 50_000_000n }
        const exit = (parent: number) => makeOrder({ parent, amountIn: E18 })
        const plain = (n: number) =>
          makeList(
            session,
            Array.from({ length: n }, () => makeOrder()),
          )
        const list = makeList(session, [
          makeOrder(),
          makeOrder(),
          makeOrder(),
          makeOrder(),
          makeOrder(entry),
          exit(5),
          makeOrder({ ...entry, expiresAt: NOW_S + 100 }),
          exit(7),
        ])
        await world.place(session, list)
        const ids = idsOf(list)
        const stored = (await world.deps.sessions.find(session))!
        const fill = async (at: number, trade: ReturnType<typeof sale>, received: bigint) => {
          const { sequence } = await world.trade(session, { ...trade, ...use(ids[at]!) })
          await settle(world.deps, stored, { sequence, state: 'used', received })
        }
        await fill(4, purchase(50), sale(49.8).amountIn)
        await fill(0, sale(25), 24_900_000n)
        await fill(1, sale(24.5), 24_400_000n)
        await world.trade(session, { ...sale(25), ...use(ids[2]!) })
        await fill(3, sale(23), 22_900_000n)
        for (const n of [16, 16, 10]) await world.place(session, plain(n))
        expect(await outcome(world.place(session, plain(5))), 'the second entry may trade').toBe(
          'ORDER_LIMIT',
        )
        world.time.nowMs += 110_000
        expect(await outcome(world.place(session, plain(6)))).toBe('ORDER_LIMIT')
        await world.place(session, plain(5))
        const { orders } = await describeControls(world.deps, session)
        const ends = ids.map((id) => orders.find((one) => one.id === id)!.ended?.how ?? null)
        expect(ends).toEqual(['filled', 'filled', null, null, 'filled', null, null, 'cancelled'])
        expect(await outcome(world.trade(session, { ...sale(0.5), ...use(ids[1]!, 2) }))).toBe('ORDER_ENDED')
      })

      it('replaces open orders of the same session only, and all or nothing', async () => {
        const [one, other] = [makeList(session, [makeOrder()]), await world.open()]
        await world.place(session, one)
        const [id] = idsOf(one) as [Hex]
        const unknown: Hex = `0x${'9'.repeat(64)}`
        const both = makeList(session, [makeOrder()], replacing([id, unknown]))
        expect(await outcome(world.place(session, both))).toBe('ORDER_ENDED')
        expect(await outcome(world.place(other, makeList(other, [makeOrder()], replacing([id]))))).toBe(
          'ORDER_ENDED',
        )
        const moved = makeList(session, [makeOrder()], replacing([id]))
        await world.place(session, moved)
        const [again] = (await describeControls(world.deps, session)).orders.filter((row) => row.id === id)
        expect(again!.ended).toEqual({ how: 'replaced', at: NOW_S })
        const twice = makeList(session, [makeOrder()], replacing([id]))
        expect(await outcome(world.place(session, twice))).toBe('ORDER_ENDED')
      })
    })

    describe('a cancellation', () => {
      it('ends orders permanently, with a receipt of what may still be sent', async () => {
        const list = makeList(session, [makeOrder({ amountIn: E18 / 10n }), makeOrder()])
        await world.place(session, list)
        const [first, second] = idsOf(list) as [Hex, Hex]
        await world.trade(session, { ...sale(25), ...use(first) })
        world.time.nowMs += 20_000
        const { receipts } = await world.cancel(session, [first, second])
        expect(receipts.every(isFrom)).toBe(true)
        const byId = new Map(receipts.map((receipt) => [receipt.id, receipt]))
        expect(byId.get(first)).toMatchObject({
          what: 'cancelled',
          at: NOW_S + 20,
          outstanding: sale(25).amountIn.toString(),
          until: NOW_S + 120,
        })
        expect(byId.get(second)).toMatchObject({ outstanding: '0', until: NOW_S + 20 })
        expect(await outcome(world.trade(session, { ...sale(25), ...use(second) }))).toBe('ORDER_ENDED')
        world.time.nowMs += 1_000
        const again = await world.cancel(session, [first])
        expect(again.receipts).toMatchObject([
          { before: 'cancelled', at: NOW_S + 20, outstanding: sale(25).amountIn.toString() },
        ])
      })

      it('before the registration blocks the id in that session, and says that it is not registered', async () => {
        const list = makeList(session, [makeOrder(), makeOrder()])
        const id = idsOf(list)[1]!
        const { receipts } = await world.cancel(session, [id])
        const unknown = { what: 'not_registered', id, session, outstanding: '0' }
        expect(receipts).toMatchObject([{ ...unknown, before: 'not_registered', after: 'blocked' }])
        expect(await outcome(world.place(session, list))).toBe('ORDER_ENDED')
        expect((await world.cancel(session, [id])).receipts).toMatchObject([
          { ...unknown, before: 'blocked', after: 'blocked' },
        ])
      })

      it('in another session does not block a list before it is registered', async () => {
        const other = await world.open()
        const list = makeList(session, [makeOrder()])
        const [id] = idsOf(list) as [Hex]
        const { receipts } = await world.cancel(other, [id])
        expect(receipts).toMatchObject([{ what: 'not_registered', session: other, after: 'blocked' }])
        await world.place(session, list)
        expect((await world.states(session, [id])).receipts).toMatchObject([{ session, after: 'open' }])
      })

      it('ends an order whichever session of its wallet is named, and says which one it was in', async () => {
        const [other, list] = [await world.open(), makeList(session, [makeOrder()])]
        await world.place(session, list)
        const { receipts } = await world.cancel(other, idsOf(list))
        expect(receipts).toMatchObject([{ what: 'cancelled', session, before: 'open', after: 'cancelled' }])
        expect(await outcome(world.trade(session, { ...sale(25), ...use(idsOf(list)[0]!) }))).toBe(
          'ORDER_ENDED',
        )
      })

      it('named under another wallet ends nothing, and says that the order is open', async () => {
        const list = makeList(session, [makeOrder()])
        await world.place(session, list)
        const foreign = await world.open()
        await db.query('update roots set wallet = $2 where hash = $1', [foreign, `0x${'9'.repeat(40)}`])
        const { receipts } = await world.cancel(foreign, idsOf(list))
        expect(receipts).toMatchObject([{ what: 'open', session, before: 'open', after: 'open' }])
        await world.trade(session, { ...sale(25), ...use(idsOf(list)[0]!) })
      })

      it('of an order that ended says how, and changes nothing', async () => {
        const soon = makeOrder({ expiresAt: NOW_S + 10 })
        const list = makeList(session, [makeOrder(), makeOrder(), soon])
        await world.place(session, list)
        const [filled, replaced, expired] = idsOf(list) as [Hex, Hex, Hex]
        const { sequence } = await world.trade(session, { ...sale(25), ...use(filled) })
        const stored = (await world.deps.sessions.find(session))!
        await settle(world.deps, stored, { sequence, state: 'used', received: 24_900_000n })
        await world.place(session, makeList(session, [makeOrder()], replacing([replaced])))
        world.time.nowMs += 20_000
        const { receipts } = await world.cancel(session, [filled, replaced, expired])
        const states = new Map(receipts.map(({ id, what, before, after }) => [id, [what, before, after]]))
        expect(states.get(filled)).toEqual(['filled', 'filled', 'filled'])
        expect(states.get(replaced)).toEqual(['replaced', 'replaced', 'replaced'])
        expect(states.get(expired)).toEqual(['expired', 'expired', 'expired'])
        expect(receipts.find(({ id }) => id === filled)!.spent).toBe(sale(25).amountIn.toString())
      })

      it('of all works while frozen, and of a session that was revoked', async () => {
        const list = makeList(session, [makeOrder(), makeOrder()])
        await world.place(session, list)
        await world.ledger.setFrozen(true, nonce())
        await world.ledger.revoke(session)
        expect((await world.cancel(session, 'all')).receipts).toHaveLength(2)
        expect((await world.cancel(session, 'all')).receipts).toEqual([])
        await world.ledger.setFrozen(false, nonce())
      })

      it('of an entry that never traded ends its exits too', async () => {
        const entry = makeOrder({ tokenIn: USDG, tokenOut: NATIVE, amountIn: 25_000_000n })
        const exit = makeOrder({ parent: 1 })
        const list = makeList(session, [entry, exit])
        await world.place(session, list)
        const { receipts } = await world.cancel(session, [idsOf(list)[0]!])
        expect(receipts.map(({ id }) => id).sort()).toEqual([...idsOf(list)].sort())
      })

      it('is never refused for ids that were never orders, and blocks no more than 10,000 of them', async () => {
        await db.query(
          `insert into cancelled_orders select '0x' || lpad(n::text, 64, '0'), $1, 1
           from generate_series(1, 9999) n`,
          [session],
        )
        const list = makeList(session, [makeOrder()])
        await world.place(session, list)
        const ids: Hex[] = [`0x${'e'.repeat(64)}`, `0x${'f'.repeat(64)}`, ...idsOf(list)]
        const { receipts } = await world.cancel(session, ids)
        const after = new Map(receipts.map((receipt) => [receipt.id, receipt.after]))
        expect(
          ids
            .slice(0, 2)
            .map((id) => after.get(id))
            .sort(),
        ).toEqual(['blocked', 'not_registered'])
        expect(after.get(ids[2]!)).toBe('cancelled')
        const [row] = await db.query<{ n: number }>(
          'select count(*)::int4 as n from cancelled_orders where root_hash = $1',
          [session],
        )
        expect(row!.n).toBe(10_000)
      })
    })

    describe('a replacement', () => {
      const fill = async (id: Hex, usd: number, part = 1) => {
        const { sequence } = await world.trade(session, { ...sale(usd), ...use(id, part) })
        const stored = (await world.deps.sessions.find(session))!
        await settle(world.deps, stored, {
          sequence,
          state: 'used',
          received: BigInt(Math.round(usd * 99e4)),
        })
      }
      const placed = async (...orders: Parameters<typeof makeOrder>[0][]) => {
        const list = makeList(session, orders.map(makeOrder))
        await world.place(session, list)
        return idsOf(list) as [Hex, ...Hex[]]
      }
      const checkOf = async (list: ReturnType<typeof makeList>): Promise<object> => {
        const refused: { extras?: { signer_checks?: object[] } } = await world.place(session, list).then(
          () => ({}),
          (error) => error,
        )
        return refused.extras?.signer_checks?.[0] ?? {}
      }
      const moved = (ids: readonly Hex[], spentIn: bigint) =>
        makeList(session, [makeOrder()], replacing(ids, spentIn))

      it('is registered only with what was spent, sent and reserved, and names the true figure', async () => {
        const [id] = await placed({})
        await fill(id, 10)
        await world.trade(session, { ...sale(5), ...use(id, 2) })
        const spent = sale(10).amountIn + sale(5).amountIn
        for (const wrong of [0n, sale(10).amountIn, spent - 1n, spent + 1n])
          expect(await checkOf(moved([id], wrong))).toMatchObject({
            rule: 'ORDER_REPLACED',
            value: spent.toString(),
            limit: wrong.toString(),
          })
        const { receipts } = await world.states(session, [id])
        expect(receipts).toMatchObject([
          { what: 'status', before: 'open', after: 'open', spent: spent.toString(), session },
        ])
        expect(receipts.every(isFrom)).toBe(true)
        const { receipt } = await world.place(session, moved([id], spent))
        // In flight: the part of it that may still be sent.
        expect(receipt).toMatchObject({ outstanding: sale(5).amountIn.toString(), until: NOW_S + 120 })
      })

      it('of an order that was filled meanwhile is refused without that amount, and happens once with it', async () => {
        const [id] = await placed({})
        const all = makeOrder().amountIn
        await fill(id, 25)
        expect(await outcome(world.place(session, moved([id], 0n)))).toBe('ORDER_REPLACED')
        expect((await world.states(session, [id])).receipts).toMatchObject([{ after: 'filled' }])
        await world.cancel(session, [id])
        expect(await outcome(world.place(session, moved([id], 0n)))).toBe('ORDER_REPLACED')
        await world.place(session, moved([id], all))
        expect(await outcome(world.place(session, moved([id], all)))).toBe('ORDER_ENDED')
      })

      it('happens once, whichever figure becomes true later', async () => {
        const [id] = await placed({})
        const { sequence, expires_at: expiresS } = await world.trade(session, { ...sale(10), ...use(id) })
        const [reserved, released] = [moved([id], sale(10).amountIn), moved([id], 0n)]
        expect(await outcome(world.place(session, released))).toBe('ORDER_REPLACED')
        const stored = (await world.deps.sessions.find(session))!
        await settle(world.deps, stored, { sequence, state: 'unused', expiresS })
        expect(await outcome(world.place(session, reserved))).toBe('ORDER_REPLACED')
        await world.place(session, released)
        expect(await outcome(world.place(session, reserved))).toBe('ORDER_ENDED')
      })

      it('of a group counts its shared budget, and takes all of its open orders', async () => {
        const [stop, target] = await placed({ group: 1 }, { group: 1 })
        await fill(target!, 10)
        const spent = sale(10).amountIn
        expect(await outcome(world.place(session, moved([stop], 0n)))).toBe('ORDER_REPLACED')
        expect(await checkOf(moved([stop], spent))).toMatchObject({ rule: 'ORDER_LIST', value: target })
        await world.place(session, moved([stop, target!], spent))
        for (const id of [stop, target!])
          expect(await outcome(world.trade(session, { ...sale(5), ...use(id, 2) }))).toBe('ORDER_ENDED')
      })

      it('of an entry leaves the exits of what it bought, and ends those of an untraded one', async () => {
        const entry = { tokenIn: USDG, tokenOut: NATIVE, amountIn: 50_000_000n }
        const exit = { parent: 1 }
        const [traded, kept] = await placed(entry, exit)
        const [untraded, orphan] = await placed(entry, exit)
        const { sequence } = await world.trade(session, { ...purchase(20), ...use(traded) })
        const stored = (await world.deps.sessions.find(session))!
        await settle(world.deps, stored, { sequence, state: 'used', received: sale(19.9).amountIn })
        const next = makeList(session, [makeOrder(entry)], {
          replaces: [
            { id: traded, spentIn: purchase(20).amountIn },
            { id: untraded, spentIn: 0n },
          ],
        })
        await world.place(session, next)
        const { receipts } = await world.states(session, [kept!, orphan!])
        expect(new Map(receipts.map(({ id, after }) => [id, after]))).toEqual(
          new Map([
            [kept, 'open'],
            [orphan, 'cancelled'],
          ]),
        )
        await world.trade(session, { ...sale(19), ...use(kept!) })
        expect(await outcome(world.trade(session, { ...sale(5), ...use(kept!, 2) }))).toBe('ORDER_AMOUNT')
      })

      it('names unknown ids, and reads a list of the first version', async () => {
        const [id] = await placed({})
        const unknown: Hex = `0x${'9'.repeat(64)}`
        expect((await world.states(session, [unknown])).receipts).toMatchObject([
          { what: 'status', session, before: 'not_registered', after: 'not_registered' },
        ])
        expect(await outcome(world.states(`0x${'1'.repeat(64)}`, [id]))).toBe('NO_SESSION')
        await db.query(`update order_lists set list = jsonb_set(list, '{replaces}', $1::jsonb)`, [
          JSON.stringify([unknown]),
        ])
        await fill(id, 10)
        await world.place(session, moved([id], sale(10).amountIn))
      })
    })

    it('is swept with its root', async () => {
      const braked = await world.open({
        breakers: [{ max_fall_micro_usd: 5_000_000, window_s: null, cool_down_s: 60 }],
      })
      const list = makeList(braked, [makeOrder()])
      await world.place(braked, list)
      await world.trade(braked, { ...sale(25), ...use(idsOf(list)[0]!) })
      await world.cancel(braked, [`0x${'e'.repeat(64)}`])
      expect(await sweepLedger(db, (NOW_S + 365 * 86_400) * 1000)).toBeGreaterThan(0)
      for (const table of ['order_lists', 'orders', 'order_leaves', 'cancelled_orders', 'session_books']) {
        const [row] = await db.query<{ n: number }>(`select count(*)::int4 as n from ${table}`)
        expect([table, row!.n]).toEqual([table, 0])
      }
    })

    it('names stock tokens by their own price', async () => {
      const stocks = await world.open({}, { tokens: [NATIVE, STOCK, USDG].sort() })
      const list = makeList(stocks, [
        makeOrder({
          tokenIn: STOCK,
          amountIn: E18,
          trigger: { kind: 'trailing', token: STOCK, priceE18: 0n, trailBps: 500 },
        }),
      ])
      expect(await outcome(world.place(stocks, list))).toMatchObject({ ids: idsOf(list) })
    })
  },
  ledgerMigrations(),
)
