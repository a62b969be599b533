import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { nextVersion, parseChange, withSection } from './changes.mjs'

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
