import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartRefused } from '@pit/platform/settings'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bringToFormat, writeFormat } from './stateFormat.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pit-format-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const deployed = () => writeFileSync(join(dir, 'world.json'), '{}')

it('accepts a new folder and one of its format', () => {
  bringToFormat(dir, () => {})
  writeFormat(dir)
  deployed()
  bringToFormat(dir, () => {})
})

it('takes over a folder of format 2, whose archive it reads', () => {
  deployed()
  writeFileSync(join(dir, 'format.json'), '{"format":2}')
  bringToFormat(dir, () => {})
  expect(readFileSync(join(dir, 'format.json'), 'utf8')).toBe('{"format":3}\n')
})

it.each([
  [null, 'an older version of Pit (format 1;'],
  ['{"format":1000}', 'a newer version of Pit (format 1000;'],
])('refuses a deployed folder with format file %s and leaves it as it is', (format, message) => {
  deployed()
  if (format) writeFileSync(join(dir, 'format.json'), format)
  const files = readdirSync(dir)
  expect(() => bringToFormat(dir, () => {})).toThrow(StartRefused)
  expect(() => bringToFormat(dir, () => {})).toThrow(message)
  expect(() => bringToFormat(dir, () => {})).toThrow('mv .pit .pit.old')
  expect(readdirSync(dir)).toEqual(files)
})
