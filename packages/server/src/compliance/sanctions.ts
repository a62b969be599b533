import { type FSWatcher, watch } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Logger } from '../platform/logger.ts'
import { parseSanctions, SanctionsFileError } from './parseSanctions.ts'

type SanctionsState =
  | { status: 'ok'; addresses: number }
  | { status: 'degraded'; addresses: number; why: string }

export interface Sanctions {
  /** Any letter case. */
  isSanctioned(address: string): boolean
  /** For health: degraded while the file on disk cannot be read and an older list is in force. */
  state(): SanctionsState
  close(): void
}

/** Loads the list or refuses to start; then follows the file, by its watch and by looking now and then. */
export async function openSanctions({
  file,
  logger,
  pollMs = 5_000,
}: {
  file: string
  logger: Logger
  pollMs?: number
}): Promise<Sanctions> {
  let stamp = ''
  let list: ReadonlySet<string>
  let why: string | null = null
  try {
    stamp = await stampOf(file)
    list = parseSanctions(await readFile(file, 'utf8'))
  } catch (error) {
    throw new SanctionsFileError(
      `SANCTIONS_FILE ${file}: ${problem(error)}. The server does not run without a sanctions list.`,
    )
  }
  logger.info({ file, addresses: list.size }, 'sanctions list loaded')

  let looking = false
  async function look(): Promise<void> {
    if (looking) return
    looking = true
    try {
      const found = await stampOf(file)
      if (found === stamp && why === null) return
      const read = parseSanctions(await readFile(file, 'utf8'))
      if (found !== stamp) logger.info({ file, addresses: read.size }, 'sanctions list read again')
      stamp = found
      list = read
      why = null
    } catch (error) {
      const now = problem(error)
      if (now !== why)
        logger.error({ file, why: now }, 'sanctions list is broken: the last good one stays in force')
      why = now
    } finally {
      looking = false
    }
  }
  const poll = setInterval(() => void look(), pollMs)
  poll.unref()
  const watcher = watchFolder(file, () => void look())
  return {
    isSanctioned: (address) => list.has(address) || list.has(address.toLowerCase()),
    state: () =>
      why === null
        ? { status: 'ok', addresses: list.size }
        : { status: 'degraded', addresses: list.size, why: `sanctions list: ${why}` },
    close() {
      clearInterval(poll)
      watcher?.close()
    },
  }
}

/** The folder, because editors and deployments replace the file; where watching fails, polling remains. */
function watchFolder(file: string, changed: () => void): FSWatcher | null {
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(file)) changed()
    })
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return null
  }
}

async function stampOf(file: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(file)
  return `${mtimeMs} ${size} ${ino}`
}

function problem(error: unknown): string {
  if (error instanceof SanctionsFileError) return error.message
  const code = (error as NodeJS.ErrnoException).code
  return code === 'ENOENT' ? 'no such file' : (code ?? String(error))
}
