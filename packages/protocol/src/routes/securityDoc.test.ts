import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { PLACES } from './places.ts'
import { ROUTE_IDS, routeById } from './table.ts'

it('SECURITY.md names every call of a stolen key that can change something', () => {
  const text = readFileSync(new URL('../../../../SECURITY.md', import.meta.url), 'utf8')
  const section = text.split('### A stolen API key')[1]!.split('\n### ')[0]!
  const calls = [...section.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell]) => [
    ...cell!.matchAll(/`([^`]+)`/g),
  ])
  const named = calls.map(([, path]) => path)
  const writing = ROUTE_IDS.filter((id) => {
    const { method, auth } = routeById(id)
    return method === 'POST' && auth !== 'none' && auth !== 'signature'
  })
  expect(named.toSorted()).toEqual(writing.map((id) => PLACES[id].path).toSorted())
})
