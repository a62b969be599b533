import { StartRefused } from './checkChain.ts'
import { ConfigError, readConfig } from './config.ts'
import { StoreLockedError } from './platform/db/index.ts'
import { ProfileError } from './platform/readProfile.ts'
import { startServer } from './startServer.ts'

// The server as a process of its own. Under a supervisor it reports over IPC, else it prints.

type Report = { type: 'stage' | 'ready' | 'failed'; text: string }

const report = (row: Report): void => {
  if (process.send) process.send(row)
  else console.log(row.type === 'ready' ? `ready: ${row.text}` : row.text)
}

/** One line a person can act on, and the whole error only when it is a surprise. */
function explain(error: unknown): string {
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE') {
    return `port ${port} is in use: stop what listens there, or choose another by PORT and METRICS_PORT`
  }
  const expected = [ConfigError, StoreLockedError, ProfileError, StartRefused].some(
    (kind) => error instanceof kind,
  )
  if (!expected) console.error(error)
  return message
}

try {
  const server = await startServer(readConfig(process.env), (text) => report({ type: 'stage', text }))
  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    await server.close()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // The supervisor is gone: nobody would stop this process otherwise.
  if (process.send) process.on('disconnect', stop)
  report({ type: 'ready', text: server.url === '' ? 'jobs running' : `API at ${server.url}/api/v1/` })
} catch (error) {
  const text = `the server did not start: ${explain(error)}`
  console.error(text)
  process.exit(1)
}
