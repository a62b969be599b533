import type { Db, Sql } from '@pit/platform/db'
import type { Logger } from '@pit/platform/monitoring'
import PgBoss from 'pg-boss'

/**
 * Ticks without external calls run in batches; ticks that call a webhook or a model, or trade on chain, run
 * one by one. Live ticks have separate lanes, so that free paper ticks do not delay them.
 */
export const QUEUES = { quick: 'hosted-ticks', slow: 'hosted-slow-ticks', live: 'hosted-live-ticks' } as const
export type QueueName = keyof typeof QUEUES

/** A batch of agents leased under `token`. */
export interface TickJob {
  token: string
  agents: { id: string; dueMs: number }[]
}

export interface TickQueue {
  /** Runs in the transaction that leases the agents. */
  add(sql: Sql, name: QueueName, jobs: readonly TickJob[]): Promise<void>
  take(name: QueueName, max: number): Promise<{ id: string; job: TickJob }[]>
  done(name: QueueName, ids: readonly string[]): Promise<void>
  /** Number of jobs not yet taken. */
  waiting(name: QueueName): Promise<number>
  stop(): Promise<void>
}

const SCHEMA = 'pgboss'
/** Jobs of a dead worker expire after this; the leases of their agents expire much earlier. */
const EXPIRE_S = 120
const KEEP_S = 600

/** pg-boss on top of our store, embedded or not. */
export async function openQueue({ db, logger }: { db: Db; logger: Logger }): Promise<TickQueue> {
  const boss = new PgBoss({
    db: faceOf(db, (script) => db.exec(script)),
    schema: SCHEMA,
    schedule: false,
    // A lost tick is recovered by its lease, not by its job.
    retryLimit: 0,
    expireInSeconds: EXPIRE_S,
    retentionSeconds: KEEP_S,
    archiveCompletedAfterSeconds: KEEP_S,
    deleteAfterSeconds: KEEP_S,
    maintenanceIntervalSeconds: 60,
  })
  boss.on('error', (error) => logger.warn({ err: error }, 'tick queue error'))
  await boss.start()
  for (const name of Object.values(QUEUES)) {
    await boss.createQueue(name, { name, policy: 'standard', retryLimit: 0, expireInSeconds: EXPIRE_S })
  }
  return {
    async add(sql, name, jobs) {
      if (jobs.length === 0) return
      const rows = jobs.map((data) => ({ name: QUEUES[name], data }))
      await boss.insert(rows, { db: faceOf(sql, neverAScript) })
    },
    async take(name, max) {
      const jobs = await boss.fetch<TickJob>(QUEUES[name], { batchSize: max })
      return jobs.map(({ id, data }) => ({ id, job: data }))
    },
    done: async (name, ids) => {
      if (ids.length > 0) await boss.deleteJob(QUEUES[name], [...ids])
    },
    waiting: async (name) => Number(await boss.getQueueSize(QUEUES[name])),
    stop: () => boss.stop({ graceful: false, wait: false, close: false }),
  }
}

/** pg-boss sends multi-statement scripts without values or results; a single statement may have both. */
function faceOf(sql: Sql, exec: (script: string) => Promise<void>): PgBoss.Db {
  return {
    async executeSql(text, values) {
      if ((values?.length ?? 0) === 0 && /^\s*begin\s*;/i.test(text)) {
        await exec(text)
        return { rows: [] }
      }
      return { rows: await sql.query<Record<string, unknown>>(text, values) }
    },
  }
}

const neverAScript = () => Promise.reject(new Error('scripts are not allowed inside a transaction'))
