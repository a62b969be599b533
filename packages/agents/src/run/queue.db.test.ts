import { createLogger } from '@pit/platform/logger'
import { withDb } from '@pit/platform/test/withStore'
import { expect, it } from 'vitest'
import { openQueue } from './queue.ts'

const logger = createLogger({ level: 'silent' })

withDb('the tick queue', (db) => {
  it('hands each job out once, whoever asks', async () => {
    const queue = await openQueue({ db, logger })
    const other = await openQueue({ db, logger })
    const jobs = Array.from({ length: 10 }, (_, i) => ({
      token: `t${i}`,
      agents: [{ id: `a${i}`, dueMs: i }],
    }))
    await db.transaction((sql) => queue.add(sql, 'quick', jobs))
    expect(await queue.waiting('quick')).toBe(10)
    expect(await queue.take('slow', 5)).toEqual([])
    const taken = (await Promise.all([queue.take('quick', 7), other.take('quick', 7)])).flat()
    expect(taken.map(({ job }) => job.token).sort()).toEqual(jobs.map(({ token }) => token))
    expect(taken[0]!.job.agents).toHaveLength(1)
    await queue.done(
      'quick',
      taken.map(({ id }) => id),
    )
    expect(await queue.waiting('quick')).toBe(0)
    const [left] = await db.query<{ n: number }>('select count(*) as n from pgboss.job')
    expect(left!.n).toBe(0)
    await Promise.all([queue.stop(), other.stop()])
  })

  it('queues nothing of a transaction that failed', async () => {
    const queue = await openQueue({ db, logger })
    const failing = db.transaction(async (sql) => {
      await queue.add(sql, 'slow', [{ token: 'x', agents: [] }])
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await queue.waiting('slow')).toBe(0)
    await queue.stop()
  })
})
