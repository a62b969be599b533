import type { TSchema } from '@sinclair/typebox'
import type { RuleBrain } from './types.ts'

/** A brain's params as a table of Markdown, made from its schema so that no page can say otherwise. */
export function paramsTable({ paramsSchema }: RuleBrain): string {
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
