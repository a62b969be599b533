import { openDb } from '../src/db/openDb.ts'

// Commits as fast as it can and reports each commit; a test kills it in the middle. Built into dist/.
const [dataDir = '', from = '0'] = process.argv.slice(2)
const db = await openDb({ dataDir, databaseUrl: null })
await db.exec('create table if not exists written (n int8); create table if not exists beside (n int8)')
let next = Number(from)
async function writeForever(): Promise<never> {
  for (;;) {
    const n = next++
    await db.transaction(async (sql) => {
      await sql.query('insert into beside values ($1)', [n])
      await sql.query('insert into written values ($1)', [n])
    })
    process.stdout.write(`${n}\n`)
  }
}
await Promise.all([writeForever(), writeForever(), writeForever()])
