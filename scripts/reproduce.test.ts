import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { digestOf, hashFiles, reproduce } from './reproduce.mjs'
import { createSbom } from './sbom.mjs'

it('builds identical bundles and pages from one commit in two folders', () => {
  // Every bundle: node scripts/reproduce.mjs, which a release runs.
  const { files, different, digest } = reproduce('HEAD', ['--clean', '--quiet', '--only=pit,signer,web'])
  expect(different).toEqual([])
  expect(files).toBeGreaterThan(10)
  expect(digest).toMatch(/^[0-9a-f]{64}$/)
}, 300_000)

it('writes the same bill of materials twice', () => {
  expect(createSbom()).toBe(createSbom())
})

it('prints a digest that sha256sum confirms', () => {
  const files = hashFiles('profiles')
  const lines = execFileSync('sh', [
    '-c',
    "cd profiles && find . -type f | sed 's|^./||' | sort | xargs sha256sum",
  ])
  const digest = execFileSync('sha256sum', { input: lines, encoding: 'utf8' })
  expect(digest.slice(0, 64)).toBe(digestOf(files))
})
