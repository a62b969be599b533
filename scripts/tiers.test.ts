import { existsSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { isQuick, SLOW_FILES, STORE_FILES, STORIES } from './tiers.mjs'

it('has one story per capability in the quick tier', () => {
  expect(Object.keys(STORIES).sort()).toEqual([
    'agents',
    'client',
    'fast',
    'league',
    'market',
    'session',
    'trading',
    'treasury',
  ])
  expect(new Set(Object.values(STORIES)).size).toBe(8)
})

it.each([...Object.values(STORIES), ...STORE_FILES, ...SLOW_FILES])('%s exists', (file) => {
  expect(existsSync(file)).toBe(true)
})

it('has store tests of every package that has any in the quick tier', () => {
  for (const name of readdirSync('packages')) {
    const files = readdirSync(`packages/${name}/src`, { recursive: true, encoding: 'utf8' })
    if (!files.some((file) => file.endsWith('.db.test.ts'))) continue
    expect(STORE_FILES.filter((file) => file.startsWith(`packages/${name}/`) && isQuick(file))).not.toEqual(
      [],
    )
  }
})

it('leaves other stories and slow files to the full run', () => {
  expect(isQuick(STORIES['trading']!)).toBe(true)
  expect(isQuick('e2e/fleet.test.ts')).toBe(false)
  expect(isQuick(SLOW_FILES[0]!)).toBe(false)
  expect(isQuick('packages/protocol/src/anything.test.ts')).toBe(true)
})
