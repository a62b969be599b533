import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { withDb } from '../../test/withDb.ts'
import { isStatementTimeout, isUniqueViolation, UnsafeIntegerError } from './errors.ts'
import type { Sql } from './types.ts'

withDb('the store', (db) => {
  it('reads each type as documented', async () => {
    const [row] = await db.query(
      `select 9007199254740991::int8 as big, 1.50::numeric as num, $1::int8 as param, $2::jsonb as doc,
        $3::bytea as bytes, true as yes, null as none, array[1,2]::int8[] as ints,
        array[1.10]::numeric[] as nums, date '2024-02-29' as day, $4::text[] as texts, 0.1::float8 as float`,
      [12345678901234n, { a: [1, { b: 'x' }] }, new Uint8Array([0, 255, 7]), ['a', 'b,"c', null]],
    )
    expect(row).toMatchObject({
      big: 9007199254740991,
      num: '1.50',
      param: 12345678901234,
      doc: { a: [1, { b: 'x' }] },
      yes: true,
      none: null,
      ints: [1, 2],
      nums: ['1.10'],
      day: '2024-02-29',
      texts: ['a', 'b,"c', null],
      float: 0.1,
    })
    expect(new Uint8Array(row?.['bytes'] as Uint8Array)).toEqual(new Uint8Array([0, 255, 7]))
  })

  it('throws on an int8 that a number cannot hold, and keeps working', async () => {
    await expect(db.query('select 9007199254740993::int8 as n')).rejects.toBeInstanceOf(UnsafeIntegerError)
    expect(await db.query('select 1 as n')).toEqual([{ n: 1 }])
  })

  it('keeps values apart from SQL, and text exact', async () => {
    const text = `'; drop table accounts; -- "ünï" \u{1F512} \\ \n`
    expect(await db.query('select $1::text as text', [text])).toEqual([{ text }])
    await expect(db.query('select $1::text', ['a\u0000b'])).rejects.toMatchObject({ code: '22021' })
  })

  it('stores and returns megabytes', async () => {
    const big = 'x'.repeat(3_000_000)
    const [row] = await db.query<{ text: string }>('select $1::text || $1::text as text', [big])
    expect(row?.text.length).toBe(6_000_000)
  })

  it('tells a failed query from the ones beside it', async () => {
    const answers = await Promise.allSettled([
      db.query('select 1 as n'),
      db.query('select 1 / $1::int', [0]),
      db.query('nonsense'),
      db.query('select 2 as n'),
    ])
    expect(answers.map((answer) => answer.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(answers[1]).toMatchObject({ reason: { code: '22012' } })
    expect(answers[2]).toMatchObject({ reason: { code: '42601' } })
  })

  it('names the constraint of a unique violation', async () => {
    await db.exec('create table once (k text constraint once_k unique, v int)')
    await db.query('insert into once values ($1, 1)', ['a'])
    const error = await db.query('insert into once values ($1, 2)', ['a']).catch((e: unknown) => e)
    expect(isUniqueViolation(error)).toBe(true)
    expect(isUniqueViolation(error, 'once_k')).toBe(true)
    expect(isUniqueViolation(error, 'other')).toBe(false)
  })

  describe('a transaction', () => {
    it('commits on success and rolls back on a throw', async () => {
      await db.exec('create table kept (n int)')
      expect(
        await db.transaction(async (sql) => {
          await sql.query('insert into kept values (1)')
          return 'done'
        }),
      ).toBe('done')
      await expect(
        db.transaction(async (sql) => {
          await sql.query('insert into kept values (2)')
          throw new Error('changed my mind')
        }),
      ).rejects.toThrow('changed my mind')
      expect(await db.query('select n from kept')).toEqual([{ n: 1 }])
    })

    it('reports a swallowed failed statement instead of losing its work silently', async () => {
      await db.exec('create table swallowed (n int)')
      const work = db.transaction(async (sql) => {
        await sql.query('insert into swallowed values (1)')
        await sql.query('select 1 / 0').catch(() => undefined)
      })
      await expect(work).rejects.toThrow('rolled back')
      expect(await db.query('select n from swallowed')).toEqual([])
    })

    it('runs no other query in between', async () => {
      await db.exec('create table counter (n int); insert into counter values (0)')
      const bump = () =>
        db.transaction(async (sql) => {
          const [row] = await sql.query<{ n: number }>('select n from counter for update')
          await sleep(1)
          await sql.query('update counter set n = $1', [(row?.n ?? 0) + 1])
        })
      const reads = Array.from({ length: 40 }, () => db.query('select n from counter'))
      await Promise.all([...Array.from({ length: 40 }, bump), ...reads])
      expect(await db.query('select n from counter')).toEqual([{ n: 40 }])
    })

    it('rejects queries on its sql once it has ended', async () => {
      let leakedSql: Sql | undefined
      await db.transaction(async (sql) => {
        leakedSql = sql
        await sql.query('select 1')
      })
      await expect(leakedSql?.query('select 1')).rejects.toThrow('has ended')
    })

    it('retries after a serialization failure', async () => {
      let runs = 0
      const answer = await db.transaction(async (sql) => {
        runs++
        if (runs < 3) await sql.query(`do $$ begin raise exception 'again' using errcode = '40001'; end $$`)
        return runs
      })
      expect(answer).toBe(3)
    })

    it('applies its own statement timeout', async () => {
      const slow = 'select count(*) from generate_series(1, 2000000000)'
      const work = db.transaction((sql) => sql.query(slow), { statementTimeoutMs: 300 })
      expect(isStatementTimeout(await work.catch((e: unknown) => e))).toBe(true)
      expect(await db.query('select 1 as n')).toEqual([{ n: 1 }])
    })
  })

  it('leaves no dead transaction behind a failed script', async () => {
    await expect(db.exec('begin; create table half (n int); select 1 / 0; commit')).rejects.toMatchObject({
      code: '22012',
    })
    expect(await db.query(`select to_regclass('half') as half`)).toEqual([{ half: null }])
  })

  it('hears notifications', async () => {
    const payloads: string[] = []
    const stop = await db.listen('news', {
      received: (payload) => payloads.push(payload),
      lost() {},
      back() {},
    })
    await db.query(`select pg_notify('news', $1)`, ['one'])
    await expect.poll(() => payloads).toEqual(['one'])
    await stop()
  })

  it('answers a ping, and throws if it cannot answer in time', async () => {
    await db.ping(5_000)
    // During a transaction the embedded store cannot answer; PostgreSQL has other connections.
    if (db.engine === 'pglite') {
      await db.transaction(async (sql) => {
        await sql.query('select 1')
        await expect(db.ping(50)).rejects.toThrow('within 50 ms')
      })
    }
  })
})
