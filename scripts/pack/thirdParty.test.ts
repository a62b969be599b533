import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { noticeOf, thirdParty } from './thirdParty.mjs'

const packages = thirdParty()

it('ships every package’s licence text, and names its version and files in NOTICE', () => {
  expect(packages.length).toBeGreaterThan(6)
  const notice = noticeOf(packages)
  for (const { name, version, license, source, files, about } of packages) {
    expect(about.filter((file) => /LICENSE/.test(file)).length, name).toBeGreaterThan(0)
    expect(notice).toContain(`${name} ${version}: ${license} (`)
    expect(source).toMatch(/^https:\/\/github\.com\//)
    for (const file of files) expect(notice).toContain(`  ${file}\n`)
  }
})

it('names the terms of every licence that is not permissive', () => {
  const strict = packages
    .filter(({ license }) => license !== 'MIT')
    .map(({ name, license }) => [name, license])
  expect(strict.sort()).toEqual([
    ['@uniswap/universal-router', 'GPL-2.0-or-later'],
    ['@uniswap/v2-core', 'GPL-3.0-or-later'],
    ['@uniswap/v2-periphery', 'GPL-3.0-or-later'],
    ['@uniswap/v3-core', 'BUSL-1.1'],
    ['@uniswap/v3-periphery', 'GPL-2.0-or-later'],
    ['@uniswap/v4-core', 'BUSL-1.1'],
  ])
})

it('has no such file in the repository', () => {
  const sources = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n')
  const names = packages.flatMap(({ files }) => files.map((file) => file.split('/').at(-1)))
  expect(sources.filter((file) => file.endsWith('.json') && names.includes(file.split('/').at(-1)))).toEqual(
    [],
  )
})
