import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartRefused } from '@pit/platform/settings'
import { finishUpgrade, isUpgradeable, upgradeChain } from './upgradeChain.ts'

/**
 * Format of the devnet's folder. Raise it with a change that cannot read older folders: the chain's log, archive or
 * image, world.json or venues.json, and bring the formats before to it. Format 1 had no file that names it.
 */
const STATE_FORMAT = 3
/** Differs in the compression of the archive's chunks, which are read in either. */
const READABLE_FORMAT = 2

const fileIn = (dir: string): string => join(dir, 'format.json')

/**
 * Brings a deployed folder of an older format to this one; of format 1 it keeps the chain beside it. Refuses any
 * other format, and leaves it as it is.
 */
export function bringToFormat(dir: string, stage: (text: string) => void): void {
  if (!existsSync(join(dir, 'world.json'))) return
  finishUpgrade(dir)
  const format = readFormat(dir)
  if (format === STATE_FORMAT || format === READABLE_FORMAT) {
    writeFormat(dir)
    return
  }
  if (format === 1 && isUpgradeable(dir)) {
    upgradeChain(dir, stage)
    writeFormat(dir)
    return
  }
  throw new StartRefused(
    `${dir} was written by ${format < STATE_FORMAT ? 'an older' : 'a newer'} version of Pit (format ${format}; this ` +
      `version reads ${STATE_FORMAT}). Nothing was changed. Start that version again to continue with this chain, or ` +
      'move the whole data folder away (mv .pit .pit.old) to begin with a new one',
  )
}

export const writeFormat = (dir: string): void =>
  writeFileSync(fileIn(dir), `${JSON.stringify({ format: STATE_FORMAT })}\n`)

function readFormat(dir: string): number {
  // A crash after the chain's upgrade may leave the new chain without the file.
  if (!existsSync(fileIn(dir))) return existsSync(join(dir, 'chain', 'archive.chunks')) ? STATE_FORMAT : 1
  const { format } = JSON.parse(readFileSync(fileIn(dir), 'utf8')) as { format: number }
  return format
}
