import { beforeAll, expect, it } from 'vitest'
import { createManualClock } from '../../test/manualClock.ts'
import { until } from '../../test/until.ts'
import { withDb } from '../../test/withDb.ts'
import { createLeases, createLocalLeases } from './leases.ts'

const TABLE = 'create table job_leases (name text primary key, held_by text not null, until_ms int8 not null)'
const NEVER = new AbortController().signal

it('in memory has one holder at a time per name, and is free after its work succeeds or fails', async () => {
  const leases = createLocalLeases()
  const take = (name: string, work = async () => {}) => leases.hold(name, NEVER, work)
  const ran = await take('one', async () => {
    expect(await take('one')).toBe(false)
    expect(await take('other')).toBe(true)
  })
  expect(ran).toBe(true)
  await expect(take('one', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await take('one')).toBe(true)
})

withDb('a lease', (db) => {
  const clock = createManualClock(1_000)
  const leases = createLeases({ db, clock })
  const take = (name: string, work: (signal: AbortSignal) => Promise<void> = async () => {}) =>
    leases.hold(name, NEVER, work)
  const untilMs = async (name: string) =>
    (await db.query<{ until_ms: number }>('select until_ms from job_leases where name = $1', [name]))[0]
      ?.until_ms
  const isRenewed = async () => (await untilMs('long'))! > clock.nowMs()

  beforeAll(() => db.exec(TABLE))

  it('has one holder at a time per name, and is free after its work succeeds or fails', async () => {
    const ran = await take('one', async () => {
      expect(await take('one')).toBe(false)
      expect(await take('other')).toBe(true)
    })
    expect(ran).toBe(true)
    await expect(take('one', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await take('one')).toBe(true)
  })

  it('is renewed while the work runs', async () => {
    await take('long', async (signal) => {
      for (let minute = 0; minute < 5; minute++) {
        await clock.advance(60_000)
        await until(isRenewed)
        expect(await take('long')).toBe(false)
      }
      expect(signal.aborted).toBe(false)
    })
    expect(await untilMs('long')).toBe(0)
  })

  it('expires when its process has died', async () => {
    const sql = `insert into job_leases (name, held_by, until_ms) values ('gone', 'nobody', $1)`
    await db.query(sql, [clock.nowMs() + 120_000])
    expect(await take('gone')).toBe(false)
    clock.set(clock.nowMs() + 120_000)
    expect(await take('gone')).toBe(true)
  })

  it('aborts the work when another process has taken it, and does not release it', async () => {
    await take('lost', async (signal) => {
      await db.query(`update job_leases set held_by = 'another' where name = 'lost'`)
      await clock.advance(30_000)
      await until(() => signal.aborted)
    })
    expect(await untilMs('lost')).toBeGreaterThan(0)
  })
})
