import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { licencesOf, packagesOf } from './licences.mjs'

const folder = mkdtempSync(join(tmpdir(), 'pit-licences-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function packageOf(name: string, files: Record<string, string>, license = 'MIT'): string {
  const path = join(folder, name)
  mkdirSync(path, { recursive: true })
  const repository = { url: `https://example.org/${name}` }
  writeFileSync(join(path, 'package.json'), JSON.stringify({ name, version: '1.2.3', license, repository }))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
  return path
}

it('finds the package of a bundled file', () => {
  const files = ['a/b.ts', 'node_modules/x/lib/i.js', 'node_modules/x/j.js', 'p/node_modules/@s/y/i.js']
  expect(packagesOf(files)).toEqual(['node_modules/x', 'p/node_modules/@s/y'])
})

it('has the licence and the notice of each package', () => {
  const both = packageOf('both', { 'license.md': 'Terms of both', NOTICE: 'Notice of both' })
  const readme = '# x\n## License\nCopyright A\n\nPermission to use is hereby granted.\n\n## More\nrest\n'
  const text = licencesOf([both, packageOf('documented', { 'README.md': readme }), both])
  expect(text.split('both 1.2.3: MIT')).toHaveLength(2)
  for (const part of ['Terms of both', 'Notice of both', 'documented 1.2.3: MIT\n\nCopyright A\n'])
    expect(text).toContain(part)
  expect(text).not.toContain('rest')
})

it('refuses a package without a licence text, and a licence that is not permissive', () => {
  const bare = packageOf('bare', { 'README.md': '## License\nMIT\n' })
  expect(() => licencesOf([bare])).toThrow(
    'bare 1.2.3, which is bundled, ships no licence text: copy LICENSE of https://example.org/bare to ' +
      'scripts/pack/licences/bare.txt.',
  )
  expect(() => licencesOf([packageOf('strict', { LICENSE: 'x' }, 'GPL-3.0')])).toThrow('is licensed GPL-3.0')
})
