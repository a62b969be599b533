import {
  chmodSync,
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { StartRefused } from './checkChain.ts'

const OTHERS = 0o077

/** From here on, what this process makes is its user's alone: the embedded store asks for 0666. */
export function keepFilesPrivate(): void {
  process.umask(OTHERS)
}

/**
 * Makes a folder that only this user can look into, or closes the one that is there, with all below it.
 * Refuses what belongs to somebody else, who could put anything there. Returns how many files and folders
 * stood open; `whenOpen: 'refuse'` refuses those too, because what was in them may be known already.
 */
export function ownFolder(path: string, whenOpen: 'close' | 'refuse' = 'close'): number {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return own(path, statSync(path), whenOpen)
}

function own(path: string, found: Stats, whenOpen: 'close' | 'refuse'): number {
  refuseForeign(path, found)
  const isOpen = isOpenToOthers(found)
  if (isOpen && whenOpen === 'refuse')
    throw new StartRefused(`${path} is open to other users (mode ${modeOf(found)}): chmod go= it`)
  // The folder before what is in it: from then on nobody else adds anything.
  if (isOpen) chmodSync(path, found.mode & 0o700)
  let count = isOpen ? 1 : 0
  if (!found.isDirectory()) return count
  for (const name of readdirSync(path)) {
    const below = join(path, name)
    // Files come and go under a process that runs. A link is not followed: it may lead anywhere.
    const entry = lstatSync(below, { throwIfNoEntry: false })
    if (entry === undefined || entry.isSymbolicLink()) continue
    try {
      count += own(below, entry, whenOpen)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return count
}

const isOpenToOthers = ({ mode }: Stats): boolean => process.getuid !== undefined && (mode & OTHERS) !== 0
const modeOf = ({ mode }: Stats): string => (mode & 0o777).toString(8).padStart(4, '0')

function refuseForeign(path: string, { uid }: Stats): void {
  const own = process.getuid?.()
  if (own === undefined || uid === own) return
  throw new StartRefused(
    `${path} belongs to user ${uid}, this process runs as user ${own}: ` +
      'run it as its owner, give it away with chown, or choose another DATA_DIR',
  )
}

/** A file's text, if nobody but this user can read or change it. */
export function readOwnFile(setting: string, file: string): string {
  const { text, found } = readWithStats(setting, file)
  const own = process.getuid?.()
  if (own !== undefined && found.uid !== own)
    throw new StartRefused(`${setting} ${file} belongs to user ${found.uid}: chown it to user ${own}`)
  if (isOpenToOthers(found))
    throw new StartRefused(`${setting} ${file} is open to other users (mode ${modeOf(found)}): chmod 600 it`)
  return text.trim()
}

/** Both of one opened file: its name may be another file's a moment later. */
function readWithStats(setting: string, file: string): { text: string; found: Stats } {
  let opened: number | undefined
  try {
    opened = openSync(file, 'r')
    return { found: fstatSync(opened), text: readFileSync(opened, 'utf8') }
  } catch (error) {
    throw new StartRefused(`${setting} ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}
