import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { withDb } from '../../test/withDb.ts'
import { type Migration, migrate, readMigrations } from './migrate.ts'

const made = (number: number, sql: string): Migration => ({
  number,
  name: `${String(number).padStart(4, '0')}_test`,
  sql,
  sha256: createHash('sha256').update(sql).digest('hex'),
})
const own = [made(1, 'create table one (n int)'), made(2, 'create table two (n int)')]
const nextNumber = own.length + 1
const more = made(nextNumber, 'create table more (n int); insert into more values (1)')

withDb(
  'migrations',
  (db, store) => {
    it('are all applied once', async () => {
      expect(await db.query('select number, name from migrations order by number')).toEqual(
        own.map(({ number, name }) => ({ number, name })),
      )
      expect(await migrate(db, own)).toBe(0)
    })

    it('roll back a failed one and retry it next time', async () => {
      const broken = made(nextNumber, 'create table more (n int); select 1 / 0')
      await expect(migrate(db, [...own, broken])).rejects.toMatchObject({ code: '22012' })
      expect(await db.query(`select to_regclass('more') as more`)).toEqual([{ more: null }])
    })

    it('apply once if several processes start at the same time', async () => {
      const second = await store().openSecond?.()
      const counts = await Promise.all([db, second ?? db, db].map((each) => migrate(each, [...own, more])))
      expect(counts.reduce((sum, n) => sum + n)).toBe(1)
      expect(await db.query('select n from more')).toEqual([{ n: 1 }])
    })

    describe('without a transaction', () => {
      const indexed = made(
        nextNumber + 1,
        `-- no transaction
-- An index that is made while the table is used.
drop index concurrently if exists more_n;

create index concurrently more_n on more (n);

insert into more values (2)`,
      )
      const before = [...own, more]

      it('keep what was done before a failure, and run again from the start', async () => {
        const broken = made(nextNumber + 1, `${indexed.sql};\n\nselect 1 / 0`)
        await expect(migrate(db, [...before, broken])).rejects.toMatchObject({ code: '22012' })
        expect(await db.query(`select to_regclass('more_n') is not null as made`)).toEqual([{ made: true }])
        expect(await db.query('select max(number) as last from migrations')).toEqual([{ last: nextNumber }])
        // The lock was released.
        expect(await migrate(db, before)).toBe(0)
      })

      it('apply once if several processes start at the same time', async () => {
        const second = await store().openSecond?.()
        const all = [db, second ?? db, db, second ?? db]
        const counts = await Promise.all(all.map((each) => migrate(each, [...before, indexed])))
        expect(counts.reduce((sum, n) => sum + n)).toBe(1)
        expect(await db.query('select count(*)::int4 as n from more where n = 2')).toEqual([{ n: 2 }])
        expect(
          await db.query(`select indisvalid as valid from pg_index where indexrelid = 'more_n'::regclass`),
        ).toEqual([{ valid: true }])
        await db.query('delete from migrations where number = $1', [indexed.number])
      })
    })

    it('reject one that was changed after it was applied', async () => {
      const changed = made(nextNumber, `${more.sql} -- changed`)
      await expect(migrate(db, [...own, changed])).rejects.toThrow('was changed after it was applied')
    })

    it('reject a store migrated by a newer version', async () => {
      await expect(migrate(db, own)).rejects.toThrow(
        /migration 0003_test of a newer version; this one ends with 0002_test\. Nothing was changed\. Start/,
      )
    })
  },
  own,
)

describe('the files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pit-sql-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  it('are numbered without gaps and follow the naming scheme', () => {
    writeFileSync(join(folder, '0001_one.sql'), 'select 1')
    writeFileSync(join(folder, '0003_three.sql'), 'select 3')
    expect(() => readMigrations(folder)).toThrow('0003_three is not number 2')
    writeFileSync(join(folder, '0002-two.sql'), 'select 2')
    expect(() => readMigrations(folder)).toThrow('not named like')
  })
})
