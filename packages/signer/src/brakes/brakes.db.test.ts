import { type Address, type Hex, NATIVE } from '@pit/chain'
import { withDb } from '@pit/platform/test/withDb'
import { beforeEach, expect, it } from 'vitest'
import { type ControlWorld, openControlWorld, outcome, purchase, sale } from '../../test/controlKit.ts'
import { E18, NOW_S, ownPrice } from '../../test/kit.ts'
import { ledgerMigrations } from '../ledger/openLedger.ts'
import { describeControls } from '../orders/describeControls.ts'
import { settle } from '../orders/settleLeaf.ts'
import type { OwnPrice } from '../prices/followPrices.ts'
import { sampleBooks } from './sampleBooks.ts'

withDb(
  'brakes',
  (db) => {
    let world: ControlWorld
    let session: Hex
    const breakers = [{ max_fall_micro_usd: 10_000_000, window_s: null, cool_down_s: 600 }]
    beforeEach(async () => {
      world = openControlWorld(db)
      session = await world.open({ breakers })
    })
    const priceEth = (price: number | null, why = 'its feed is past its heartbeat') => {
      world.market.own = (token: Address): OwnPrice =>
        token !== NATIVE
          ? ownPrice(token)
          : price === null
            ? { kind: 'none', why }
            : { kind: 'fresh', priceE18: BigInt(price) * E18, by: 'feed' }
    }
    const statusOf = async () => (await describeControls(world.deps, session)).breakers[0]!
    const settleAs = async (sequence: number, received: bigint) =>
      settle(world.deps, (await world.deps.sessions.find(session))!, { sequence, state: 'used', received })
    /** Buys ETH for dollars at 2,500 and settles it without a loss. */
    const buy = async (usd: number) => {
      const { sequence } = await world.trade(session, purchase(usd))
      await settleAs(sequence, sale(usd).amountIn)
    }
    /** At another price of ETH. */
    const purchaseAt = (usd: number, price: number) => ({
      ...purchase(usd),
      amountOutMin: (BigInt(usd * 985) * E18) / BigInt(price * 1_000),
    })

    it('trip when the settled book has fallen, never for closing trades, and cool down', async () => {
      await buy(100)
      expect(await statusOf()).toEqual({
        max_fall_micro_usd: 10_000_000,
        best_micro_usd: 0,
        now_micro_usd: 0,
        tripped_until: null,
      })
      priceEth(2_250)
      await sampleBooks(world.deps)
      expect(await statusOf()).toMatchObject({ now_micro_usd: -10_000_000, tripped_until: null })
      expect(await outcome(world.trade(session, purchaseAt(10, 2_250)))).toBe('BREAKER')
      priceEth(2_249)
      await sampleBooks(world.deps)
      expect(await statusOf()).toMatchObject({ tripped_until: NOW_S + 600 })
      priceEth(2_500)
      await sampleBooks(world.deps)
      expect(await outcome(world.trade(session, purchase(10)))).toBe('BREAKER')
      expect(await outcome(world.trade(session, sale(10)))).toMatchObject({ sequence: 2 })
      world.time.nowMs += 600_000
      priceEth(2_300)
      await sampleBooks(world.deps)
      expect(await statusOf()).toMatchObject({ best_micro_usd: -8_000_000, tripped_until: null })
      expect(await outcome(world.trade(session, purchaseAt(10, 2_300)))).toMatchObject({ sequence: 3 })
    })

    it('judge the next trade by the worst of all unsettled ones, which trip nothing', async () => {
      // Each may lose 1.5% of 100 dollars.
      for (let n = 1; n <= 6; n++)
        expect(await outcome(world.trade(session, purchase(100)))).toMatchObject({ sequence: n })
      expect(await outcome(world.trade(session, purchase(100)))).toBe('BREAKER')
      expect(await statusOf()).toMatchObject({ now_micro_usd: 0, tripped_until: null })
      await settleAs(1, sale(100).amountIn)
      expect(await outcome(world.trade(session, purchase(100)))).toMatchObject({ sequence: 7 })
    })

    it('measure a first loss from zero, also before the first sample', async () => {
      const { sequence } = await world.trade(session, purchase(100))
      world.market.own = ownPrice
      priceEth(2_200)
      await settleAs(sequence, sale(100).amountIn)
      expect(await statusOf()).toMatchObject({ tripped_until: NOW_S + 600 })
    })

    it('freeze a missing price for five minutes, then refuse opening trades only', async () => {
      await buy(100)
      priceEth(null)
      // A purchase of another token would pass every rule that needs its own price.
      world.market.last.set(NATIVE, { priceE18: 2_500n * E18, atMs: world.time.nowMs, isClosed: false })
      expect(await statusOf()).toMatchObject({ now_micro_usd: 0 })
      world.time.nowMs += 300_000
      expect(await statusOf()).toMatchObject({ now_micro_usd: 0 })
      world.time.nowMs += 1
      expect(await statusOf()).toMatchObject({ now_micro_usd: null, best_micro_usd: null })
      expect(await outcome(world.trade(session, purchase(10)))).toBe('PRICE_UNAVAILABLE BREAKER_UNPRICED')
      expect(await outcome(world.trade(session, sale(10)))).toBe('PRICE_UNAVAILABLE')
      world.market.last.set(NATIVE, { priceE18: 2_500n * E18, atMs: 0, isClosed: true })
      expect(await statusOf(), 'a closed market').toMatchObject({ now_micro_usd: 0 })
    })

    it('do not concern deposits, nor sessions without breakers', async () => {
      const plain = await world.open()
      await world.trade(plain, purchase(100))
      expect(await db.query('select from session_books where root_hash = $1', [plain])).toEqual([])
      expect((await describeControls(world.deps, plain)).breakers).toEqual([])
    })
  },
  ledgerMigrations(),
)
