import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { withinMs } from '../clock/withinMs.ts'
import { classified, StoreUnavailableError } from './errors.ts'
import { beginOf, type Connection, retryTransaction, runTransaction } from './runTransaction.ts'
import type { Db, Listener, StopListening, StoreOptions } from './types.ts'
import { valueTypes } from './valueTypes.ts'

export interface PostgresOptions extends StoreOptions {
  databaseUrl: string
  /** Connections of this process. */
  poolSize?: number
}

const CONNECT_TIMEOUT_MS = 5_000
/** How much longer than the server's own timeout the client waits before it drops a connection. */
const GRACE_MS = 5_000
const EXEC_TIMEOUT_MS = 600_000
const LONGEST_PAUSE_MS = 2_000

export async function openPostgres(options: PostgresOptions): Promise<Db> {
  const { databaseUrl, poolSize = 10, statementTimeoutMs = 15_000, idleInTransactionMs = 15_000 } = options
  const connection = {
    connectionString: databaseUrl,
    application_name: 'pit',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: valueTypes,
  }
  const pool = new pg.Pool({
    ...connection,
    max: poolSize,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + GRACE_MS,
    idle_in_transaction_session_timeout: idleInTransactionMs + GRACE_MS,
    // Every statement uses an index. If the planner expects a longer one, starting parallel workers costs
    // more than the statement itself. The URL overrides this.
    options: '-c max_parallel_workers_per_gather=0',
  })
  // A restart ends idle connections; the pool drops them and opens new ones on demand.
  pool.on('error', (error) => options.logger?.warn({ error: error.message }, 'lost an idle store connection'))
  const listeners = new Set<StopListening>()

  /** Lends a connection; a faulty one is not returned to the pool. */
  async function withConnection<T>(
    use: (connection: Connection) => Promise<T>,
    timeoutMs: number,
  ): Promise<T> {
    const client = await pool.connect().catch((error) => {
      throw classified(error)
    })
    let broken = false
    const noteLoss = () => {
      broken = true
    }
    client.on('error', noteLoss)
    try {
      return await use({
        async run(text, values) {
          try {
            return lastOf(await client.query(asQuery(text, values, timeoutMs + GRACE_MS)))
          } catch (error) {
            const cause = classified(error)
            if (cause instanceof StoreUnavailableError) broken = true
            throw cause
          }
        },
      })
    } finally {
      client.off('error', noteLoss)
      client.release(broken)
    }
  }

  const db: Db = {
    engine: 'postgres',
    async query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]> {
      try {
        return lastOf(await pool.query(asQuery(text, values))).rows as Row[]
      } catch (error) {
        throw classified(error)
      }
    },
    transaction: (run, { statementTimeoutMs: own, snapshot } = {}) =>
      retryTransaction(() =>
        withConnection(
          (lent) =>
            runTransaction(lent, run, {
              idleInTransactionMs,
              begin:
                `${beginOf(snapshot)}` +
                `${own === undefined ? '' : `; set local statement_timeout = ${Math.ceil(own)}`}`,
            }),
          own ?? statementTimeoutMs,
        ),
      ),
    exec: (script) =>
      db.session(async (sql) => {
        try {
          await sql.query(script)
        } finally {
          // A script that failed between its own begin and commit leaves an aborted transaction open.
          await sql.query('rollback')
        }
      }),
    session: (run) =>
      withConnection(async (lent) => {
        await lent.run(`set statement_timeout = ${EXEC_TIMEOUT_MS}`)
        try {
          return await run({
            query: async <Row>(text: string, values?: readonly unknown[]) =>
              (await lent.run(text, values)).rows as Row[],
          })
        } finally {
          await lent.run(`set statement_timeout = ${statementTimeoutMs}`)
        }
      }, EXEC_TIMEOUT_MS),
    ping: (timeoutMs) =>
      withinMs(timeoutMs, db.query('select 1'), () => {
        return new StoreUnavailableError(`PostgreSQL did not answer within ${timeoutMs} ms`)
      }).then(() => undefined),
    async listen(channel, listener) {
      const stop = await listenOn(connection, channel, listener)
      listeners.add(stop)
      return async () => {
        listeners.delete(stop)
        await stop()
      }
    },
    async close() {
      await Promise.all([...listeners].map((stop) => stop()))
      await pool.end()
    },
  }
  await db.ping(CONNECT_TIMEOUT_MS).catch((error) => pool.end().then(() => Promise.reject(error)))
  return db
}

/** A dedicated connection that reconnects after every loss until it is stopped. */
async function listenOn(
  connection: pg.ClientConfig,
  channel: string,
  listener: Listener,
): Promise<StopListening> {
  let client: pg.Client | undefined
  let stopped = false

  async function connect(): Promise<void> {
    const next = new pg.Client(connection)
    next.on('error', () => undefined)
    next.on('notification', (message) => listener.received(message.payload ?? ''))
    try {
      await next.connect()
      await next.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      await next.end().catch(() => undefined)
      throw classified(error)
    }
    client = next
    next.once('end', () => {
      if (!stopped) void comeBack()
    })
  }

  async function comeBack(): Promise<void> {
    listener.lost()
    for (let pauseMs = 50; !stopped; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const listening = await connect().then(
        () => true,
        () => false,
      )
      if (listening) return stopped ? void client?.end() : listener.back()
      await sleep(pauseMs, undefined, { ref: false })
    }
  }

  await connect()
  return async () => {
    stopped = true
    await client?.end()
  }
}

function asQuery(text: string, values: readonly unknown[] | undefined, timeoutMs?: number) {
  return {
    text,
    ...(values && values.length > 0 ? { values: values as unknown[] } : {}),
    ...(timeoutMs === undefined ? {} : { query_timeout: timeoutMs }),
  }
}

/** A script of several statements returns one result each. */
export function lastOf(result: pg.QueryResult | pg.QueryResult[]): { rows: unknown[]; command: string } {
  return Array.isArray(result) ? (result.at(-1) ?? { rows: [], command: '' }) : result
}
