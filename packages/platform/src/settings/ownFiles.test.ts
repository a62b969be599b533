import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ownDataDir, ownFolder, readOwnFile } from './ownFiles.ts'
import { StartRefused } from './startRefused.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pit-own-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(home, { recursive: true, force: true })
})
const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8)
const runAsSomebodyElse = () => vi.spyOn(process, 'getuid').mockReturnValue(statSync(home).uid + 1)
const file = (path: string, mode: number) => {
  writeFileSync(path, 'text\n')
  chmodSync(path, mode)
  return path
}

it('creates a folder that only this user can read', () => {
  expect(ownFolder(join(home, 'a', 'b'))).toBe(0)
  expect([modeOf(join(home, 'a')), modeOf(join(home, 'a', 'b'))]).toEqual(['700', '700'])
})

it('restricts an open folder and everything below it, and returns how many entries were open', () => {
  const folder = join(home, 'data')
  mkdirSync(join(folder, 'store', 'base'), { recursive: true })
  for (const path of [folder, join(folder, 'store'), join(folder, 'store', 'base')]) chmodSync(path, 0o755)
  const open = file(join(folder, 'store', 'base', '1259'), 0o666)
  const script = file(join(folder, 'run.sh'), 0o755)
  const closed = file(join(folder, 'secret'), 0o600)
  expect(ownFolder(folder)).toBe(5)
  expect([open, script, closed, join(folder, 'store', 'base'), folder].map(modeOf)).toEqual([
    ...['600', '700', '600'],
    ...['700', '700'],
  ])
  expect(ownFolder(folder)).toBe(0)
})

it('restricts a DATA_DIR and Pit’s files in it, and leaves other files unchanged', () => {
  const folder = join(home, 'data')
  mkdirSync(join(folder, 'store'), { recursive: true })
  for (const path of [folder, join(folder, 'store')]) chmodSync(path, 0o755)
  const table = file(join(folder, 'store', '1259'), 0o666)
  const notes = file(join(folder, 'notes.txt'), 0o644)
  expect(ownDataDir(folder)).toBe(3)
  expect([folder, table, notes].map(modeOf)).toEqual(['700', '600', '644'])
  expect(ownDataDir(join(home, 'new'))).toBe(0)
  expect(modeOf(join(home, 'new'))).toBe('700')
})

it('never restricts a folder that is not Pit’s', () => {
  const folder = join(home, 'bin')
  mkdirSync(folder)
  chmodSync(folder, 0o755)
  file(join(folder, 'sh'), 0o755)
  expect(() => ownDataDir(folder)).toThrow('contains other files')
  const everybodys = join(home, 'tmp')
  mkdirSync(join(everybodys, 'store'), { recursive: true })
  chmodSync(everybodys, 0o1777)
  expect(() => ownDataDir(everybodys)).toThrow(StartRefused)
  expect([folder, everybodys, join(folder, 'sh')].map(modeOf)).toEqual(['755', '777', '755'])
})

it('does not follow links out of the folder', () => {
  const outside = file(join(home, 'outside'), 0o644)
  const folder = join(home, 'data')
  mkdirSync(folder)
  symlinkSync(outside, join(folder, 'link'))
  symlinkSync(join(home, 'nothing'), join(folder, 'broken'))
  ownFolder(folder)
  expect(modeOf(outside)).toBe('644')
})

it('rejects a folder of another user, and changes nothing in it', () => {
  const folder = join(home, 'data')
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  runAsSomebodyElse()
  expect(() => ownFolder(folder)).toThrow(StartRefused)
  expect(() => ownFolder(folder)).toThrow(`${folder} belongs to user`)
  expect(modeOf(folder)).toBe('777')
})

it('rejects an open folder whose secrets may have been read', () => {
  const folder = join(home, 'data')
  mkdirSync(folder, { mode: 0o700 })
  const key = file(join(folder, 'key'), 0o640)
  expect(() => ownFolder(folder, 'refuse')).toThrow(`${key} is open to other users (mode 0640)`)
  expect(modeOf(key)).toBe('640')
  chmodSync(key, 0o600)
  expect(ownFolder(folder, 'refuse')).toBe(0)
})

it('reads a secret only if no other user can read or change it', () => {
  const secret = file(join(home, 'secret'), 0o600)
  expect(readOwnFile('SEAL_KEY_FILE', secret)).toBe('text')
  chmodSync(secret, 0o400)
  expect(readOwnFile('SEAL_KEY_FILE', secret)).toBe('text')
  for (const mode of [0o640, 0o604, 0o620, 0o601, 0o666]) {
    chmodSync(secret, mode)
    expect(() => readOwnFile('SEAL_KEY_FILE', secret)).toThrow(
      `SEAL_KEY_FILE ${secret} is open to other users (mode 0${mode.toString(8)}): chmod 600 it`,
    )
  }
  chmodSync(secret, 0o600)
  runAsSomebodyElse()
  expect(() => readOwnFile('SEAL_KEY_FILE', secret)).toThrow('belongs to user')
  const none = join(home, 'none')
  expect(() => readOwnFile('SEAL_KEY_FILE', none)).toThrow(`SEAL_KEY_FILE ${none} cannot be read: ENOENT`)
  expect(existsSync(none)).toBe(false)
})
