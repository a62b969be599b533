import { type Hex, LEAF_TTL_S, NATIVE, type Order, readLeaf } from '@pit/chain'
import type { Db } from '@pit/platform/db'
import { withDb } from '@pit/platform/test/withDb'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type ControlWorld,
  DAY_MICRO_USD,
  idsOf,
  makeList,
  makeOrder,
  openControlWorld,
  outcome,
  purchase,
  sale,
  use,
} from '../../test/controlKit.ts'
import { E18, freshNonce, NOW_S, ownPrice, PINS } from '../../test/kit.ts'
import { nonce } from '../../test/ledgerKit.ts'
import { rehearseTrade } from '../leaves/rehearseTrade.ts'
import { ledgerMigrations } from '../ledger/openLedger.ts'
import { settleExpired } from './settleExpired.ts'
import { settle } from './settleLeaf.ts'

withDb(
  'leaves of signed orders',
  (db) => {
    let world: ControlWorld
    let session: Hex
    beforeEach(async () => {
      world = openControlWorld(db)
      session = await world.open()
    })
    const placeOne = async (change: Partial<Order> = {}): Promise<Hex> => {
      const list = makeList(session, [makeOrder(change)])
      await world.place(session, list)
      return idsOf(list)[0]!
    }
    const pass = (seconds: number) => {
      world.time.nowMs += seconds * 1000
    }
    const settleUsed = async (sequence: number, received = 1n) => {
      const stored = (await world.deps.sessions.find(session))!
      await settle(world.deps, stored, { sequence, state: 'used', received })
    }

    it('end with the leaf’s lifetime, the order or the session, whichever is first', async () => {
      const [long, short] = [await placeOne(), await placeOne({ expiresAt: NOW_S + 50 })]
      const first = await world.trade(session, { ...sale(25), ...use(long) })
      expect(first.expires_at).toBe(NOW_S + LEAF_TTL_S)
      const second = await world.trade(session, { ...sale(25), ...use(short) })
      expect(second.expires_at).toBe(NOW_S + 50)
      expect(readLeaf(PINS.addresses, second.leaf)?.expiresS).toBe(NOW_S + 50)
      const ending = await world.open({}, { expires_at: NOW_S + 90 })
      expect((await world.trade(ending, sale(25))).expires_at).toBe(NOW_S + 90)
    })

    it('are refused for an unknown order, and in a session without controls', async () => {
      const strange = use(`0x${'5'.repeat(64)}`)
      expect(await outcome(world.trade(session, { ...sale(25), ...strange }))).toBe('ORDER_SESSION')
      const plain = await world.open(null)
      expect(await outcome(world.trade(plain, { ...sale(25), ...strange }))).toBe('ORDER_SESSION')
      const id = await placeOne()
      const other = await world.open()
      expect(await outcome(world.trade(other, { ...sale(25), ...use(id) }))).toBe('ORDER_SESSION')
    })

    it('are refused once the wallet’s nonce moved, and while it cannot be read', async () => {
      world.chain.nonce = 8n
      expect(await outcome(world.trade(session, sale(25)))).toBe('SESSION_NONCE')
      world.chain.isDown = true
      expect(await outcome(world.trade(session, sale(25)))).toBe('CHAIN_UNAVAILABLE')
    })

    describe('a budget', () => {
      it('is never exceeded by 50 concurrent leaves of a group', async () => {
        const shared = { group: 1, amountIn: E18 / 25n }
        const list = makeList(session, [makeOrder(shared), makeOrder({ ...shared, minAmountOut: 1n })])
        await world.place(session, list)
        const ids = idsOf(list)
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, i) =>
            outcome(world.trade(session, { ...sale(20), ...use(ids[i % 2]!, i + 1) })),
          ),
        )
        expect(answers.filter((one) => typeof one !== 'string')).toHaveLength(5)
        expect(new Set(answers.filter((one) => typeof one === 'string'))).toEqual(new Set(['ORDER_AMOUNT']))
        const [row] = await db.query<{ sum: string }>(
          `select sum(amount_in)::text as sum from order_leaves where root_hash = $1`,
          [session],
        )
        expect(BigInt(row!.sum)).toBe(shared.amountIn)
      })

      it('of an exit is what its entry has received, less what its group spent', async () => {
        const entry = makeOrder({ ...purchase(50), minAmountOut: 0n, amountIn: 50_000_000n })
        const exit = { parent: 1, group: 1, amountIn: E18 }
        const list = makeList(session, [entry, makeOrder(exit), makeOrder({ ...exit, minAmountOut: 1n })])
        await world.place(session, list)
        const [buy, stop, target] = idsOf(list) as [Hex, Hex, Hex]
        const bought = await world.trade(session, { ...purchase(50), ...use(buy) })
        expect(await outcome(world.trade(session, { ...sale(10), ...use(stop) }))).toBe('ORDER_AMOUNT')
        const received = sale(49.8).amountIn
        const stored = (await world.deps.sessions.find(session))!
        await settle(world.deps, stored, { sequence: bought.sequence, state: 'used', received })
        await world.trade(session, { ...sale(30), ...use(stop) })
        expect(await outcome(world.trade(session, { ...sale(19.81), ...use(target) }))).toBe('ORDER_AMOUNT')
        await world.trade(session, { ...sale(19.8), ...use(target) })
        expect(await outcome(world.trade(session, { ...sale(1), ...use(stop, 2) }))).toBe('ORDER_AMOUNT')
      })

      it('is free again once a leaf is known to be unused, and never before', async () => {
        const id = await placeOne({ amountIn: sale(25).amountIn })
        await world.trade(session, { ...sale(25), ...use(id) })
        pass(119)
        expect(await outcome(world.trade(session, { ...sale(25), ...use(id, 2) }))).toBe('ORDER_AMOUNT')
        await settleExpired(world.deps)
        expect(await outcome(world.trade(session, { ...sale(25), ...use(id, 2) }))).toBe('ORDER_AMOUNT')
        pass(2)
        expect(await outcome(world.trade(session, { ...sale(25), ...use(id, 1) })), 'unsettled').toBe(
          'ORDER_AMOUNT',
        )
        await settleExpired(world.deps)
        const next = await world.trade(session, { ...sale(25), ...use(id, 1) })
        expect(next.sequence).toBe(2)
        world.useLeaf(session, 2)
        pass(121)
        await settleExpired(world.deps)
        expect(await outcome(world.trade(session, { ...sale(25), ...use(id, 1) }))).toBe('ORDER_AMOUNT')
        expect(await outcome(world.trade(session, { ...sale(25), ...use(id, 3) }))).toBe('ORDER_AMOUNT')
      })
    })

    it('of a sliced order are equal, apart in time, and the last takes the remainder', async () => {
      const each = sale(10).amountIn
      const id = await placeOne({ amountIn: 3n * each + 2n, slices: 3, everyS: 60 })
      const slice = (part: number, more = 0n) =>
        outcome(world.trade(session, { ...sale(10), amountIn: each + more, ...use(id, part) }))
      expect(await slice(1, 1n)).toBe('ORDER_AMOUNT')
      expect(await slice(1)).toMatchObject({ sequence: 1 })
      // Its leaf may be mined until it expires.
      pass(120 + 59)
      expect(await slice(2)).toBe('ORDER_TIME')
      pass(1)
      expect(await slice(4)).toBe('ORDER_AMOUNT')
      expect(await slice(2)).toMatchObject({ sequence: 2 })
      pass(10)
      await settleUsed(2)
      pass(59)
      expect(await slice(3, 2n)).toBe('ORDER_TIME')
      pass(1)
      world.chain.headS = NOW_S + 249
      expect(await slice(3, 2n), 'by the earlier clock').toBe('ORDER_TIME')
      world.chain.headS = NOW_S + 250
      expect(await slice(3, 3n)).toBe('ORDER_AMOUNT')
      expect(await slice(3, 2n)).toMatchObject({ sequence: 3 })
    })

    it('of a sliced order are never outstanding closer than its interval', async () => {
      const each = sale(10).amountIn
      session = await world.open({}, { expires_at: NOW_S + 20_000 })
      const id = await placeOne({ amountIn: 6n * each, slices: 6, everyS: 500, expiresAt: NOW_S + 9_000 })
      const expiries: number[] = []
      for (let s = 0; s < 4_000; s += 50) {
        for (let part = 1; part <= 6; part++) {
          const answer = await outcome(
            world.trade(session, { ...sale(10), amountIn: each, ...use(id, part) }),
          )
          if (typeof answer !== 'string') expiries[answer.sequence - 1] = answer.expires_at
        }
        pass(50)
        await settleExpired(world.deps)
      }
      // Unused parts are retired and signed anew; whatever was signed ended before the next one began.
      expect(expiries.length).toBeGreaterThan(4)
      const rows = await db.query<{ sequence: number; first_s: number; expires_at_s: number }>(
        `select sequence, first_signed_at_ms / 1000 as first_s, expires_at_s from order_leaves
         where root_hash = $1 order by sequence`,
        [session],
      )
      for (const row of rows) {
        expect(row.expires_at_s - row.first_s).toBeLessThanOrEqual(360)
        const next = rows.find(({ sequence }) => sequence === row.sequence + 1)
        if (next) expect(next.first_s).toBeGreaterThanOrEqual(row.expires_at_s)
      }
    })

    describe('another call of a part', () => {
      it('gets the same sequence while the first may still be sent, and not more of anything', async () => {
        const id = await placeOne({ amountIn: E18 / 10n })
        const first = await world.trade(session, { ...sale(25), ...use(id), clientId: 'a' })
        pass(30)
        const more = { ...sale(25), amountIn: sale(25).amountIn + 1n }
        expect(await outcome(world.trade(session, { ...more, ...use(id) }))).toBe('ORDER_AMOUNT')
        const again = await world.trade(session, { ...sale(20), ...use(id), clientId: 'b' })
        expect(again).toMatchObject({
          sequence: first.sequence,
          expires_at: NOW_S + 150,
          spend: { trades: 1, this_micro_usd: 25_000_000 },
        })
        expect(again.leaf_hash).not.toBe(first.leaf_hash)
        expect(
          await world.trade(session, {
            ...sale(20),
            ...use(id),
            clientId: 'b',
            deadlineS: BigInt(NOW_S + 150),
          }),
          'repeated',
        ).toEqual(again)
        const [row] = await db.query(
          'select amount_in::text, expires_at_s from order_leaves where root_hash = $1',
          [session],
        )
        expect(row).toEqual({ amount_in: sale(25).amountIn.toString(), expires_at_s: NOW_S + 150 })
      })

      it('ends permanently three lifetimes after the first, then gets a new sequence', async () => {
        const id = await placeOne({ amountIn: sale(25).amountIn })
        const again = () => outcome(world.trade(session, { ...sale(25), ...use(id) }))
        const ends: number[] = []
        for (let s = 0; s < 360; s += 60) {
          expect(await again()).toMatchObject({ sequence: 1 })
          const [row] = await db.query<{ at: number }>(
            'select expires_at_s as at from order_leaves where root_hash = $1',
            [session],
          )
          ends.push(row!.at - NOW_S)
          pass(60)
        }
        expect(ends).toEqual([120, 180, 240, 300, 360, 360])
        expect(await again(), 'ended').toBe('ORDER_AMOUNT')
        pass(1)
        await settleExpired(world.deps)
        expect(await again()).toMatchObject({ sequence: 2, spend: { trades: 2 } })
        world.useLeaf(session, 2)
        pass(121)
        await settleExpired(world.deps)
        expect(await again(), 'used').toBe('ORDER_AMOUNT')
      })

      it('counts at its largest value, if the day has room for the difference', async () => {
        const ether = (priceE18: bigint) => {
          world.market.own = (token) =>
            token === NATIVE ? { kind: 'fresh', priceE18, by: 'feed' } : ownPrice(token)
        }
        const id = await placeOne({ amountIn: E18 / 10n })
        const first = await world.trade(session, { ...sale(25), ...use(id) })
        const counted = async () => {
          const [row] = await db.query(
            `select l.micro_usd, o.micro_usd as part, r.day_micro_usd as day, o.max_out::int8 as most
             from leaves l join order_leaves o using (root_hash, sequence) join roots r on r.hash = l.root_hash
             where l.root_hash = $1`,
            [session],
          )
          return row
        }
        ether(2_600n * E18)
        const dearer = { ...sale(25), amountOutMin: 25_600_000n, ...use(id) }
        expect(await world.trade(session, dearer)).toMatchObject({
          sequence: first.sequence,
          spend: { trades: 1, day_micro_usd: 26_000_000, this_micro_usd: 26_000_000 },
        })
        const most = { micro_usd: 26_000_000, part: 26_000_000, day: 26_000_000, most: 26_260_000 }
        expect(await counted()).toEqual(most)
        ether(2_500n * E18)
        expect(await world.trade(session, { ...sale(25), ...use(id) })).toMatchObject({
          spend: { day_micro_usd: 26_000_000, this_micro_usd: 26_000_000 },
        })
        expect(await counted()).toEqual(most)
        // The rest of the day is spent: nothing more can be added to it.
        await db.query(
          `insert into leaves (root_hash, sequence, micro_usd, signed_at_ms, execution_hash, call_nonce)
           values ($1, 99, $2, $3, '', $4)`,
          [session, DAY_MICRO_USD - 26_000_000, NOW_S * 1000, freshNonce()],
        )
        ether(2_501n * E18)
        expect(await world.trade(session, { ...sale(25), ...use(id) })).toMatchObject({ sequence: 1 })
        ether(2_601n * E18)
        expect(await outcome(world.trade(session, dearer))).toBe('SESSION_MAX_DAY')
        expect(await counted()).toMatchObject({ micro_usd: 26_000_000 })
      })

      it('is not settled by the expiry of the first', async () => {
        const id = await placeOne({ amountIn: sale(25).amountIn })
        const first = await world.trade(session, { ...sale(25), ...use(id) })
        const stored = (await world.deps.sessions.find(session))!
        pass(100)
        await world.trade(session, { ...sale(25), ...use(id) })
        const outdated = { sequence: first.sequence, state: 'unused', expiresS: NOW_S + 120 } as const
        expect(await settle(world.deps, stored, outdated)).toMatchObject({ state: 'open', received: null })
        pass(60)
        await settleExpired(world.deps)
        expect(await db.query('select state from order_leaves where root_hash = $1', [session])).toEqual([
          { state: null },
        ])
      })

      it('is refused once the order ended, also for a repeated client_id', async () => {
        const id = await placeOne({ amountIn: E18 / 10n })
        const request = { ...sale(25), ...use(id), clientId: 'x' }
        const first = await world.trade(session, request)
        expect(await world.trade(session, request)).toEqual(first)
        await world.cancel(session, [id])
        expect(await outcome(world.trade(session, request))).toBe('ORDER_ENDED')
        expect(await outcome(world.trade(session, { ...sale(25), ...use(id) }))).toBe('ORDER_ENDED')
        world.chain.nonce = 9n
        expect(await outcome(world.trade(session, request))).toBe('SESSION_NONCE')
      })

      it('is refused while frozen and revoked', async () => {
        const id = await placeOne({ amountIn: E18 / 10n })
        await world.trade(session, { ...sale(25), ...use(id) })
        await world.ledger.setFrozen(true, nonce())
        expect(await outcome(world.trade(session, { ...sale(25), ...use(id) }))).toBe('SIGNER_FROZEN')
        await world.ledger.setFrozen(false, nonce())
        await world.ledger.revoke(session)
        expect(await outcome(world.trade(session, { ...sale(25), ...use(id) }))).toBe('SESSION_REVOKED')
      })
    })

    describe('a trigger', () => {
      const feed = '0x00000000000000000000000000000000000000f1' as Hex
      const below = { kind: 'at_or_below', token: NATIVE, priceE18: 2_400n * E18, trailBps: 0 } as const
      const E8 = 10n ** 8n

      it('is met by a round after the registration, and stays met', async () => {
        const id = await placeOne({ amountIn: E18 / 10n, trigger: below })
        world.chain.rounds.set(feed, [
          { answer: 2_300n * E8, updatedAt: NOW_S },
          { answer: 2_401n * E8, updatedAt: NOW_S + 10 },
          { answer: 2_400n * E8, updatedAt: NOW_S + 20 },
        ])
        pass(30)
        const named = (...rounds: bigint[]) =>
          outcome(world.trade(session, { ...sale(25), ...use(id, 1, rounds) }))
        for (const rounds of [[], [1n], [2n], [4n], [2n, 3n]])
          expect(await named(...rounds)).toBe('ORDER_TRIGGER')
        // The trade itself is refused, but what its round shows stays.
        const cheap = { ...sale(25), amountOutMin: 1n }
        expect(await outcome(world.trade(session, { ...cheap, ...use(id, 1, [3n]) }))).toBe(
          'PRICE ORDER_PRICE',
        )
        world.chain.rounds.clear()
        expect(await named()).toMatchObject({ sequence: 1 })
      })

      it('is not met before the start', async () => {
        const id = await placeOne({ amountIn: E18 / 10n, trigger: below, startsAt: NOW_S + 60 })
        world.chain.rounds.set(feed, [
          { answer: 2_300n * E8, updatedAt: NOW_S + 60 },
          { answer: 2_300n * E8, updatedAt: NOW_S + 61 },
        ])
        pass(30)
        const named = (round: bigint) =>
          outcome(world.trade(session, { ...sale(25), ...use(id, 1, [round]) }))
        expect(await named(1n)).toBe('ORDER_TIME ORDER_TRIGGER')
        pass(40)
        expect(await named(1n)).toBe('ORDER_TRIGGER')
        expect(await named(2n)).toMatchObject({ sequence: 1 })
      })

      it('of an exit is met by a round after its entry’s first settled fill', async () => {
        const entry = makeOrder({ ...purchase(50), minAmountOut: 0n, amountIn: 50_000_000n })
        const stop = makeOrder({ parent: 1, amountIn: E18, trigger: below })
        const list = makeList(session, [entry, stop])
        await world.place(session, list)
        const [buy, exit] = idsOf(list) as [Hex, Hex]
        world.chain.rounds.set(feed, [
          { answer: 2_300n * E8, updatedAt: NOW_S + 10 },
          { answer: 2_300n * E8, updatedAt: NOW_S + 40 },
          { answer: 2_300n * E8, updatedAt: NOW_S + 41 },
        ])
        await world.trade(session, { ...purchase(50), ...use(buy) })
        const named = (round: bigint) =>
          outcome(world.trade(session, { ...sale(25), ...use(exit, 1, [round]) }))
        pass(40)
        expect(await named(1n)).toBe('ORDER_AMOUNT ORDER_TRIGGER')
        await settleUsed(1, sale(49.8).amountIn)
        pass(10)
        for (const round of [1n, 2n]) expect(await named(round)).toBe('ORDER_TRIGGER')
        expect(await named(3n)).toMatchObject({ sequence: 2 })
      })

      it('is not stored by a rehearsal', async () => {
        const id = await placeOne({ amountIn: E18 / 10n, trigger: below })
        pass(30)
        world.chain.rounds.set(feed, [{ answer: 2_400n * E8, updatedAt: NOW_S + 20 }])
        const request = world.request(session, { ...sale(25), ...use(id, 1, [1n]) })
        const { checks } = await rehearseTrade(world.deps, request)
        expect(checks.filter(({ ok }) => !ok)).toEqual([])
        expect(await outcome(world.trade(session, { ...sale(25), ...use(id) }))).toBe('ORDER_TRIGGER')
      })
    })

    describe('without an order', () => {
      it('need a signature above the hour’s limit, until they are known to be unused', async () => {
        session = await world.open({ signature_above_micro_usd: 50_000_000 })
        const plain = (usd: number) => outcome(world.trade(session, sale(usd)))
        expect(await plain(50.01)).toBe('SIGNATURE_REQUIRED')
        expect(await plain(30)).toMatchObject({ sequence: 1 })
        expect(await plain(20.01)).toBe('SIGNATURE_REQUIRED')
        expect(await plain(20)).toMatchObject({ sequence: 2 })
        expect(await plain(1)).toBe('SIGNATURE_REQUIRED')
        const list = makeList(session, [makeOrder({ amountIn: E18 / 10n })])
        await world.place(session, list)
        expect(await outcome(world.trade(session, { ...sale(40), ...use(idsOf(list)[0]!) }))).toMatchObject({
          sequence: 3,
        })
        world.useLeaf(session, 1)
        pass(121)
        await settleExpired(world.deps)
        expect(await plain(20.01)).toBe('SIGNATURE_REQUIRED')
        expect(await plain(20)).toMatchObject({ sequence: 4 })
        world.time.nowMs = (NOW_S + 3_600 + 120) * 1000 - 1
        session = await world.open({ signature_above_micro_usd: 0 })
        expect(await plain(1)).toMatch('SIGNATURE_REQUIRED')
      })

      it('leave the day and the trades that armed closing orders need', async () => {
        session = await world.open(
          {},
          { limits: { max_trade_micro_usd: 100_000_000, max_day_micro_usd: 400_000_000, max_trades: 3 } },
        )
        await placeOne({ amountIn: sale(100).amountIn })
        expect(await outcome(world.trade(session, purchase(100)))).toMatchObject({ sequence: 1 })
        expect(await outcome(world.trade(session, purchase(100)))).toMatchObject({ sequence: 2 })
        expect(await outcome(world.trade(session, purchase(100)))).toBe('ORDER_RESERVED')
        expect(await outcome(world.trade(session, sale(100)))).toMatchObject({ sequence: 3 })
      })
    })

    it('rehearse every rule with its numbers and count nothing', async () => {
      session = await world.open({ signature_above_micro_usd: 50_000_000 })
      const { checks, spend } = await rehearseTrade(world.deps, world.request(session, sale(60)))
      const failed = checks.filter(({ ok }) => !ok)
      expect(failed).toMatchObject([{ rule: 'SIGNATURE_REQUIRED', value: '60000000', limit: 50_000_000 }])
      const byRule = new Map(checks.map((check) => [check.rule, check]))
      expect(byRule.size).toBe(checks.length)
      expect(byRule.get('SESSION_MAX_TRADE')).toMatchObject({
        ok: true,
        value: '60000000',
        limit: 100_000_000,
      })
      expect(byRule.get('SESSION_MAX_DAY')).toMatchObject({
        ok: true,
        value: '60000000',
        limit: 1_000_000_000,
      })
      expect(byRule.get('PRICE')).toMatchObject({ ok: true, value: 150 })
      expect(spend).toMatchObject({ trades: 0, this_micro_usd: 60_000_000 })
      const request = world.request(session, sale(40))
      await rehearseTrade(world.deps, request)
      expect((await world.ledger.status(session))?.sequence).toBe(0)
      expect(await outcome(world.trade(session, sale(40)))).toMatchObject({ sequence: 1 })
      const plain = await world.open(null)
      const rehearsal = await rehearseTrade(world.deps, world.request(plain, sale(60)))
      expect(rehearsal.checks.every(({ ok }) => ok)).toBe(true)
    })

    it('of a session without controls use the same statements as before', async () => {
      const plain = await world.open(null)
      await world.deps.sessions.find(plain)
      const statements: string[] = []
      const spy: Db = {
        ...db,
        query: (text, values, options) => {
          statements.push(text.trim().split(/\s+/).slice(0, 4).join(' '))
          return db.query(text, values, options)
        },
        transaction: () => {
          throw new Error('a transaction')
        },
      }
      const spied = openControlWorld(spy)
      await spied.deps.sessions.find(plain)
      statements.length = 0
      await spied.trade(plain, sale(25))
      expect(statements).toEqual(['select * from count_leaves($1::text[],'])
      statements.length = 0
      await spied.trade(plain, { ...sale(25), clientId: 'c' })
      expect(statements).toEqual([
        'select l.sequence, l.micro_usd, l.signed_at_ms,',
        'select * from count_leaves($1::text[],',
      ])
    })
  },
  ledgerMigrations(),
)
