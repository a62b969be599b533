import { createLogger } from '@pit/platform/monitoring'
import { withDb } from '@pit/platform/test/withStore'
import { expect, it } from 'vitest'
import { openQueue } from './queue.ts'

const logger = createLogger({ level: 'silent' })

withDb('the tick queue', (db) => {
  it('delivers each job once', async () => {
    const queue = await openQueue({ db, logger })
    const other = await openQueue({ db, logger })
    const jobs = Array.from({ length: 10 }, (_, i) => ({
      token: `t${i}`,
      agents: [{ id: `a${i}`, dueMs: i }],
    }))
    await db.transaction((sql) => queue.add(sql, 'quick', jobs))
    expect(await queue.waiting('quick')).toBe(10)
    expect(await queue.take('slow', 5)).toEqual([])
    const jobsTaken = (await Promise.all([queue.take('quick', 7), other.take('quick', 7)])).flat()
    expect(jobsTaken.map(({ job }) => job.token).sort()).toEqual(jobs.map(({ token }) => token))
    expect(jobsTaken[0]!.job.agents).toHaveLength(1)
    await queue.done(
      'quick',
      jobsTaken.map(({ id }) => id),
    )
    expect(await queue.waiting('quick')).toBe(0)
    const [remaining] = await db.query<{ n: number }>('select count(*) as n from pgboss.job')
    expect(remaining!.n).toBe(0)
    await Promise.all([queue.stop(), other.stop()])
  })

  it('queues nothing if the transaction fails', async () => {
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
