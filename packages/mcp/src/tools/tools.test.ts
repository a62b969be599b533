import { existsSync } from 'node:fs'
import { ROUTES, visibleText } from '@pit/protocol'
import { expect, it } from 'vitest'
import { DOCS } from '../resources.ts'
import { TOOLSETS } from '../tool.ts'
import { TOOLS } from './index.ts'

it('every tool has a unique name, and every toolset has tools', () => {
  expect(new Set(TOOLS.map(({ name }) => name)).size).toBe(TOOLS.length)
  expect(new Set(TOOLS.map(({ toolset }) => toolset))).toEqual(new Set(TOOLSETS))
})

it('read tools use only routes that change nothing', () => {
  const acting = TOOLS.filter(({ effect }) => effect === 'reads')
    .flatMap(({ routes }) => routes)
    .filter((id) => ROUTES[id].method !== 'GET' && id !== 'live.quote')
  expect(acting).toEqual([])
})

it('every tool that trades has a client id, and none has a confirmation or risk parameter', () => {
  for (const { name, input } of TOOLS) {
    const fields = Object.keys(input.properties)
    const isTrade = fields.includes('notional_usd') && !['quote_trade', 'rehearse_trade'].includes(name)
    if (isTrade) expect(fields, name).toContain('client_id')
    expect(
      fields.filter((field) => /confirm|accept|risk|attest|slippage|amount/.test(field)),
      name,
    ).toEqual([])
  }
})

it('trade parameters have the names of the API', () => {
  const fields = ['token_in', 'token_out', 'notional_usd']
  for (const name of ['quote_trade', 'place_trade', 'trade_in_session'])
    expect(Object.keys(TOOLS.find((tool) => tool.name === name)!.input.properties)).toEqual(
      expect.arrayContaining(fields),
    )
})

it('exactly the tools that commit ask for confirmation', () => {
  for (const { name, effect, confirm } of TOOLS)
    expect(confirm !== undefined, name).toBe(effect === 'commits')
})

it('a paper agent requires only a brain and a client id', () => {
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
])('shows untrusted text in one visible line: %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown)
})
