import { StartRefused } from './checkChain.ts'
import { isStoreUnavailable, MigrationError, StoreLockedError } from './db/index.ts'
import { keepFilesPrivate } from './ownFiles.ts'
import { SanctionsFileError } from './parseSanctions.ts'
import { ProfileError } from './readProfile.ts'
import { withinMs } from './withinMs.ts'

export interface Running {
  close(): Promise<void>
}

/** How long a start under way may take to close what it opened; less than a supervisor waits. */
const START_END_MS = 5_000
const EXPECTED = [MigrationError, ProfileError, SanctionsFileError, StartRefused, StoreLockedError]

/**
 * A part of the service as a process of its own: started, told of, and ended in order. Under a supervisor it
 * reports over IPC, else it prints. A failure of an `expected` kind is one line a person can act on; others
 * come whole.
 */
export async function runProcess<Part extends Running>({
  name,
  start,
  readyText,
  portSettings,
  expected,
}: {
  name: string
  start(stage: (text: string) => void, ending: AbortSignal): Promise<Part>
  readyText(part: Part): string
  /** The settings that choose its ports. */
  portSettings: string
  expected: readonly (abstract new (...args: never[]) => Error)[]
}): Promise<void> {
  keepFilesPrivate()
  let starting: Promise<Part> | null = null
  let isStopping = false
  const ending = new AbortController()

  async function stop(): Promise<void> {
    if (isStopping) return
    isStopping = true
    ending.abort()
    // Whatever a start did not get to close, the next one takes over: every step of it survives a kill.
    const part = await withinMs(START_END_MS, starting ?? Promise.reject(), () => new Error('late')).catch(
      () => null,
    )
    await part?.close()
    process.exit(0)
  }

  function explain(error: unknown): string {
    const { code, port, message } = error as NodeJS.ErrnoException & { port?: number }
    if (code === 'EADDRINUSE')
      return `port ${port} is in use: stop what listens there, or choose another by ${portSettings}`
    const known = [...EXPECTED, ...expected].some((kind) => error instanceof kind)
    if (!known && !isStoreUnavailable(error)) console.error(error)
    return message
  }

  // Before the start, which may take a minute.
  process.on('SIGTERM', stop)
  // A terminal's Ctrl-C reaches the supervisor too, which stops its parts in order.
  process.on('SIGINT', () => (process.send ? undefined : stop()))
  // The supervisor is gone: nobody would stop this process otherwise.
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
  // A supervisor that has gone hears nothing, and this process ends by itself.
  if (process.send) void (process.connected && process.send({ type, text }))
  else console.log(type === 'ready' ? `ready: ${text}` : text)
}
