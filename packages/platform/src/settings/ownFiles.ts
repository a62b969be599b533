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
import { StartRefused } from './startRefused.ts'

const OTHERS = 0o077
/** Sticky bit: a folder where every user may create files, such as /tmp. */
const STICKY = 0o1000

/** Files made from here on are readable by this user only: the embedded store asks for 0666. */
export function keepFilesPrivate(): void {
  process.umask(OTHERS)
}

/** Entries that Pit's processes create in DATA_DIR. */
const OF_PIT = /^(store|signer|server|devnet|admin\.sock)$|\.lock(\.|$)/

/**
 * Creates DATA_DIR for this user alone, or restricts an existing one with Pit's files in it. Other files are
 * left unchanged, and a folder that is not Pit's is never restricted: the setting may be a mistake such as
 * `/`.
 */
export function ownDataDir(path: string): number {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const stats = statSync(path)
  refuseForeign(path, stats)
  const names = readdirSync(path)
  const ours = names.filter((name) => OF_PIT.test(name))
  const isShared = (stats.mode & STICKY) !== 0 || (names.length > 0 && ours.length === 0)
  if (isOpenToOthers(stats) && isShared) {
    throw new StartRefused(
      `DATA_DIR ${path} is open to other users and contains other files: choose a separate folder`,
    )
  }
  const wasOpen = closeOne(path, stats)
  return ours.reduce((count, name) => count + ownEntry(join(path, name), 'close'), wasOpen)
}

/**
 * Creates a folder that only this user can read, or restricts an existing one with everything below it.
 * Rejects a folder of another user, who could put anything there. Returns how many files and folders were
 * open; `whenOpen: 'refuse'` rejects those too, because their content may have been read.
 */
export function ownFolder(path: string, whenOpen: 'close' | 'refuse' = 'close'): number {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return ownAt(path, statSync(path), whenOpen)
}

function ownAt(path: string, found: Stats, whenOpen: 'close' | 'refuse'): number {
  refuseForeign(path, found)
  if (whenOpen === 'refuse' && isOpenToOthers(found))
    throw new StartRefused(`${path} is open to other users (mode ${modeOf(found)}): chmod go= it`)
  // The folder before its content: after that, other users cannot add anything.
  const wasOpen = closeOne(path, found)
  if (!found.isDirectory()) return wasOpen
  return readdirSync(path).reduce((count, name) => count + ownEntry(join(path, name), whenOpen), wasOpen)
}

/** Files come and go while a process runs. Links are not followed: they may lead anywhere. */
function ownEntry(path: string, whenOpen: 'close' | 'refuse'): number {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isSymbolicLink()) return 0
  try {
    return ownAt(path, stats, whenOpen)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

function closeOne(path: string, found: Stats): number {
  if (!isOpenToOthers(found)) return 0
  chmodSync(path, found.mode & 0o700)
  return 1
}

const isOpenToOthers = ({ mode }: Stats): boolean => process.getuid !== undefined && (mode & OTHERS) !== 0
const modeOf = ({ mode }: Stats): string => (mode & 0o777).toString(8).padStart(4, '0')

function refuseForeign(path: string, { uid }: Stats): void {
  const own = process.getuid?.()
  if (own === undefined || uid === own) return
  throw new StartRefused(
    `${path} belongs to user ${uid}, this process runs as user ${own}: ` +
      'run it as that user, change the owner with chown, or choose another DATA_DIR',
  )
}

/** A file's text, if only this user can read or change it. */
export function readOwnFile(setting: string, file: string): string {
  const { text, found } = readWithStats(setting, file)
  const own = process.getuid?.()
  if (own !== undefined && found.uid !== own)
    throw new StartRefused(`${setting} ${file} belongs to user ${found.uid}: chown it to user ${own}`)
  if (isOpenToOthers(found))
    throw new StartRefused(`${setting} ${file} is open to other users (mode ${modeOf(found)}): chmod 600 it`)
  return text.trim()
}

const ROOT = 0
const OTHERS_BUT_GROUP_READ = OTHERS & ~0o040

/**
 * The text of a systemd credential: owned by this user, or by root with an ACL for this user, which shows as
 * group permission.
 */
export function readCredential(setting: string, file: string): string {
  const { text, found } = readWithStats(setting, file)
  const own = process.getuid?.()
  if (own === undefined || found.uid === own) return readOwnFile(setting, file)
  if (found.uid !== ROOT)
    throw new StartRefused(
      `${setting} ${file} belongs to user ${found.uid}: credentials must be owned by root`,
    )
  if ((found.mode & OTHERS_BUT_GROUP_READ) !== 0)
    throw new StartRefused(`${setting} ${file} is open to other users (mode ${modeOf(found)}): chmod 440 it`)
  return text.trim()
}

/** Both from one open file: its name may point to another file a moment later. */
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
