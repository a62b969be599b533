import { expect, it } from 'vitest'
import { findPage } from './paths.ts'

it.each([
  ['/', '/', {}],
  ['/league/', '/league', {}],
  ['/league/3', '/league/:season', { season: '3' }],
  ['/tokens/0xAb%20', '/tokens/:address', { address: '0xAb ' }],
  ['/tx/0xab', '/tx/:hash', { hash: '0xab' }],
  ['/tokens/%zz', '/tokens/:address', { address: '%zz' }],
])('%s is the page %s', (path, page, params) => {
  expect(findPage(path)).toEqual({ page, params })
})

it.each(['/nowhere', '/tokens/', '/agents/a/b'])('%s is none, or the page above it', (path) => {
  expect(findPage(path)?.page ?? null).toBe(path === '/tokens/' ? '/tokens' : null)
})
