import { linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A killed process takes a moment to end, and a restart may be quicker. */
const GRACE_MS = 1_000

/** Locks the folder for this process, or throws with the holder. Returns the release function. */
export function lockDir(dir: string): () => void {
  mkdirSync(dir, { recursive: true })
  const lock = join(dir, 'lock')
  const mine = join(dir, `lock.${process.pid}.${Math.random().toString(36).slice(2)}`)
  const me = `${process.pid} ${startTicks(process.pid)}`
  writeFileSync(mine, me)
  try {
    const untilMs = performance.now() + GRACE_MS
    for (;;) {
      if (linked(mine, lock)) return () => release(lock, me)
      const holder = read(lock)
      if (holder === undefined) continue
      if (!isAlive(holder)) takeAway(lock, holder, `${mine}.stale`)
      else if (holder === me || performance.now() > untilMs) {
        throw new Error(`${dir} is in use by process ${holder.split(' ')[0]}`)
      } else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    }
  } finally {
    unlinkSync(mine)
  }
}

function release(lock: string, me: string): void {
  if (read(lock) === me) unlinkSync(lock)
}

/** Creating by link is atomic: of two that race, one sees EEXIST. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Moves a dead holder's lock aside; if another process took over in between, restores its lock. */
function takeAway(lock: string, holder: string, aside: string): void {
  try {
    renameSync(lock, aside)
  } catch {
    return
  }
  if (read(aside) !== holder) linked(aside, lock)
  unlinkSync(aside)
}

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function isAlive(holder: string): boolean {
  const [pid, started] = holder.split(' ')
  if (!pid || !Number(pid)) return false
  try {
    process.kill(Number(pid), 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const stat = statOf(Number(pid))
  // Without /proc nothing more is known about it.
  if (!stat || !started || started === '-') return true
  // A zombie, or a reused process id.
  return stat.state !== 'Z' && stat.startTicks === started
}

const startTicks = (pid: number): string => statOf(pid)?.startTicks ?? '-'

/** State letter and start time (kernel ticks) of a process; undefined without /proc. */
function statOf(pid: number): { state: string; startTicks: string } | undefined {
  const stat = read(`/proc/${pid}/stat`)
  if (!stat) return undefined
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', startTicks: fields[19] ?? '-' }
}
