import { type Db, type Migration, migrate, openDb } from '@pit/platform/db'
import { pageValues, TRADES_PAGE } from '@pit/relay/internal/walletTrades'
import { seconds } from './fill.ts'
import { AGENTS, agentId, BUSY, type YearSize } from './size.ts'

/** Applies the migrations after the year while it is read, and returns the longest wait of a reader. */
export async function migrateWhileRead(
  db: Db,
  databaseUrl: string,
  all: readonly Migration[],
  size: YearSize,
): Promise<void> {
  const readers = await openDb({ dataDir: '', databaseUrl })
  const [busy] = await readers.query<{ wallet: `0x${string}` }>(`select made.wallet(${BUSY}) as wallet`)
  const page = { wallet: busy!.wallet, before: undefined, withNeverMined: false, limit: 51 }
  const reads: [string, string, unknown[]][] = [
    ['me/trades', TRADES_PAGE, pageValues(page)],
    ['a key', `select id from api_keys where key_sha256 = sha256('key9'::bytea)`, []],
    [
      'logs',
      'select * from hosted_logs where agent_id = $1 order by id desc limit 50',
      [agentId(AGENTS.live)],
    ],
    ['an agent', 'select * from hosted_agents where id = $1', [agentId(AGENTS.paper)]],
    ['sessions', 'select * from sessions where wallet = $1 limit 50', [busy!.wallet]],
    ['fees', 'select * from fees where trade_id = $1', [size.trades / 2]],
  ]
  let over = false
  const longest = new Map<string, number>()
  let count = 0
  const reading = reads.map(async ([name, text, values]) => {
    while (!over) {
      const startedMs = performance.now()
      await readers.query(text, values)
      count++
      longest.set(name, Math.max(longest.get(name) ?? 0, performance.now() - startedMs))
    }
  })
  const appliedRows = await db.query<{ number: number }>('select number from migrations order by number')
  for (const migration of all.slice(appliedRows.length)) {
    const startedMs = performance.now()
    await migrate(db, all.slice(0, migration.number))
    console.log(`migration ${migration.name}: ${seconds(startedMs)} s`)
  }
  over = true
  await Promise.all(reading)
  await readers.close()
  const worst = [...longest].map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`).join(', ')
  console.log(`${count} reads meanwhile, the longest: ${worst}`)
}
