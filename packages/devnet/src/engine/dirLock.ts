import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { lockStore, StoreLockedError } from '@pit/platform/process'

/** A killed process takes a moment to end, and a restart may be quicker. */
const GRACE_MS = 1_000

/** Locks the folder for this process, or throws with the holder. Returns the release function. */
export function lockDir(dir: string): () => void {
  mkdirSync(dir, { recursive: true })
  const untilMs = performance.now() + GRACE_MS
  for (;;) {
    try {
      return lockStore(join(dir, 'lock'))
    } catch (error) {
      if (!(error instanceof StoreLockedError)) throw error
      if (error.pid === process.pid || performance.now() > untilMs)
        throw new Error(`${dir} is in use by process ${error.pid}`)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    }
  }
}
