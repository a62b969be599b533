import type { Hex } from '@pit/chain'
import type { Db, Sql } from '@pit/platform/db'
import { withDb } from '@pit/platform/test/withDb'
import { DAY_S } from '@pit/protocol'
import { expect, it } from 'vitest'
import {
  idsOf,
  makeList,
  makeOrder,
  openControlWorld,
  outcome,
  purchase,
  sale,
  use,
} from '../../test/controlKit.ts'
import { E18 } from '../../test/kit.ts'
import { ledgerMigrations } from '../ledger/openLedger.ts'
import { readStanding } from '../ledger/readStanding.ts'

withDb(
  'counting a leaf of a session with controls',
  (db) => {
    /** Runs `between` once, after the session’s state was read and before the leaf is counted. */
    const interrupted = (between: () => Promise<unknown>): { db: Db; statements: string[] } => {
      const statements: string[] = []
      let isDone = false
      const query: Sql['query'] = async (text, ...rest) => {
        statements.push(text)
        if (!isDone && text.includes('count_controlled')) {
          isDone = true
          await between()
        }
        return db.query(text, ...rest)
      }
      return { db: { ...db, query }, statements }
    }

    it('takes two statements', async () => {
      const { db: counting, statements } = interrupted(async () => {})
      const world = openControlWorld(counting)
      const session = await world.open({ signature_above_micro_usd: 100_000_000 })
      statements.length = 0
      await world.trade(session, sale(25))
      // The first one loads the session.
      expect(statements).toHaveLength(3)
    })

    it('judges again after another leaf or a cancelled order came between', async () => {
      const other = openControlWorld(db)
      let between = async (): Promise<unknown> => undefined
      const world = openControlWorld(interrupted(() => between()).db)
      const session = await world.open({ signature_above_micro_usd: 30_000_000 })
      between = () => other.trade(session, sale(25))
      expect(await outcome(world.trade(session, sale(25)))).toBe('SIGNATURE_REQUIRED')
      expect((await world.ledger.status(session))?.sequence).toBe(1)

      const cancelled = openControlWorld(interrupted(() => between()).db)
      const list = makeList(session, [makeOrder()])
      await other.place(session, list)
      const [id] = idsOf(list)
      between = () => other.cancel(session, [id!])
      expect(await outcome(cancelled.trade(session, { ...sale(25), ...use(id!) }))).toBe('ORDER_ENDED')
      expect((await world.ledger.status(session))?.sequence).toBe(1)
    })

    it('never exceeds unsigned spend and the worst case of a brake in 20 concurrent leaves', async () => {
      const world = openControlWorld(db)
      const breakers = [{ max_fall_micro_usd: 1_000_000, window_s: null, cool_down_s: 600 }]
      const [capped, braked] = [
        await world.open({ signature_above_micro_usd: 100_000_000 }),
        await world.open({ breakers }),
      ]
      const passed = async (session: Hex, trade: Parameters<typeof world.trade>[1]) =>
        (await Promise.all(Array.from({ length: 20 }, () => outcome(world.trade(session, trade))))).filter(
          (one) => typeof one !== 'string',
        ).length
      expect(await passed(capped, sale(25))).toBe(4)
      // Each may lose 1.5% of 20 dollars.
      expect(await passed(braked, purchase(20))).toBe(3)
    })

    it('keeps the day’s sum equal to that of its leaves, also after the clock was set back', async () => {
      const world = openControlWorld(db)
      const session = await world.open({}, { expires_at: Math.floor(world.time.nowMs / 1000) + 6 * DAY_S })
      const list = makeList(session, [makeOrder({ amountIn: E18 / 50n })])
      await world.place(session, list)
      const [id] = idsOf(list)
      const daySum = async () => {
        const standing = await readStanding(db, session, world.time.nowMs)
        const { spend } = await world.trade(session, sale(2))
        expect(BigInt(spend.day_micro_usd)).toBe(standing!.dayMicroUsd + 2_000_000n)
        return spend.day_micro_usd
      }
      const first = await world.trade(session, { ...sale(25), ...use(id!) })
      expect(await daySum()).toBe(27_000_000)
      world.time.nowMs += 100_000
      // Signed again: it counts from now on.
      expect((await world.trade(session, { ...sale(20), ...use(id!) })).sequence).toBe(first.sequence)
      world.time.nowMs += DAY_S * 1000
      expect(await daySum()).toBe(29_000_000)
      world.time.nowMs += 60_000
      expect(await daySum()).toBe(29_000_000)
      world.time.nowMs += 100_000
      expect(await daySum()).toBe(6_000_000)
      world.time.nowMs -= 150_000
      expect(await daySum()).toBe(35_000_000)
      world.time.nowMs += 2 * DAY_S * 1000
      expect(await daySum()).toBe(2_000_000)
      world.time.nowMs -= 3 * DAY_S * 1000 + 100_000
      // Its leaf may be sent again by this clock.
      expect((await world.trade(session, { ...sale(20), ...use(id!) })).sequence).toBe(first.sequence)
      expect(await daySum()).toBe(39_000_000)
    })
  },
  ledgerMigrations(),
)
