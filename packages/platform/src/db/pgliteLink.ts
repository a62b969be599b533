import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { StartRefused } from '../settings/startRefused.ts'
import { classified, StoreUnavailableError, statementTimedOut } from './errors.ts'
import { lastOf } from './openPostgres.ts'
import { createPgliteStream, type FromWorker, type StoreToOpen, type ToWorker } from './pgliteStream.ts'
import type { QueryOptions } from './types.ts'
import { valueTypes } from './valueTypes.ts'

interface Running {
  timeoutMs: number
  overdue(error: Error): void
}

/** One lifetime of the worker thread: from its start until it ends, fails or hangs. */
export interface PgliteLink {
  run(
    text: string,
    values: readonly unknown[] | undefined,
    timeoutMs: number,
    options?: QueryOptions,
  ): Promise<{ rows: unknown[]; command: string }>
  /** Drops prepared plans, because tables have changed. */
  forgetPlans(): void
  onNotification(heard: (channel: string, payload: string) => void): void
  /** Resolves when the worker has ended, for any reason. */
  ended: Promise<void>
  close(): Promise<void>
}

export async function startPgliteLink(directory: string, bufferMb: number): Promise<PgliteLink> {
  const workerData: StoreToOpen = { directory, bufferMb }
  const worker = new Worker(workerFile(), { workerData, stdout: false, stderr: false })
  let failure: Error | undefined
  worker.on('error', (error) => {
    failure = error
  })
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve())
  })
  const isReady = await Promise.race([hear(worker, 'ready').then(() => true), ended.then(() => false)])
  if (!isReady) {
    throw new StoreUnavailableError(
      `the embedded store did not open: ${failure?.message ?? 'its thread ended'}`,
    )
  }

  const client = new pg.Client({
    stream: () => createPgliteStream(worker),
    pipeline: true,
    types: valueTypes,
  })
  client.on('error', () => undefined)
  await client.connect()

  // Responses come in the order of requests, so the first pending one is running.
  const running: Running[] = []
  let limit: NodeJS.Timeout | undefined
  /** Restarts the time limit, for the statement that runs now. */
  const watchFirst = () => {
    clearTimeout(limit)
    const [first] = running
    if (!first) return
    limit = setTimeout(() => {
      // PGlite cannot cancel a statement. Ending the thread is like a crash, which the log survives.
      first.overdue(statementTimedOut(first.timeoutMs))
      void worker.terminate()
    }, first.timeoutMs).unref()
  }
  void ended.then(() => clearTimeout(limit))

  const statements = createStatementNames()
  const ask = (text: string, values: readonly unknown[] | undefined, name?: string) =>
    client.query({
      text,
      ...(values && values.length > 0 ? { values: values as unknown[] } : {}),
      ...(name === undefined ? {} : { name }),
    })

  async function run(
    text: string,
    values: readonly unknown[] | undefined,
    timeoutMs: number,
    options: QueryOptions = {},
  ) {
    let overdue: Error | undefined
    const own: Running = {
      timeoutMs,
      overdue(error) {
        overdue = error
      },
    }
    if (running.push(own) === 1) watchFirst()
    try {
      const name = options.prepared ? statements.nameOf(text) : undefined
      const answer = ask(text, values, name).catch((error) => {
        // The statement did not run: its plan is gone, or its table was altered.
        if (name === undefined || !isPlanGone(error)) throw error
        statements.forget(text)
        return ask(text, values)
      })
      return lastOf(await answer)
    } catch (error) {
      throw overdue ?? classified(failure ?? error)
    } finally {
      running.splice(running.indexOf(own), 1)
      watchFirst()
    }
  }

  return {
    run,
    forgetPlans: statements.forgetAll,
    ended,
    onNotification(heard) {
      client.on('notification', ({ channel, payload }) => heard(channel, payload ?? ''))
    },
    async close() {
      const closed = hear(worker, 'closed')
      worker.postMessage('close' satisfies ToWorker)
      await Promise.race([closed, ended])
      await worker.terminate()
    },
  }
}

const MAX_PREPARED = 100

/** Names of prepared statements. */
function createStatementNames() {
  const names = new Map<string, string>()
  let count = 0
  return {
    /** Undefined if there are too many already. */
    nameOf(text: string): string | undefined {
      const name = names.get(text)
      if (name !== undefined || names.size >= MAX_PREPARED) return name
      count += 1
      names.set(text, `kept_${count}`)
      return `kept_${count}`
    },
    forget: (text: string) => void names.delete(text),
    forgetAll: () => names.clear(),
  }
}

const NO_SUCH_STATEMENT = '26000'
const NOT_SUPPORTED = '0A000'
const isPlanGone = ({ code, message }: { code?: string; message: string }): boolean =>
  code === NO_SUCH_STATEMENT || (code === NOT_SUPPORTED && message.includes('cached plan'))

function hear(worker: Worker, word: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    const listen = (message: FromWorker) => {
      if (message !== word) return
      worker.off('message', listen)
      resolve()
    }
    worker.on('message', listen)
  })
}

/**
 * Beside the running bundle (dist/ or dist/bench/); from source, the built one: Node 20 cannot run
 * TypeScript.
 */
function workerFile(): string {
  const places = ['./pgliteWorker.js', '../pgliteWorker.js', '../../../../dist/pgliteWorker.js']
  const file = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync)
  if (!file)
    throw new StartRefused(
      'the embedded store is not part of this installation: name a PostgreSQL database (DATABASE_URL, of the signer ' +
        'SIGNER_DATABASE_URL), or run `npm run build`',
    )
  return file
}
