import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Replaces a file atomically and durably: a crash leaves the old text or the new one. */
export function writeWhole(folder: string, name: string, text: string): void {
  const draft = join(folder, `${name}.draft`)
  const file = openSync(draft, 'w', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, join(folder, name))
  syncFolder(folder)
}

function syncFolder(folder: string): void {
  // Windows cannot open folders; its file system journals renames.
  if (process.platform === 'win32') return
  const opened = openSync(folder, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
