import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDb } from '@pit/platform/db'
import { afterAll, expect, it } from 'vitest'
import { openBacktestDeps } from '../packages/cli/src/backtest/openDeps.ts'
import { newServerDirectory } from '../packages/platform/test/serverStore.ts'
import { migrateStore } from '../packages/server/src/migrateStore.ts'

const ETH = '0x0000000000000000000000000000000000000000'
const PROFILE = 'profiles/mainnet.json'
const dataDir = await newServerDirectory()
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

it('reads the marks that a server stored, and explains what to do while one runs', async () => {
  const db = await openDb({ dataDir, databaseUrl: null })
  await migrateStore(db)
  await db.query(
    `insert into marks (token, minute_s, price_e18, source, block, updated_at_s, stale)
     select $1, 1800000000 + 60 * i, (2000 + i) * 1e18, 'oracle_feed', i, 1800000000, i = 2
     from generate_series(0, 9) as i`,
    [ETH],
  )
  const place = openBacktestDeps({ DATA_DIR: dataDir, PROFILE })
  const request = { tokens: ['ETH'], fromS: 1_800_000_060, toS: 1_800_000_180 }
  await expect(place.readStore(request, {})).rejects.toThrow(/running Pit \(process \d+\).*\n.*\n.*stop it/)
  await db.close()
  expect(await place.readStore(request, {})).toEqual(
    new Map([
      [
        'ETH',
        [
          { atS: 1_800_000_060, priceE18: 2_001n * 10n ** 18n, stale: false },
          { atS: 1_800_000_120, priceE18: 2_002n * 10n ** 18n, stale: true },
          { atS: 1_800_000_180, priceE18: 2_003n * 10n ** 18n, stale: false },
        ],
      ],
    ]),
  )
  await expect(place.readStore({ ...request, tokens: ['DOGE'] }, {})).rejects.toThrow(
    'neither a core symbol nor an address',
  )
})

it('does not create a store', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'pit-empty-'))
  const place = openBacktestDeps({ DATA_DIR: empty, PROFILE })
  await expect(place.readStore({ tokens: ['ETH'], fromS: 0, toS: 1 }, {})).rejects.toThrow('No store')
  rmSync(empty, { recursive: true })
})
