import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newDataDirectory } from '../../test/embeddedStore.ts'
import { lockStore, StoreLockedError } from '../process/processLock.ts'
import { isStoreUnavailable } from './errors.ts'
import { openPglite, tendPglite } from './openPglite.ts'
import { startPgliteLink } from './pgliteLink.ts'
import type { Db } from './types.ts'

const WRITER = new URL('../../../../dist/storeWriter.js', import.meta.url).pathname

describe('the embedded store', () => {
  let dataDir: string
  const opened: Db[] = []
  const open = async (options: Partial<Parameters<typeof openPglite>[0]> = {}) => {
    const db = await openPglite({ dataDir, ...options })
    opened.push(db)
    return db
  }
  beforeEach(async () => {
    dataDir = await newDataDirectory()
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((db) => db.close()))
    rmSync(dataDir, { recursive: true, force: true })
  })

  /** A way to start that can be made to fail, and a way to stop the thread. */
  function failingStart() {
    const control = { fails: false, tries: 0 }
    const startLink = (directory: string, bufferMb: number) => {
      if (!control.fails) return startPgliteLink(directory, bufferMb)
      control.tries++
      return Promise.reject(new Error('the disk is full'))
    }
    const stopThread = (db: Db) =>
      db.query('select count(*) from generate_series(1, 2000000000)').catch((e: unknown) => e)
    return { control, startLink, stopThread }
  }

  it('reuses plans, and recovers when tables change under them', async () => {
    const db = await open()
    await db.exec('create table pairs (n int primary key, m int)')
    const put = (n: number) => db.query('insert into pairs values ($1, $2)', [n, n], { prepared: true })
    const look = (n: number) => db.query('select * from pairs where n = $1', [n], { prepared: true })
    const names = async () =>
      (await db.query<{ name: string }>('select name from pg_prepared_statements order by name')).map(
        ({ name }) => name,
      )
    // Sent together: the second does not wait until the first is planned.
    await Promise.all([1, 2, 3].map(put))
    expect(await Promise.all([1, 2, 9].map(look))).toEqual([[{ n: 1, m: 1 }], [{ n: 2, m: 2 }], []])
    expect(await names()).toEqual(['kept_1', 'kept_2'])
    await expect(put(1)).rejects.toMatchObject({ code: '23505' })
    await put(4)
    // By a script, which drops all plans, and by a plain query, which does not.
    await db.exec('alter table pairs add column o int default 7')
    expect(await look(1)).toEqual([{ n: 1, m: 1, o: 7 }])
    await db.query('alter table pairs drop column m')
    expect(await look(4)).toEqual([{ n: 4, o: 7 }])
    await db.query('deallocate all')
    expect(await look(4)).toEqual([{ n: 4, o: 7 }])
    expect(
      await db.transaction((sql) => sql.query('select n from pairs where n = $1', [2], { prepared: true })),
    ).toEqual([{ n: 2 }])
  })

  it('belongs to one process, and keeps committed data when it is closed and reopened', async () => {
    const first = await open()
    await first.exec('create table kept (n int); insert into kept values (1)')
    const error = await open().catch((e: unknown) => e)
    expect(error).toBeInstanceOf(StoreLockedError)
    expect(error).toMatchObject({
      pid: process.pid,
      message: expect.stringContaining(`process ${process.pid}`),
    })
    await first.query('insert into kept values (2)')
    await first.close()
    await first.close()
    expect(isStoreUnavailable(await first.query('select 1').catch((e: unknown) => e))).toBe(true)
    expect(existsSync(join(dataDir, 'store.lock'))).toBe(false)
    expect(await (await open()).query('select n from kept')).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('starts as a copy of an empty store, and ignores an interrupted copy', async () => {
    const emptyStore = join(dataDir, 'store')
    const fresh = mkdtempSync(join(tmpdir(), 'pit-fresh-'))
    mkdirSync(join(fresh, 'store.draft'))
    writeFileSync(join(fresh, 'store.draft', 'PG_VERSION'), '17\n')
    const lives: string[] = []
    const startLink = (directory: string, bufferMb: number) => {
      lives.push(directory)
      return startPgliteLink(directory, bufferMb)
    }
    const db = await open({ dataDir: fresh, emptyStore, startLink })
    await db.exec('create table kept (n int); insert into kept values (7)')
    await db.close()
    // Created by copying alone: only the serving thread ever ran.
    expect(lives).toHaveLength(1)
    const again = await open({ dataDir: fresh, emptyStore })
    expect(await again.query('select n from kept')).toEqual([{ n: 7 }])
    await again.close()
    rmSync(fresh, { recursive: true })
  })

  it('does not wait for a transaction that waits for the store itself', async () => {
    const db = await open({ idleInTransactionMs: 200 })
    const stuck = db.transaction(async (sql) => {
      await sql.query('create table stuck (n int)')
      await db.query('select 1')
    })
    await expect(stuck).rejects.toThrow('rolled back')
    expect(await db.query(`select to_regclass('stuck') as stuck`)).toEqual([{ stuck: null }])
  })

  it('recovers with all committed data after a statement that never ends', async () => {
    const db = await open({ statementTimeoutMs: 2_000 })
    await db.exec('create table kept (n int); insert into kept values (1)')
    const payloads: string[] = []
    const listener = {
      received: (text: string) => payloads.push(text),
      lost: () => payloads.push('lost'),
      back: () => payloads.push('back'),
    }
    await db.listen('news', listener)
    const endless = db.query('select count(*) from generate_series(1, 2000000000)').catch((e: unknown) => e)
    const beside = db.query('insert into kept values (2)').catch((e: unknown) => e)
    expect(await endless).toMatchObject({ code: '57014' })
    expect(isStoreUnavailable(await beside)).toBe(true)
    const rows = () => db.query('select n from kept').catch(() => null)
    await expect.poll(rows, { timeout: 20_000 }).toEqual([{ n: 1 }])
    await db.query(`notify news, 'still here'`)
    await expect.poll(() => payloads, { timeout: 20_000 }).toEqual(['lost', 'back', 'still here'])
  })

  it('reopens after any number of failures, and reports that it is unavailable meanwhile', async () => {
    const { control, startLink, stopThread } = failingStart()
    const db = await open({ statementTimeoutMs: 500, reopenPauseMs: 1, startLink })
    await db.exec('create table kept (n int); insert into kept values (1)')
    control.fails = true
    await stopThread(db)
    await expect.poll(() => control.tries, { timeout: 5_000 }).toBeGreaterThan(8)
    expect(isStoreUnavailable(await db.ping(50).catch((e: unknown) => e))).toBe(true)
    control.fails = false
    const rows = () => db.query('select n from kept').catch(() => null)
    await expect.poll(rows, { timeout: 20_000 }).toEqual([{ n: 1 }])
  }, 60_000)

  it('closes at once while it cannot be reopened', async () => {
    const { control, startLink, stopThread } = failingStart()
    const db = await open({ statementTimeoutMs: 500, reopenPauseMs: 4_000, startLink })
    control.fails = true
    await stopThread(db)
    await expect.poll(() => control.tries, { timeout: 5_000 }).toBe(1)
    const startedMs = performance.now()
    await db.close()
    expect(performance.now() - startedMs).toBeLessThan(3_500)
    expect(existsSync(join(dataDir, 'store.lock'))).toBe(false)
  }, 60_000)

  it('checkpoints its log and vacuums dead rows', async () => {
    const db = await open()
    await db.exec(`create table churn (id int primary key, n int, pad text);
      insert into churn select g, 0, repeat('x', 200) from generate_series(1, 2000) g`)
    const logBytes = async () => {
      const [row] = await db.query<{ bytes: number }>(
        'select (pg_current_wal_lsn() - redo_lsn)::int8 as bytes from pg_control_checkpoint()',
      )
      return row?.bytes ?? 0
    }
    for (let i = 0; i < 30; i++) await db.query('update churn set n = n + 1')
    expect(await logBytes()).toBeGreaterThan(8 * 1024 * 1024)
    await db.query('select pg_stat_force_next_flush()')
    await tendPglite(db)
    expect(await logBytes()).toBeLessThan(1024 * 1024)
    const [table] = await db.query<{ n_dead_tup: number }>(
      `select n_dead_tup from pg_stat_user_tables where relname = 'churn'`,
    )
    expect(table?.n_dead_tup).toBe(0)
  })

  it('loses no acknowledged commit to kill -9', async () => {
    const rounds = Number(process.env['KILL_ROUNDS'] ?? 3)
    const acknowledged = new Set<number>()
    for (let round = 0; round < rounds; round++) {
      const writer = startWriter(dataDir, round * 1_000_000)
      const ended = once(writer, 'exit')
      const before = acknowledged.size
      for await (const line of createInterface({ input: writer.stdout as NodeJS.ReadableStream })) {
        acknowledged.add(Number(line))
        if (acknowledged.size === before + 100 + round * 37) writer.kill('SIGKILL')
      }
      await ended
      expect(writer.signalCode).toBe('SIGKILL')
    }
    const db = await open()
    const rows = await db.query<{ n: number }>('select n from written')
    const stored = new Set(rows.map(({ n }) => n))
    expect([...acknowledged].filter((n) => !stored.has(n))).toEqual([])
    expect(acknowledged.size).toBeGreaterThan(rounds * 100)
    // Both halves of each transaction, or neither.
    expect(await db.query('select count(*) as n from written where n not in (select n from beside)')).toEqual(
      [{ n: 0 }],
    )
  }, 600_000)
})

function startWriter(dataDir: string, from: number): ChildProcess {
  return spawn(process.execPath, [WRITER, dataDir, String(from)], { stdio: ['ignore', 'pipe', 'inherit'] })
}

describe('the lock', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pit-lock-'))
    file = join(folder, 'store.lock')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const holder = () => JSON.parse(readFileSync(file, 'utf8'))
  const leave = (changes: object) => {
    lockStore(file)
    writeFileSync(file, JSON.stringify({ ...holder(), ...changes }))
  }

  it('names its holder and is released with it', () => {
    const unlock = lockStore(file)
    expect(holder()).toMatchObject({ pid: process.pid, host: hostname() })
    expect(() => lockStore(file)).toThrow(StoreLockedError)
    unlock()
    expect(existsSync(file)).toBe(false)
  })

  it.each([
    ['of a process that has ended', { pid: 2 ** 22 - 1 }],
    ['of a process whose pid was reused', { startedAt: '1' }],
    ['from before the machine started', { bootId: 'another' }],
  ])('%s is taken over', (_, changes) => {
    leave(changes)
    lockStore(file)()
  })

  it('of another machine is taken over only after a long time without a sign of life', async () => {
    leave({ host: 'elsewhere' })
    expect(() => lockStore(file)).toThrow(/elsewhere.*30 s after/)
    const { utimesSync } = await import('node:fs')
    utimesSync(file, new Date(Date.now() - 31_000), new Date(Date.now() - 31_000))
    lockStore(file)()
  })

  it('left empty by a crash is taken over', () => {
    writeFileSync(file, '')
    lockStore(file)()
  })

  it('is not released by a process that lost it', () => {
    const unlock = lockStore(file)
    writeFileSync(file, JSON.stringify({ ...holder(), pid: 1 }))
    unlock()
    expect(existsSync(file)).toBe(true)
  })
})
