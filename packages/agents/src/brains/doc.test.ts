import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AI_FAILED_CALL_CODES, AI_HOLD_CODES, AI_REFUSED_ANSWER_CODES, WEBHOOK_CODES } from '@pit/protocol'
import { expect, it } from 'vitest'
import { paramsTable, RULE_BRAINS } from '../decide/index.ts'
import { signDelivery } from './webhook/deliver.ts'

const text = readFileSync(fileURLToPath(new URL('../../../../docs/brains.md', import.meta.url)), 'utf8')
const blocks = [...text.matchAll(/```\n([^`]*)\n```/g)].map((match) => match[1] ?? '')

it.each(Object.values(RULE_BRAINS))(
  'docs/brains.md lists the params of $name as its schema has them',
  (brain) => {
    expect(text).toContain(`### ${brain.name}\n\n${brain.summary}\n\n${paramsTable(brain)}\n`)
  },
)

it('its signature example is right', () => {
  const at = blocks.indexOf('whsec_example')
  const [secret = '', timestamp = '', body = '', signature] = blocks.slice(at, at + 4)
  expect(signDelivery(secret, Number(timestamp), body)).toBe(signature)
  expect(Object.keys(JSON.parse(body) as object)).toEqual([
    'delivery',
    'agent',
    'at',
    'market',
    'book',
    'limits',
    'state',
  ])
})

it('it explains every code of webhooks and models', () => {
  for (const table of [AI_HOLD_CODES, AI_REFUSED_ANSWER_CODES, AI_FAILED_CALL_CODES, WEBHOOK_CODES])
    for (const code of Object.keys(table)) expect(text).toContain(code)
})
