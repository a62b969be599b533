import { withDb } from '@pit/platform/test/withDb'
import { beforeEach, expect, it } from 'vitest'
import { grant, makeBinding, NOW_S, storedOf } from '../../test/kit.ts'
import { ask, clock, leaf, nonce, register, resetTime, time } from '../../test/ledgerKit.ts'
import { ledgerMigrations, openLedger } from './openLedger.ts'
import { sweepLedger } from './sweepLedger.ts'

const KEPT_S = 61 * 86_400

withDb(
  'what ended long ago',
  (db) => {
    const open = () => openLedger({ db, clock })
    beforeEach(resetTime)

    it('is deleted with its leaves; rows that could still matter are not', async () => {
      const ledger = open()
      const [old, young] = [await register(ledger), await register(ledger)]
      await ask(ledger, leaf(old))
      await ledger.revoke(old.hash)
      const stray = `0x${'5'.repeat(64)}` as const
      await ledger.revoke(stray)
      const left = async () => {
        const [row] = await db.query(
          `select (select count(*) from roots where hash = any($1)) as roots,
             (select count(*) from leaves where root_hash = any($1)) as leaves,
             (select count(*) from revocations where root_hash = any($2)) as revocations`,
          [
            [old.hash, young.hash],
            [old.hash, stray],
          ],
        )
        return row
      }
      const endMs = old.binding.expires_at * 1000
      await sweepLedger(db, endMs + KEPT_S * 1000)
      expect(await left()).toMatchObject({ roots: 2, leaves: 1, revocations: 2 })
      await db.query(
        `update roots set binding = jsonb_set(binding, '{expires_at}', to_jsonb($2::int8)) where hash = $1`,
        [young.hash, young.binding.expires_at + 10],
      )
      await sweepLedger(db, endMs + KEPT_S * 1000 + 1_000)
      expect(await left()).toEqual({ roots: 1, leaves: 0, revocations: 1 })
      expect(await ledger.status(old.hash)).toBeNull()
      expect(await ask(ledger, leaf(old))).toBe('ROOT')
    })

    it('a root revoked before its registration is never accepted', async () => {
      const ledger = open()
      // Signed for longer than a session may last: it can be registered only in its last thirty days.
      const late = storedOf(grant(makeBinding({ expires_at: NOW_S + 100 * 86_400 })))
      await ledger.revoke(late.hash)
      time.nowMs += 75 * 86_400_000
      await sweepLedger(db, time.nowMs)
      expect(await ledger.register(late)).toBe('revoked')
    })

    it('keeps the newest freezes', async () => {
      const ledger = open()
      for (let i = 0; i < 3; i++) await ledger.setFrozen(i % 2 === 0, nonce())
      await ledger.setFrozen(false, nonce())
      await db.query(
        `insert into freezes select 'old ' || n, true, n from generate_series(1, 1500) as numbers (n)`,
      )
      await sweepLedger(db, time.nowMs + 700_000)
      const [row] = await db.query<{ n: number; oldest: number }>(
        'select count(*) as n, min(at_ms) as oldest from freezes',
      )
      expect(row).toMatchObject({ n: 1_000 })
      expect(row!.oldest).toBeGreaterThan(400)
      expect(await ledger.isFrozen()).toBe(false)
    })
  },
  ledgerMigrations(),
)
