import { openTestAccount } from '@pit/accounts/test/openTestAccount'
import { readAgent } from '@pit/agents/internal/store'
import { migrate, storeMigrations } from '@pit/platform/db'
import { insertRows, missingRows, readOlderStore } from '@pit/platform/test/olderStore'
import { withDb } from '@pit/platform/test/withDb'
import { findSession } from '@pit/sessions/internal/store'
import { beforeAll, expect, it } from 'vitest'

// The store of the release before, with what a user made there: a trade, a session and its trade, an agent on paper
// with its decisions and fills, a league entry, fees and a treasury head. Recorded from its processes.

const older = readOlderStore(new URL('../test/upgrade/store.json', import.meta.url))
const WALLET = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const text = (table: string, column: string) => String(older.tables[table]![0]![column])

withDb(
  'a store of the release before',
  (db) => {
    beforeAll(async () => {
      await insertRows(db, older)
      expect(await missingRows(db, older)).toEqual([])
    })

    it('is migrated without losing a row or a value', async () => {
      const all = storeMigrations()
      expect(await migrate(db, all)).toBe(all.length - older.migrations)
      expect(await missingRows(db, older)).toEqual([])
      expect(await migrate(db, all)).toBe(0)
    })

    it('shows its trades, session and agent to today’s code', async () => {
      const account = openTestAccount(db)
      const { trades } = await account.listTrades({ wallet: WALLET, limit: 50, withNeverMined: false })
      await account.close()
      expect(trades.map(({ path, status }) => [path, status])).toEqual([
        ['session', 'mined'],
        ['agent', 'mined'],
      ])
      expect(await findSession(db, text('sessions', 'id'))).toMatchObject({ wallet: WALLET })
      expect(await readAgent(db, text('hosted_agents', 'id'))).toMatchObject({
        mode: 'paper',
        status: 'active',
      })
    })
  },
  storeMigrations().slice(0, older.migrations),
)
