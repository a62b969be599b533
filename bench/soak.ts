/**
 * Devnet with its market, signer and server (on PostgreSQL, so that its tables can be weighed) for SOAK_S seconds
 * under clients of every kind and paper agents that tick: memory, open files, table sizes and latencies, and
 * whether they are at the end what they were in the second quarter. SOAK_RATE scales the pace. Beside them the
 * share of processor time that the host gave to others, so that a slow machine is not taken for a slow server.
 * node scripts/build.mjs && SOAK_S=7200 node dist/bench/soak.js
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openDb } from '@pit/platform/db'
import { findPostgres, startPostgres } from '@pit/platform/test/postgresServer'
import { seedAgents } from '../e2e/hosted/seedAgents.ts'
import { openSessionWorld } from '../e2e/session/world.ts'
import { migrateStore } from '../packages/server/src/migrateStore.ts'
import { startClients } from './soak/clients.ts'
import { judgeFlat, printTable, type Sample, tableSizes, takeSample } from './soak/samples.ts'

const SOAK_S = Number(process.env['SOAK_S'] ?? 120)
const RATE = Number(process.env['SOAK_RATE'] ?? 1)
const SAMPLE_S = Math.min(30, SOAK_S / 40)
const AGENTS = 200
const INTERVAL_S = 60
/** Tables with less growth are not listed. */
const TELL_MB = 0.2

const bin = findPostgres()
if (bin === null) throw new Error('PostgreSQL is not installed: its tables are what is weighed')
const postgres = await startPostgres(bin, { fsync: 'on' })
const databaseUrl = await postgres.createDatabase()
const db = await openDb({ dataDir: '', databaseUrl })
await migrateStore(db)
const world = await openSessionWorld({
  devnet: { MARKET: 'on' },
  server: { DATABASE_URL: databaseUrl },
})
try {
  await seedAgents(db, world.profile, {
    ...{ count: AGENTS, intervalS: INTERVAL_S, nowMs: Date.now(), afterMs: Date.now() },
    brains: ['dca', 'momentum', 'mean_reversion', 'grid', 'rebalance'],
    pairs: ['ETH/USDG', 'cbBTC/USDG'],
  })
  const pids = { server: world.server.pid, signer: world.signer.pid, devnet: world.devnet.pid }
  const clients = await startClients(world, RATE)
  const before = await tableSizes(db)
  const samples: Sample[] = []
  const startedAt = performance.now()
  const secondsNow = () => (performance.now() - startedAt) / 1_000
  // When ended early it reports the samples so far.
  let isEnough = false
  process.once('SIGINT', () => {
    isEnough = true
  })
  while (secondsNow() < SOAK_S && !isEnough) {
    await sleep(SAMPLE_S * 1_000)
    const sample = await takeSample(pids, db, { atS: secondsNow(), ms: clients.take() })
    samples.push(sample)
    if (samples.length % 20 === 0) {
      const mb = Object.entries(sample.mb).map(([name, size]) => `${name} ${size.toFixed(0)} MB`)
      console.log(
        `${(sample.atS / 60).toFixed(0)} min: ${mb.join(', ')}, ${JSON.stringify(clients.trades())}`,
      )
    }
  }
  await clients.stop()
  const after = await tableSizes(db)

  printTable(samples)
  console.log('\ntable: MB and rows, at first and at the end')
  for (const { table, mb, rows } of after) {
    const first = before.find((one) => one.table === table)!
    if (mb - first.mb < TELL_MB) continue
    console.log(`${table}: ${first.mb.toFixed(1)} → ${mb.toFixed(1)} MB, ${first.rows} → ${rows} rows`)
  }
  const [stopped] = await db.query<{ n: string }>(
    `select count(*)::text as n from hosted_agents where status <> 'active'`,
  )
  console.log(`\nagents that stopped: ${stopped!.n} of ${AGENTS}`)
  console.log(`trades ${JSON.stringify(clients.trades())}; refused ${JSON.stringify(clients.refused)}`)
  console.log('\nsecond quarter → last quarter')
  for (const { what, early, late, most } of judgeFlat(samples)) {
    const verdict = late <= early * most ? 'flat' : 'GROWN'
    console.log(`${what}: ${early.toFixed(1)} → ${late.toFixed(1)} (at most ${most}x) ${verdict}`)
  }
} finally {
  await world.close()
  await db.close()
  await postgres.dispose()
}
