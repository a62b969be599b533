import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openStamps } from './buildStamps.mjs'

let folder: string
const at = (name: string) => join(folder, name)
const entries = () => ({ one: at('one.ts'), two: at('two.ts') })
const open = () => openStamps({ file: at('stamps.json'), outdir: folder, shared: [at('lock')] })

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pit-stamps-'))
  for (const name of ['lock', 'one.ts', 'two.ts', 'used.ts', 'one.js', 'two.js'])
    writeFileSync(at(name), name)
  const imports = (...paths: string[]) => ({ imports: paths.map((path) => ({ path })) })
  open().record(entries(), {
    inputs: { [at('one.ts')]: imports(at('used.ts')), [at('two.ts')]: imports(), [at('used.ts')]: imports() },
    outputs: {
      'one.js': {
        entryPoint: at('one.ts'),
        inputs: {
          [at('one.ts')]: { bytesInOutput: 1 },
          'node_modules/@scope/in/a.js': { bytesInOutput: 1 },
          'node_modules/shaken/a.js': { bytesInOutput: 0 },
        },
      },
    },
  })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const stale = () => Object.keys(open().stale(entries()))

it('keeps bundles whose sources are the same', () => {
  expect(stale()).toEqual([])
})

it('rebuilds a bundle when a source of it changes, goes, or its output is missing', () => {
  writeFileSync(at('used.ts'), 'other')
  expect(stale()).toEqual(['one'])
  rmSync(at('used.ts'))
  expect(stale()).toEqual(['one'])
  rmSync(at('two.js'))
  expect(stale()).toEqual(['one', 'two'])
})

it('rebuilds all when the installed packages change', () => {
  writeFileSync(at('lock'), 'other')
  expect(stale()).toEqual(['one', 'two'])
})

it('rebuilds after an interrupted build', () => {
  open().drop({ two: at('two.ts') })
  expect(stale()).toEqual(['two'])
})

it('notes the npm packages whose code a bundle has', () => {
  const stamps = JSON.parse(readFileSync(at('stamps.json'), 'utf8'))
  expect(stamps.one.packages).toEqual(['node_modules/@scope/in'])
  expect(stamps.two.packages).toEqual([])
})
