import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartRefused } from '@pit/platform/settings'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkFormat, writeFormat } from './stateFormat.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pit-format-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const deployed = () => writeFileSync(join(dir, 'world.json'), '{}')

it('accepts a new folder and one of its format', () => {
  checkFormat(dir)
  writeFormat(dir)
  deployed()
  checkFormat(dir)
})

it.each([
  [null, 'an older version of Pit (format 1;'],
  ['{"format":1000}', 'a newer version of Pit (format 1000;'],
])('refuses a deployed folder with format file %s and leaves it as it is', (format, message) => {
  deployed()
  if (format) writeFileSync(join(dir, 'format.json'), format)
  const files = readdirSync(dir)
  expect(() => checkFormat(dir)).toThrow(StartRefused)
  expect(() => checkFormat(dir)).toThrow(message)
  expect(() => checkFormat(dir)).toThrow('mv .pit .pit.old')
  expect(readdirSync(dir)).toEqual(files)
})
