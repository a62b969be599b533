import { StartRefused } from '@pit/platform/checkChain'
import { isStoreUnavailable, MigrationError, StoreLockedError } from '@pit/platform/db'
import { SanctionsFileError } from '@pit/platform/parseSanctions'
import { ProfileError } from '@pit/platform/readProfile'
import { withinMs } from '@pit/platform/withinMs'
import { ConfigError, readConfig } from './config.ts'
import { type RunningServer, startServer } from './startServer.ts'

// The server as a process of its own. Under a supervisor it reports over IPC, else it prints.

type Report = { type: 'stage' | 'ready' | 'failed'; text: string }

const report = (row: Report): void => {
  // A supervisor that has gone hears nothing, and this process ends by itself.
  if (process.send) void (process.connected && process.send(row))
  else console.log(row.type === 'ready' ? `ready: ${row.text}` : row.text)
}

const EXPECTED = [
  ConfigError,
  MigrationError,
  ProfileError,
  SanctionsFileError,
  StartRefused,
  StoreLockedError,
]
/** How long a start under way may take to end, so that what it opened is closed; less than a supervisor waits. */
const START_END_MS = 5_000

/** One line a person can act on, and the whole error only when it is a surprise. */
function explain(error: unknown): string {
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE') {
    return `port ${port} is in use: stop what listens there, or choose another by PORT and METRICS_PORT`
  }
  const expected = EXPECTED.some((kind) => error instanceof kind) || isStoreUnavailable(error)
  if (!expected) console.error(error)
  return message
}

let starting: Promise<RunningServer> | null = null
let stopping = false
const ending = new AbortController()
async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  ending.abort()
  // Whatever a start did not get to close, the next one takes over: every step of it survives a kill.
  const server = await withinMs(START_END_MS, starting ?? Promise.reject(), () => new Error('late')).catch(
    () => null,
  )
  await server?.close()
  process.exit(0)
}

// Before the start, which may take a minute.
process.on('SIGTERM', stop)
// A terminal's Ctrl-C reaches the supervisor too, which stops its parts in order.
process.on('SIGINT', () => (process.send ? undefined : stop()))
// The supervisor is gone: nobody would stop this process otherwise.
if (process.send) process.on('disconnect', stop)

try {
  starting = startServer(readConfig(process.env), (text) => report({ type: 'stage', text }), ending.signal)
  const server = await starting
  if (!stopping) {
    report({ type: 'ready', text: server.url === '' ? 'jobs running' : `API at ${server.url}/api/v1/` })
  }
} catch (error) {
  if (!stopping) {
    console.error(`the server did not start: ${explain(error)}`)
    process.exit(1)
  }
}
