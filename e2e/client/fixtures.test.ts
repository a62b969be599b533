import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { distinct, type Fixture } from './fixtures/format.ts'
import { replay } from './fixtures/replay.ts'

// The golden fixtures with our client: it signs exactly the recorded bytes and refuses every lie.

const read = (name: string) => JSON.parse(readFileSync(`fixtures/${name}`, 'utf8'))
const world = { pins: read('pins.json'), config: read('config-answer.json') }
const names = readdirSync('fixtures').filter(
  (name) => name.endsWith('.json') && !['pins.json', 'config-answer.json'].includes(name),
)

it('include every kind', () => {
  const all = names.map((name) => read(name) as Fixture)
  expect(new Set(all.flatMap(({ sign }) => sign.map(({ kind }) => kind)))).toEqual(
    new Set(['message', 'typed_data', 'transaction', 'authorization']),
  )
  const lies = all.flatMap(({ refuse }) => refuse)
  console.log(`${all.length} fixtures, ${lies.length} lies`)
  expect(lies.length).toBeGreaterThan(70)
})

describe.each(names)('%s', (name) => {
  const fixture = read(name) as Fixture

  it('is signed as recorded', async () => {
    const { signed, refused } = await replay(fixture, world)
    expect(refused).toBeNull()
    expect(signed).toEqual(fixture.sign)
  })

  it.each(fixture.refuse.map((refusal) => [refusal.lie, refusal] as const))(
    'refuses: %s',
    async (_, refusal) => {
      const { signed, refused } = await replay(fixture, world, refusal)
      expect(refused).toEqual({ code: refusal.code, rule: refusal.rule })
      // A plan that the market may have overtaken is requested again, and its permit signed again.
      expect(distinct(signed)).toEqual(fixture.sign.slice(0, refusal.signs))
    },
  )
})
