import { sendToSupervisor } from '@pit/platform/process'
import { StartRefused } from '@pit/platform/settings'
import { readConfig } from './config.ts'
import { startDevnet } from './devnet.ts'

// The devnet as a separate process. Reports to a supervisor over IPC, otherwise prints.

type Report = { type: 'stage' | 'ready' | 'failed'; text: string }

const startedAt = performance.now()
const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`.padStart(7)

function report(row: Report): void {
  if (process.send) sendToSupervisor(row)
  else console.log(`${seconds()}  ${row.type === 'ready' ? 'ready: ' : ''}${row.text}`)
}

/** One line that says what to do. */
function explain(error: unknown): string {
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE') {
    return `port ${port} is in use: stop the process that uses it, or set DEVNET_PORT and DEVNET_VENDOR_PORT`
  }
  if (code === 'EACCES' && port) return `this user may not use port ${port}: choose another`
  return message ?? String(error)
}

async function fail(error: unknown): Promise<never> {
  const text = `the devnet did not start: ${explain(error)}`
  console.error(text)
  if (!(error instanceof StartRefused) && !(error as NodeJS.ErrnoException).code) console.error(error)
  // Report to the parent before the IPC channel closes with this process.
  if (process.send)
    await new Promise<void>((resolve) => process.send?.({ type: 'failed', text }, () => resolve()))
  process.exit(1)
}

// Files are readable by this user only.
process.umask(0o077)
try {
  const config = readConfig(process.env)
  const devnet = await startDevnet({
    ...config,
    stage: (text) => report({ type: 'stage', text }),
    log: (message, fields) => console.error(message, fields ? JSON.stringify(fields) : ''),
  })
  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    // Exit even if something hangs: the chain's log is complete up to its last block at any time. The limit
    // lets a busy machine write the image that the next start opens from.
    setTimeout(() => process.exit(1), 8_000).unref()
    await devnet.close()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  // Ctrl-C reaches every process of the terminal; a supervisor stops us in its own order.
  process.on('SIGINT', process.send ? () => {} : stop)
  if (process.send) process.on('disconnect', stop)
  report({ type: 'ready', text: `chain 4663 at ${devnet.url}, vendors at ${devnet.vendorsUrl}` })
} catch (error) {
  await fail(error)
}
