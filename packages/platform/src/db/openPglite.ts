import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../clock/clock.ts'
import { startLoop } from '../clock/loop.ts'
import { withinMs } from '../clock/withinMs.ts'
import { lockStore } from '../process/processLock.ts'
import { ownFolder } from '../settings/ownFiles.ts'
import { StoreUnavailableError } from './errors.ts'
import { createLane } from './lane.ts'
import { type PgliteLink, startPgliteLink } from './pgliteLink.ts'
import { beginOf, retryTransaction, runTransaction } from './runTransaction.ts'
import type { Db, Listener, QueryOptions, StoreOptions } from './types.ts'

export interface PgliteOptions extends StoreOptions {
  /** The store is in `store/` below it, its lock beside it. */
  dataDir: string
  /** Page cache. */
  bufferMb?: number
  /** Interval of checkpoints and vacuums. */
  tendEveryMs?: number
  /** Pause after the first failed reopening; doubles up to a bound. */
  reopenPauseMs?: number
  /** An empty store to copy for a new one; the build makes one beside the bundles. */
  emptyStore?: string
  /** Tests pass one that fails. */
  startLink?: typeof startPgliteLink
}

const EXEC_TIMEOUT_MS = 600_000
const MAX_REOPEN_PAUSE_MS = 5_000
/** How long a statement waits for the store to reopen. */
const REOPEN_WAIT_MS = 5_000
/** Vacuum threshold: more dead rows than this, and more than a fifth as many dead rows as live ones. */
const DEAD_ROWS = 1_000
/** Checkpoint past this much log: replaying more after a crash takes seconds. */
const LOG_BYTES = 8 * 1024 * 1024

