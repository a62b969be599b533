import { linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Takes the folder for this process, or throws saying who has it. Answers the release. */
export function lockDir(dir: string): () => void {
  mkdirSync(dir, { recursive: true })
  const lock = join(dir, 'lock')
  const mine = join(dir, `lock.${process.pid}.${Math.random().toString(36).slice(2)}`)
  const me = `${process.pid} ${startTicks(process.pid)}`
  writeFileSync(mine, me)
  try {
    for (let attempt = 0; attempt < 10; attempt++) {
      if (linked(mine, lock)) return () => release(lock, me)
      const holder = read(lock)
      if (holder === undefined) continue
      if (isAlive(holder)) throw new Error(`${dir} is in use by process ${holder.split(' ')[0]}`)
      takeAway(lock, holder, `${mine}.stale`)
    }
    throw new Error(`${dir} could not be locked`)
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

/** Moves a dead holder's lock aside; if another took over in between, gives theirs back. */
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
  // A process id that was given out again is not the holder; where the start time is unknown, it is.
  const now = startTicks(Number(pid))
  return !started || now === '-' || started === '-' || started === now
}

/** When the process started, in the kernel's ticks; "-" where there is no /proc. */
function startTicks(pid: number): string {
  const stat = read(`/proc/${pid}/stat`)
  if (!stat) return '-'
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '-'
}
