import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findPostgres, type PostgresServer, startPostgres } from '../../test/postgresServer.ts'
import { isStatementTimeout, isStoreUnavailable } from './errors.ts'
import { openPostgres } from './openPostgres.ts'
import type { Db } from './types.ts'

const bin = findPostgres()
if (bin === null) console.warn('PostgreSQL is not installed: its tests are skipped')

describe.skipIf(bin === null)('PostgreSQL', () => {
  let server: PostgresServer
  let databaseUrl: string
  let db: Db
  beforeAll(async () => {
    server = await startPostgres(bin ?? '')
    databaseUrl = await server.createDatabase()
    db = await openPostgres({ databaseUrl, statementTimeoutMs: 500, idleInTransactionMs: 300, poolSize: 4 })
  })
  afterAll(async () => {
    await db?.close()
    await server?.dispose()
  })

  it('cancels a statement that takes too long, but not a script', async () => {
    expect(isStatementTimeout(await db.query('select pg_sleep(2)').catch((e: unknown) => e))).toBe(true)
    await db.exec('select pg_sleep(0.8)')
    expect(isStatementTimeout(await db.query('select pg_sleep(2)').catch((e: unknown) => e))).toBe(true)
  })

  it('starts no parallel workers, unless the URL asks for them', async () => {
    const workers = async (of: Db) =>
      (await of.query<Record<string, string>>('show max_parallel_workers_per_gather'))[0]
    expect(await workers(db)).toEqual({ max_parallel_workers_per_gather: '0' })
    const options = encodeURIComponent('-c max_parallel_workers_per_gather=3')
    const other = await openPostgres({ databaseUrl: `${databaseUrl}&options=${options}`, poolSize: 1 })
    expect(await workers(other)).toEqual({ max_parallel_workers_per_gather: '3' })
    await other.close()
  })

  it('rolls back an idle transaction and returns its connection', async () => {
    await db.exec('create table silent (n int)')
    for (let i = 0; i < 6; i++) {
      const silent = db.transaction(async (sql) => {
        await sql.query('insert into silent values (1)')
        await new Promise(() => {})
      })
      await expect(silent).rejects.toThrow('rolled back')
    }
    expect(await db.query('select n from silent')).toEqual([])
  })

  it('resolves deadlocks by retrying one transaction', async () => {
    await db.exec('create table pair (k int primary key, n int); insert into pair values (1, 0), (2, 0)')
    const bump = (first: number, second: number) =>
      db.transaction(
        async (sql) => {
          for (const k of [first, second]) await sql.query('update pair set n = n + 1 where k = $1', [k])
        },
        { statementTimeoutMs: 10_000 },
      )
    // As many as the pool has connections: the server needs a second to detect a deadlock, and a fifth
    // transaction would wait for a connection longer than the pool allows.
    await Promise.all(Array.from({ length: 4 }, (_, i) => (i % 2 ? bump(1, 2) : bump(2, 1))))
    expect(await db.query('select n from pair order by k')).toEqual([{ n: 4 }, { n: 4 }])
  })

  it('fails with a clear error while the server is down, and recovers after a restart, listeners too', async () => {
    const events: string[] = []
    await db.listen('news', {
      received: (text) => events.push(text),
      lost: () => events.push('lost'),
      back: () => events.push('back'),
    })
    const cut = db.transaction(async (sql) => {
      await sql.query('insert into silent values (2)')
      await server.stopNow()
      await sql.query('insert into silent values (3)')
    })
    expect(isStoreUnavailable(await cut.catch((e: unknown) => e))).toBe(true)
    expect(isStoreUnavailable(await db.query('select 1').catch((e: unknown) => e))).toBe(true)
    await expect(db.ping(1_000)).rejects.toThrow()
    await server.start()
    await expect
      .poll(
        () =>
          db.ping(1_000).then(
            () => true,
            () => false,
          ),
        { timeout: 5_000 },
      )
      .toBe(true)
    expect(await db.query('select n from silent')).toEqual([])
    await expect.poll(() => events, { timeout: 5_000 }).toEqual(['lost', 'back'])
    await db.query(`notify news, 'again'`)
    await expect.poll(() => events).toContain('again')
  })

  it('fails at once without a server', async () => {
    const nowhere = openPostgres({ databaseUrl: 'postgresql://pit@/none?host=%2Ftmp%2Fno-such-folder' })
    expect(isStoreUnavailable(await nowhere.catch((e: unknown) => e))).toBe(true)
  })
})
