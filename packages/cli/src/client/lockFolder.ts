import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { lockStore, StoreLockedError } from '@pit/platform/process'

/**
 * Makes this process the only one that trades from a folder until it exits; returns the pid of another holder. Taken
 * on the first trade, not at startup: hosts start a second process to list what it offers.
 */
export function lockFolder(folder: string): number | null {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    process.once('exit', lockStore(join(folder, 'lock')))
    return null
  } catch (error) {
    if (error instanceof StoreLockedError) return error.pid
    throw error
  }
}
