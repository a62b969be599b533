import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DECISION_SCHEMA, DecisionOrder, RULE_BRAINS, type RuleBrain } from '@pit/brains'
import { AI_FAILED_CALL_CODES, AI_HOLD_CODES, AI_REFUSED_ANSWER_CODES, WEBHOOK_CODES } from '@pit/protocol'
import type { TSchema } from '@sinclair/typebox'
import { expect, it } from 'vitest'
import { signDelivery } from './webhook/deliver.ts'

const text = readFileSync(
  fileURLToPath(new URL('../../../../docs/reference/brains.md', import.meta.url)),
  'utf8',
)
const blocks = [...text.matchAll(/```\n([^`]*)\n```/g)].map((match) => match[1] ?? '')

it.each(Object.values(RULE_BRAINS))(
  'docs/reference/brains.md lists the params of $name as its schema has them',
  (brain) => {
    expect(text).toContain(`### ${brain.name}\n\n${brain.summary}\n\n${paramsTable(brain)}\n`)
  },
)

it('its signature example verifies', () => {
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

it('it lists the required fields of a decision', () => {
  const { required, properties } = DECISION_SCHEMA
  const names = [
    ...Object.keys(properties).map((name) => [name, required?.includes(name as never)] as const),
    ...Object.keys(DecisionOrder.properties).map((name) => [`orders[].${name}`, true] as const),
  ]
  for (const [name, isRequired] of names)
    expect(text).toContain(`| \`${name}\` | ${isRequired ? 'required' : 'optional'} |`)
  expect(DecisionOrder.required).toEqual(['pair', 'side', 'usd', 'reason'])
})

it('it explains every webhook and model code', () => {
  for (const table of [AI_HOLD_CODES, AI_REFUSED_ANSWER_CODES, AI_FAILED_CALL_CODES, WEBHOOK_CODES])
    for (const code of Object.keys(table)) expect(text).toContain(code)
})

/** A brain's params as a Markdown table generated from its schema. */
function paramsTable({ paramsSchema }: RuleBrain): string {
  const properties = paramsSchema['properties'] as Record<string, TSchema>
  const rows = Object.entries(properties).map(
    ([name, schema]) =>
      `| \`${name}\` | ${byDefault(schema)} | ${range(schema)} | ${schema['description']} |`,
  )
  return ['| param | default | takes | what it does |', '|---|---|---|---|', ...rows].join('\n')
}

const byDefault = (schema: TSchema): string =>
  schema['default'] === undefined ? 'none' : `\`${String(schema['default'])}\``

function range(schema: TSchema): string {
  if (Array.isArray(schema['anyOf'])) {
    return (schema['anyOf'] as TSchema[]).map((option) => `\`${option['const']}\``).join(' or ')
  }
  if (schema['type'] === 'object') return 'an object of numbers from 0 to 100'
  const numbers = schema['type'] === 'integer' ? 'whole numbers' : 'numbers'
  return `${numbers} from ${schema['minimum']} to ${schema['maximum']}`
}
