import { type FSWatcher, watch } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { systemClock, type Timer } from '../clock/clock.ts'
import { startLoop } from '../clock/loop.ts'
import type { Logger } from '../monitoring/logger.ts'
import { parseSanctions, SanctionsFileError } from './parseSanctions.ts'

type SanctionsState = { addresses: number; takenAtS: number } & (
  | { status: 'ok' }
  | { status: 'degraded'; why: string }
)

export interface Sanctions {
  /** Case-insensitive. */
  isSanctioned(address: string): boolean
  /** For health: degraded while the file is unreadable and an older list is in force. */
  state(): SanctionsState
  close(): Promise<void>
}

/** A new list smaller than this share of the current one is treated as half-written. */
const MIN_SHARE = 0.5

/**
 * Loads the list or throws; then follows the file by watching and polling. A changed file is read only once
 * it has been unchanged for a while, because its writer may not be done.
 */
export async function openSanctions({
  file,
  setting = 'SANCTIONS_FILE',
  logger,
  pollMs = 5_000,
  settleMs = 1_000,
  clock = systemClock,
}: {
  file: string
  /** Name of the setting, for error messages. */
  setting?: string
  logger: Logger
  pollMs?: number
  /** How long a file must be unchanged. */
  settleMs?: number
  clock?: Timer
}): Promise<Sanctions> {
  let stamp = ''
  let list: ReadonlySet<string>
  let takenAtS: number
  let why: string | null = null
  try {
    ;({ stamp, list, takenAtS } = await readSettled(file, settleMs, clock))
  } catch (error) {
    throw new SanctionsFileError(
      `${setting} ${file}: ${problem(error)}. Pit does not run without a sanctions list.`,
    )
  }
  logger.info({ file, addresses: list.size }, 'sanctions list loaded')

  let seen = { stamp, atMs: performance.now() }
  /** False while the file may still be being written; the caller retries. */
  async function takeIfSettled(): Promise<boolean> {
    const fileStamp = await stampOf(file)
    if (fileStamp === stamp && why === null) return true
    if (fileStamp !== seen.stamp) seen = { stamp: fileStamp, atMs: performance.now() }
    if (performance.now() - seen.atMs < settleMs) return false
    const text = await readFile(file, 'utf8')
    if ((await stampOf(file)) !== fileStamp) return false
    const read = parseSanctions(text)
    refuseShrink(list.size, read.size)
    if (fileStamp !== stamp) logger.info({ file, addresses: read.size }, 'sanctions list reloaded')
    stamp = fileStamp
    list = read
    takenAtS = takenAt(text, (await stat(file)).mtimeMs)
    why = null
    return true
  }

  async function look(signal: AbortSignal): Promise<'more' | 'done'> {
    try {
      if (await takeIfSettled()) return 'done'
      await clock.sleep(settleMs, signal)
      return 'more'
    } catch (error) {
      const now = problem(error)
      if (now !== why) logger.error({ file, why: now }, 'sanctions list is invalid; using the last valid one')
      why = now
      return 'done'
    }
  }
  const loop = startLoop({ clock, intervalMs: pollMs, firstAfterMs: pollMs, run: look })
  const watcher = watchFolder(file, loop.wake)
  return {
    isSanctioned: (address) => list.has(address) || list.has(address.toLowerCase()),
    state: () => ({
      addresses: list.size,
      takenAtS,
      ...(why === null ? { status: 'ok' } : { status: 'degraded', why: `sanctions list: ${why}` }),
    }),
    async close() {
      watcher?.close()
      await loop.stop()
    },
  }
}

/** There is no older list at start, so wait for a file that has just been written. */
async function readSettled(
  file: string,
  settleMs: number,
  clock: Timer,
): Promise<{ stamp: string; list: ReadonlySet<string>; takenAtS: number }> {
  for (let looks = 0; looks < 10; looks++) {
    const before = await stampOf(file)
    const { mtimeMs } = await stat(file)
    if (Math.abs(Date.now() - mtimeMs) < settleMs) await clock.sleep(settleMs)
    const text = await readFile(file, 'utf8')
    if ((await stampOf(file)) === before)
      return { stamp: before, list: parseSanctions(text), takenAtS: takenAt(text, mtimeMs) }
  }
  throw new SanctionsFileError('it keeps changing')
}

/** Download time from the header of `pit-admin sanctions update`; otherwise the file's mtime. */
function takenAt(text: string, mtimeMs: number): number {
  const said = /^# taken (\S+)$/m.exec(text.slice(0, 1_000))?.[1]
  const saidMs = said === undefined ? Number.NaN : Date.parse(said)
  return Math.floor(Math.min(Number.isNaN(saidMs) ? mtimeMs : saidMs, Date.now()) / 1000)
}

function refuseShrink(before: number, after: number): void {
  if (after >= before * MIN_SHARE) return
  throw new SanctionsFileError(
    `it went from ${before} addresses to ${after}; if that is right, restart to take it`,
  )
}

/** Watches the folder, because editors and deployments replace the file; polling remains if that fails. */
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
