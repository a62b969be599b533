import { withinMs } from '../clock/withinMs.ts'
import { isStoreUnavailable, MigrationError } from '../db/index.ts'
import { SanctionsFileError } from '../sanctions/parseSanctions.ts'
import { keepFilesPrivate } from '../settings/ownFiles.ts'
import { ProfileError } from '../settings/readProfile.ts'
import { StartRefused } from '../settings/startRefused.ts'
import { StoreLockedError } from './processLock.ts'
import { sendToSupervisor } from './sendToSupervisor.ts'

export interface Running {
  close(): Promise<void>
}

/** Time limit for a running start to close what it opened; shorter than the supervisor's. */
const START_END_MS = 5_000
const EXPECTED = [MigrationError, ProfileError, SanctionsFileError, StartRefused, StoreLockedError]

/**
 * Runs a part of the service as a separate process: start, report, ordered shutdown. Reports to a supervisor
 * over IPC, otherwise prints. `expected` errors are printed as one line that says what to do; others with
 * their stack.
 */
export async function runProcess<Part extends Running>({
  name,
  start,
  readyText,
  portSettings,
  expected = [],
}: {
  name: string
  start(stage: (text: string) => void, ending: AbortSignal): Promise<Part>
  readyText(part: Part): string
  /** Settings that choose its ports, for the message. */
  portSettings: string
  expected?: readonly (abstract new (...args: never[]) => Error)[]
}): Promise<void> {
  keepFilesPrivate()
  let starting: Promise<Part> | null = null
  let isStopping = false
  const ending = new AbortController()

  async function stop(): Promise<void> {
    if (isStopping) return
    isStopping = true
    ending.abort()
    // Leftovers of an interrupted start are safe: every step survives a kill, and the next start cleans up.
    const part = await withinMs(START_END_MS, starting ?? Promise.reject(), () => new Error('late')).catch(
      () => null,
    )
    await part?.close()
    process.exit(0)
  }

  function explain(error: unknown): string {
    const { code, port, message } = error as NodeJS.ErrnoException & { port?: number }
    if (code === 'EADDRINUSE')
      return `port ${port} is in use: stop the process that uses it, or set ${portSettings}`
    const isExpected = [...EXPECTED, ...expected].some((kind) => error instanceof kind)
    if (!isExpected && !isStoreUnavailable(error)) console.error(error)
    return message
  }

  // Before the start, which may take a minute.
  process.on('SIGTERM', stop)
  // Ctrl-C in a terminal reaches the supervisor too, which stops its parts in order.
  process.on('SIGINT', () => (process.send ? undefined : stop()))
  // Stop with the supervisor: no other process would.
  if (process.send) process.on('disconnect', stop)

  try {
    starting = start((text) => report('stage', text), ending.signal)
    const part = await starting
    if (!isStopping) report('ready', readyText(part))
  } catch (error) {
    if (isStopping) return
    console.error(`the ${name} did not start: ${explain(error)}`)
    process.exit(1)
  }
}

function report(type: 'stage' | 'ready', text: string): void {
  if (process.send) sendToSupervisor({ type, text })
  else console.log(type === 'ready' ? `ready: ${text}` : text)
}
