import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Holder of the store. A pid may be reused, so the start time is stored too. */
interface Holder {
  pid: number
  startedAt: string
  bootId: string
  host: string
}

export class StoreLockedError extends Error {
  override readonly name = 'StoreLockedError'
  readonly pid: number
  constructor(holder: Holder, file: string, more = '') {
    const own = holder.pid === process.pid ? ' (this process)' : ''
    super(`the store is in use by process ${holder.pid}${own} on ${holder.host}; see ${file}${more}`)
    this.pid = holder.pid
  }
}

const SIGN_OF_LIFE_MS = 5_000
/**
 * A holder on another host (or in another container) counts as dead after this long without a sign of life.
 */
const GIVEN_UP_AFTER_MS = 30_000

/** Acquires the lock or throws; takes over the lock of a dead process. Returns the release function. */
export function lockStore(file: string): () => void {
  const own: Holder = {
    pid: process.pid,
    startedAt: processStart(process.pid) ?? '',
    bootId: bootId(),
    host: hostname(),
  }
  if (!create(file, own)) takeOver(file, own)
  const beat = setInterval(() => {
    try {
      utimesSync(file, new Date(), new Date())
    } catch {
      // The folder may be being removed; the lock only matters while it exists.
    }
  }, SIGN_OF_LIFE_MS)
  beat.unref()
  return () => {
    clearInterval(beat)
    if (isSame(read(file), own)) rmSync(file, { force: true })
  }
}

function takeOver(file: string, own: Holder): void {
  // Two processes that find the same dead lock must not both replace it.
  const guard = `${file}.takeover`
  if (!create(guard, own)) {
    const other = read(guard)
    if (other && isAlive(other, guard)) throw new StoreLockedError(other, file)
    rmSync(guard, { force: true })
    if (!create(guard, own)) throw new StoreLockedError(read(guard) ?? own, file)
  }
  try {
    const holder = read(file)
    if (holder && isAlive(holder, file)) {
      const apart =
        holder.host === own.host
          ? ''
          : `; its lock expires ${GIVEN_UP_AFTER_MS / 1000} s after its last sign of life`
      throw new StoreLockedError(holder, file, apart)
    }
    rmSync(file, { force: true })
    if (!create(file, own)) throw new StoreLockedError(read(file) ?? own, file)
  } finally {
    rmSync(guard, { force: true })
  }
}

/** Atomic: a link appears with its content, so no reader sees a partial lock. */
function create(file: string, holder: Holder): boolean {
  const draft = `${file}.${holder.pid}.${randomUUID()}`
  const text = `${JSON.stringify(holder)}\n`
  writeFileSync(draft, text, { mode: 0o600 })
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error
    return createWithoutLinks(file, text)
  } finally {
    rmSync(draft, { force: true })
  }
}

function createWithoutLinks(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Undefined if there is none, or if its writer died before it finished. */
function read(file: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>
    return Number.isInteger(holder.pid) ? (holder as Holder) : undefined
  } catch {
    return undefined
  }
}

function isAlive(holder: Holder, file: string): boolean {
  if (holder.host !== hostname()) return Date.now() - statSync(file).mtimeMs < GIVEN_UP_AFTER_MS
  if (holder.bootId !== bootId()) return false
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const start = processStart(holder.pid)
  if (start === ENDED) return false
  return start === undefined || holder.startedAt === '' || start === holder.startedAt
}

const isSame = (a: Holder | undefined, b: Holder): boolean =>
  a?.pid === b.pid && a.startedAt === b.startedAt && a.bootId === b.bootId && a.host === b.host

/** A zombie: ended but not reaped. In a container without an init it stays forever. */
const ENDED = 'ended'

/** Clock ticks after boot, on Linux; elsewhere only the pid is compared. */
function processStart(pid: number): string | undefined {
  try {
    // The second field is the command in parentheses and may contain spaces: count from its end.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
    return fields?.[0] === 'Z' || fields?.[0] === 'X' ? ENDED : fields?.[19]
  } catch {
    return undefined
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
