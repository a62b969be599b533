import { existsSync } from 'node:fs'
import { ROUTES } from '@pit/protocol'
import { expect, it } from 'vitest'
import { DOCS } from '../resources.ts'
import { TOOLSETS } from '../tool.ts'
import { untrusted } from '../untrusted.ts'
import { TOOLS } from './index.ts'

it('tools have names of their own, in every toolset', () => {
  expect(new Set(TOOLS.map(({ name }) => name)).size).toBe(TOOLS.length)
  expect(new Set(TOOLS.map(({ toolset }) => toolset))).toEqual(new Set(TOOLSETS))
})

it('a tool that reads reaches no route that changes anything', () => {
  const acting = TOOLS.filter(({ effect }) => effect === 'reads')
    .flatMap(({ routes }) => routes)
    .filter((id) => ROUTES[id].method !== 'GET' && id !== 'live.quote')
  expect(acting).toEqual([])
})

it('every tool that trades takes a client id, and none a confirmation or a risk', () => {
  for (const { name, input } of TOOLS) {
    const fields = Object.keys(input.properties)
    if (fields.includes('notional_usd') && name !== 'quote_trade') expect(fields, name).toContain('client_id')
    expect(
      fields.filter((field) => /confirm|accept|risk|attest|slippage|amount/.test(field)),
      name,
    ).toEqual([])
  }
})

it('parameters of a trade are named as the API names them', () => {
  const fields = ['token_in', 'token_out', 'notional_usd']
  for (const name of ['quote_trade', 'place_trade', 'trade_in_session'])
    expect(Object.keys(TOOLS.find((tool) => tool.name === name)!.input.properties)).toEqual(
      expect.arrayContaining(fields),
    )
})

it('every tool that commits asks first, and no other does', () => {
  for (const { name, effect, confirm } of TOOLS)
    expect(confirm !== undefined, name).toBe(effect === 'commits')
})

it('a paper agent needs a brain and a client id, and nothing else', () => {
  const { input } = TOOLS.find(({ name }) => name === 'create_paper_agent')!
  expect(input.required).toEqual(['brain', 'client_id'])
})

it('every page it offers is there', () => {
  for (const name of Object.keys(DOCS)) expect(existsSync(`docs/reference/${name}.md`), name).toBe(true)
})

it.each([
  ['a\u0000b\u001b[31mc\u202ed\u2028e', 'a b [31mc d e'],
  ['  many\n\n\nlines\r\n', 'many lines'],
  ['\u200b\u200d\ufeff', ''],
  ['x'.repeat(80), `${'x'.repeat(64)}…`],
  ['\ud800', ''],
  ['Ünïcode 代币', 'Ünïcode 代币'],
])('shows strangers’ text in one line that can be seen: %j', (given, shown) => {
  expect(untrusted(given)).toBe(shown)
})
