import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartRefused } from '@pit/platform/settings'

/**
 * Format of the devnet's folder. Raise it with a change that cannot read older folders: the chain's log, archive or
 * image, world.json or venues.json. Format 1 had no file that names it.
 */
const STATE_FORMAT = 2

const fileIn = (dir: string): string => join(dir, 'format.json')

/** Refuses a deployed folder of another format, and leaves it as it is. */
export function checkFormat(dir: string): void {
  if (!existsSync(join(dir, 'world.json'))) return
  const format = readFormat(dir)
  if (format === STATE_FORMAT) return
  throw new StartRefused(
    `${dir} was written by ${format < STATE_FORMAT ? 'an older' : 'a newer'} version of Pit (format ${format}; this ` +
      `version reads ${STATE_FORMAT}). Nothing was changed. Start that version again to continue with this chain, or ` +
      'move the whole data folder away (mv .pit .pit.old) to begin with a new one',
  )
}

export const writeFormat = (dir: string): void =>
  writeFileSync(fileIn(dir), `${JSON.stringify({ format: STATE_FORMAT })}\n`)

function readFormat(dir: string): number {
  if (!existsSync(fileIn(dir))) return 1
  const { format } = JSON.parse(readFileSync(fileIn(dir), 'utf8')) as { format: number }
  return format
}
