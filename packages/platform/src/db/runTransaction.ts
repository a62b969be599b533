import { setTimeout as sleep } from 'node:timers/promises'
import { mayRunAgain } from './errors.ts'
import type { Sql } from './types.ts'

/** One connection, as a transaction needs it. */
export interface Connection {
  run(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[]; command: string | undefined }>
}

export const beginOf = (snapshot = false): string =>
  snapshot ? 'begin isolation level repeatable read' : 'begin'

const MAX_RUNS = 6
const SILENT =
  'a transaction was idle for too long and was rolled back: ' +
  'does it wait for something else, or use db instead of its own sql?'

/** Retries after a deadlock or a serialization failure, each time on a new connection. */
export async function retryTransaction<T>(once: () => Promise<T>): Promise<T> {
  for (let run = 1; ; run++) {
    try {
      return await once()
    } catch (error) {
      if (run === MAX_RUNS || !mayRunAgain(error)) throw error
      await sleep(Math.random() * 5 * 2 ** run)
    }
  }
}

/** Begin, run, commit; rolls back if `run` throws or stays idle. */
export async function runTransaction<T>(
  connection: Connection,
  run: (sql: Sql) => Promise<T>,
  { idleInTransactionMs, begin }: { idleInTransactionMs: number; begin: string },
): Promise<T> {
  let over = false
  let underWay = 0
  let idle: NodeJS.Timeout | undefined
  const sql: Sql = {
    async query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]> {
      if (over) throw new Error('this transaction has ended: its sql was used too late')
      underWay++
      try {
        return (await connection.run(text, values)).rows as Row[]
      } finally {
        underWay--
        idle?.refresh()
      }
    },
  }
  const silence = () =>
    new Promise<never>((_, reject) => {
      const check = () => {
        if (underWay > 0) idle?.refresh()
        else reject(new Error(`${SILENT} (${idleInTransactionMs} ms)`))
      }
      idle = setTimeout(check, idleInTransactionMs)
    })
  try {
    await connection.run(begin)
    const result = await Promise.race([run(sql), silence()])
    over = true
    // After a failed statement that `run` swallowed, COMMIT rolls back and shows that only in its tag.
    const { command } = await connection.run('commit')
    if (command !== 'COMMIT') throw new Error('a statement of the transaction had failed; it was rolled back')
    return result
  } catch (error) {
    over = true
    // A lost connection has rolled back by itself; report the first error.
    await connection.run('rollback').catch(() => undefined)
    throw error
  } finally {
    clearTimeout(idle)
    idle = undefined
  }
}
