import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { nextVersion, parseChange, withSection, withVersion } from './changes.mjs'

it('reads every change of the repository', () => {
  for (const file of readdirSync('.changeset').filter((name) => name !== 'README.md'))
    expect(parseChange(file, readFileSync(`.changeset/${file}`, 'utf8')).summary).toMatch(/\.$/)
})

it.each([
  '',
  'pit: minor\n',
  '---\npit: huge\n---\nText',
  '---\npit: minor\n---\n\n',
  '---\nother: minor\n---\nText',
])('rejects %j', (text) => {
  expect(() => parseChange('x.md', text)).toThrow('x.md is not a change')
})

it.each([
  ['0.1.0', ['patch'], '0.1.1'],
  ['0.1.3', ['patch', 'minor'], '0.2.0'],
  ['0.2.0', ['major'], '0.3.0'],
  ['1.2.3', ['minor', 'patch'], '1.3.0'],
  ['1.2.3', ['patch', 'major'], '2.0.0'],
] as const)('goes from %s by %j to %s', (version, levels, next) => {
  const changes = levels.map((level) => ({ level }))
  expect(nextVersion(version, changes)).toBe(next)
})

it('puts the new section on top of the changelog', () => {
  const changes = [{ level: 'minor', summary: 'Limit orders.' }] as const
  const text = withSection('# Changelog\n\n## 0.1.0\n- Old.\n', {
    version: '0.2.0',
    date: '2026-11-18',
    changes,
  })
  expect(text).toBe('# Changelog\n\n## 0.2.0 (2026-11-18)\n- Limit orders.\n\n## 0.1.0\n- Old.\n')
})

it('releases the lines of an unreleased section', () => {
  const changes = [{ level: 'minor', summary: 'First release.' }] as const
  const text = withSection('# Changelog\n\n## 0.1.0 (unreleased)\n- Trades.\n- Costs $1.\n', {
    version: '0.2.0',
    date: '2026-11-18',
    changes,
  })
  expect(text).toBe('# Changelog\n\n## 0.2.0 (2026-11-18)\n- First release.\n- Trades.\n- Costs $1.\n')
})

it('gives a package and its packages of the workspace one version', () => {
  const manifest = {
    name: '@pit/a',
    version: '0.1.0',
    private: true,
    dependencies: { '@pit/b': '0.1.0', viem: '2.57.1' },
    devDependencies: { '@pit/c': '0.1.0' },
  }
  expect(withVersion(manifest, '0.2.0')).toEqual({
    ...manifest,
    version: '0.2.0',
    dependencies: { '@pit/b': '0.2.0', viem: '2.57.1' },
    devDependencies: { '@pit/c': '0.2.0' },
  })
  expect(Object.keys(withVersion(manifest, '0.2.0'))).toEqual(Object.keys(manifest))
})

it('has one version in all manifests', () => {
  const versionOf = (file: string) => JSON.parse(readFileSync(file, 'utf8')).version as string
  const version = versionOf('package.json')
  for (const name of readdirSync('packages'))
    expect(versionOf(`packages/${name}/package.json`), name).toBe(version)
  expect(readFileSync('python/pyproject.toml', 'utf8')).toContain(`\nversion = "${version}"\n`)
  expect(readFileSync('python/pit_client/__init__.py', 'utf8')).toContain(`__version__ = "${version}"`)
})