/** The embedded store: PostgreSQL in a worker thread, one connection, one process at a time. */
export async function openPglite(options: PgliteOptions): Promise<Db> {
  // Generous: one thread does all the work, and a timeout restarts it.
  const {
    dataDir,
    bufferMb = 32,
    statementTimeoutMs = 60_000,
    idleInTransactionMs = 15_000,
    tendEveryMs = 60_000,
    reopenPauseMs = 100,
    emptyStore = fileURLToPath(new URL('./emptyStore', import.meta.url)),
    startLink = startPgliteLink,
    logger,
  } = options
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const directory = join(dataDir, 'store')
  const unlock = lockStore(`${directory}.lock`)
  const lane = createLane({ maxWaitMs: 30_000 })
  const listeners = new Map<string, Set<Listener>>()
  let state: 'open' | 'closing' = 'open'
  let link: PgliteLink | undefined
  let reopening: Promise<PgliteLink>
  const closing = new AbortController()

  async function start(): Promise<PgliteLink> {
    if (!existsSync(directory) && existsSync(emptyStore)) copyStore(emptyStore, directory)
    // Creating a store takes half a gigabyte more than running it; only ending the thread frees that.
    if (!existsSync(join(directory, 'PG_VERSION'))) await (await startLink(directory, bufferMb)).close()
    const next = await startLink(directory, bufferMb)
    next.onNotification((channel, payload) => {
      for (const { received } of listeners.get(channel) ?? []) received(payload)
    })
    try {
      // A new store's files are 0666, whatever the umask.
      ownFolder(directory)
      for (const channel of listeners.keys()) await next.run(listenTo(channel), undefined, statementTimeoutMs)
      if (state !== 'open') throw new StoreUnavailableError('the store is closed')
    } catch (error) {
      // Two workers on one folder would corrupt it: end this one first.
      await next.close()
      throw error
    }
    link = next
    void next.ended.then(() => {
      link = undefined
      if (state === 'open') reopen()
    })
    return next
  }

  function reopen(): void {
    logger?.error({ directory }, 'embedded store stopped; reopening it')
    for (const listener of allListeners()) listener.lost()
    reopening = startAgain()
    reopening.then(
      () => {
        logger?.info({ directory }, 'embedded store reopened')
        for (const listener of allListeners()) listener.back()
      },
      () => undefined,
    )
  }

  /** Retries until it opens or is closed: a full disk or an unmounted folder may recover at any time. */
  async function startAgain(): Promise<PgliteLink> {
    for (let pauseMs = reopenPauseMs; ; pauseMs = Math.min(pauseMs * 2, MAX_REOPEN_PAUSE_MS)) {
      try {
        return await start()
      } catch (error) {
        if (state !== 'open') throw error
        logger?.error({ err: error, nextTryInMs: pauseMs }, 'failed to reopen the embedded store; will retry')
        await sleep(pauseMs, undefined, { signal: closing.signal })
      }
    }
  }

  const allListeners = () => [...listeners.values()].flatMap((set) => [...set])
  const linked = (): PgliteLink | Promise<PgliteLink> => {
    if (state !== 'open') throw new StoreUnavailableError('the store is closed')
    if (link) return link
    return withinMs(
      REOPEN_WAIT_MS,
      reopening,
      () => new StoreUnavailableError('the embedded store is not open'),
    )
  }

  async function runAlone(
    text: string,
    values: readonly unknown[] | undefined,
    options: QueryOptions | undefined,
  ) {
    const turn = lane.pass()
    if (turn) await turn
    const now = linked()
    return (now instanceof Promise ? await now : now).run(text, values, statementTimeoutMs, options)
  }

  try {
    reopening = start()
    await reopening
  } catch (error) {
    unlock()
    throw error
  }

  const db: Db = {
    engine: 'pglite',
    async query<Row>(text: string, values?: readonly unknown[], options?: QueryOptions): Promise<Row[]> {
      return (await runAlone(text, values, options)).rows as Row[]
    },
    transaction: (run, { statementTimeoutMs: own = statementTimeoutMs, snapshot } = {}) =>
      retryTransaction(async () => {
        const release = await lane.hold()
        try {
          const now = await linked()
          const connection = {
            run: (text: string, values?: readonly unknown[]) => now.run(text, values, own),
          }
          return await runTransaction(connection, run, { idleInTransactionMs, begin: beginOf(snapshot) })
        } finally {
          release()
        }
      }),
    async session(run) {
      const release = await lane.hold()
      try {
        const now = await linked()
        return await run({
          query: async <Row>(text: string, values?: readonly unknown[]) =>
            (await now.run(text, values, EXEC_TIMEOUT_MS)).rows as Row[],
        })
      } finally {
        release()
      }
    },
    async exec(script) {
      const release = await lane.hold()
      try {
        const now = await linked()
        await now.run(script, undefined, EXEC_TIMEOUT_MS).catch(async (error) => {
          // A script that failed between its own begin and commit leaves an aborted transaction open.
          await now.run('rollback', undefined, statementTimeoutMs).catch(() => undefined)
          throw error
        })
        now.forgetPlans()
        await now.run('deallocate all', undefined, statementTimeoutMs)
      } finally {
        release()
      }
    },
    ping: (timeoutMs) =>
      withinMs(timeoutMs, db.query('select 1'), () => {
        return new StoreUnavailableError(`the embedded store did not answer within ${timeoutMs} ms`)
      }).then(() => undefined),
    async listen(channel, listener) {
      const set = listeners.get(channel) ?? new Set()
      listeners.set(channel, set.add(listener))
      await db.query(listenTo(channel))
      return async () => {
        set.delete(listener)
      }
    },
    async close() {
      if (state !== 'open') return
      const tended = tending.stop()
      const release = await lane.hold()
      state = 'closing'
      closing.abort()
      try {
        await reopening.catch(() => undefined)
        await link?.close()
      } finally {
        unlock()
        release()
        await tended
      }
    },
  }
  const tending = startLoop({
    clock: systemClock,
    intervalMs: tendEveryMs,
    firstAfterMs: tendEveryMs,
    maxRetryMs: tendEveryMs,
    run: () => tendPglite(db),
    ended: (error) => {
      if (error !== null) logger?.warn({ error }, 'maintenance of the embedded store failed; will retry')
    },
  })
  return db
}

/** Renamed into place, so that a partial store is never opened. */
function copyStore(from: string, to: string): void {
  const draft = `${to}.draft`
  rmSync(draft, { recursive: true, force: true })
  cpSync(from, draft, { recursive: true })
  renameSync(draft, to)
}

const listenTo = (channel: string): string => `listen "${channel.replaceAll('"', '""')}"`

/**
 * Does the work of PostgreSQL's background processes, which the single-process PGlite lacks: checkpoints
 * bound the log, vacuums remove dead rows.
 */
export async function tendPglite(db: Db): Promise<void> {
  const tables = await db.query<{ name: string }>(
    `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
     where n_dead_tup > $1 and n_dead_tup * 5 > n_live_tup`,
    [DEAD_ROWS],
  )
  // One by one, so that requests run in between.
  for (const { name } of tables) {
    await db.query(`vacuum ${name}`)
    await db.query(`analyze ${name}`)
  }
  const [log] = await db.query<{ bytes: number }>(
    'select (pg_current_wal_lsn() - redo_lsn)::int8 as bytes from pg_control_checkpoint()',
  )
  if (log && log.bytes > LOG_BYTES) await db.query('checkpoint')
}
