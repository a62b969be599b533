import type { Hex } from '@pit/chain'
import { migrate } from '@pit/platform/db'
import { insertRows, missingRows, readOlderStore } from '@pit/platform/test/olderStore'
import { withDb } from '@pit/platform/test/withDb'
import { beforeAll, expect, it } from 'vitest'
import { ledgerMigrations, openLedger } from './openLedger.ts'

// The ledger of the release before with a session that has co-signed ten dollars. Recorded from its signer.

const older = readOlderStore(new URL('../../test/upgrade/ledger.json', import.meta.url))
const [root] = older.tables['roots']!
const [leaf] = older.tables['leaves']!
const HASH = root!['hash'] as Hex

withDb(
  'a ledger of the release before',
  (db) => {
    beforeAll(() => insertRows(db, older))

    it('is migrated without losing a row or a value', async () => {
      const all = ledgerMigrations()
      expect(await migrate(db, all)).toBe(all.length - older.migrations)
      expect(await missingRows(db, older)).toEqual([])
    })

    it('still counts what its session has spent', async () => {
      const nowMs = Number(leaf!['signed_at_ms']) + 60_000
      const ledger = openLedger({ db, clock: { nowMs: () => nowMs } as never })
      expect(await ledger.load(HASH)).toMatchObject({ hash: HASH, sessionId: root!['session_id'] })
      expect(await ledger.status(HASH)).toMatchObject({
        root_hash: HASH,
        status: 'active',
        spend: { trades: 1, day_micro_usd: 10_000_000 },
      })
    })
  },
  ledgerMigrations().slice(0, older.migrations),
)
