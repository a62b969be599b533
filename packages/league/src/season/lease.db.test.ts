import { withDb } from '@pit/platform/test/withStore'
import { expect, it } from 'vitest'
import { withLease } from './lease.ts'

withDb('the lease', (db) => {
  it('is renewed while a long step runs, and free after it', async () => {
    const clock = { ms: 1_000, nowMs: () => clock.ms }
    const take = (workerId: string, work = async () => {}) =>
      withLease({ db, clock, workerId, renewMs: 10 }, work)
    const ran = await take('slow', async () => {
      expect(await take('other')).toBe(false)
      clock.ms += 600_000
      const renewed = async () =>
        (await db.query('select 1 from league_lease where until_ms > $1', [clock.ms])).length
      await expect.poll(renewed, { timeout: 20_000 }).toBe(1)
      expect(await take('other')).toBe(false)
    })
    expect(ran).toBe(true)
    expect(await take('other')).toBe(true)
  })

  it('runs out when its worker is gone', async () => {
    const clock = { ms: 1_000, nowMs: () => clock.ms }
    await db.query(
      `insert into league_lease (held_by, until_ms) values ('gone', 121000)
       on conflict (only_one) do update set held_by = excluded.held_by, until_ms = excluded.until_ms`,
    )
    expect(await withLease({ db, clock, workerId: 'next' }, async () => {})).toBe(false)
    clock.ms = 121_000
    expect(await withLease({ db, clock, workerId: 'next' }, async () => {})).toBe(true)
  })
})
