import { describe, expect, it } from 'vitest'
import { ERRORS } from '../errors/table.ts'
import { ROUTE_IDS, routeById } from '../routes/table.ts'
import { checkWith, withDefaults } from '../validate.ts'
import { errorsDoc } from './errorsDoc.ts'
import { exampleBody } from './example.ts'
import type { Json, JsonObject } from './jsonSchema.ts'
import { llmsText } from './llms.ts'
import { openApi } from './openapi.ts'

const SITE = { version: '0.1.0', serverUrl: 'http://127.0.0.1:4663' }
const document = JSON.parse(JSON.stringify(openApi(SITE))) as JsonObject

function everyRef(node: Json, found: string[] = []): string[] {
  if (Array.isArray(node)) for (const item of node) everyRef(item, found)
  else if (node !== null && typeof node === 'object') {
    for (const [key, value] of Object.entries(node)) {
      if (key === '$ref') found.push(value as string)
      else everyRef(value, found)
    }
  }
  return found
}
const at = (path: string): Json | undefined =>
  path
    .replace('#/', '')
    .split('/')
    .reduce<Json | undefined>((node, key) => (node as JsonObject | undefined)?.[key], document)

describe('openApi', () => {
  it('has every route once, with its statuses', () => {
    const paths = document['paths'] as { [path: string]: { [method: string]: JsonObject } }
    for (const id of ROUTE_IDS) {
      const route = routeById(id)
      const operation = paths[route.path.replace(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()]
      expect(operation?.['operationId']).toBe(id.replaceAll('.', '_'))
      expect(operation?.['responses']).toHaveProperty([String(route.status)])
      const limited = operation?.['responses'] as { 429: { $ref: string } } | undefined
      expect(at(limited?.[429].$ref ?? '')).toHaveProperty(['headers', 'Retry-After'])
      expect(operation?.['x-ours'] ?? false).toBe(route.ours)
    }
    expect(Object.values(paths).flatMap((methods) => Object.keys(methods))).toHaveLength(ROUTE_IDS.length)
  })

  it('refers only to what it holds', () => {
    const refs = everyRef(document)
    expect(refs.length).toBeGreaterThan(100)
    for (const ref of new Set(refs)) expect(at(ref), ref).toBeTypeOf('object')
  })

  it('does not ask for fields that have a default, and wants exactly one size', () => {
    const quote = at('#/paths')?.['/api/v1/live/quote' as never] as unknown as { post: JsonObject }
    const body = quote.post['requestBody'] as { content: { 'application/json': { schema: JsonObject } } }
    expect(body.content['application/json'].schema).toMatchObject({
      required: ['token_in', 'token_out'],
      oneOf: [{ required: ['notional_usd'] }, { required: ['amount_in'] }],
      properties: { shield: { type: 'boolean', default: false } },
    })
  })

  it('keeps our own keywords to itself', () => {
    expect(JSON.stringify(document)).not.toMatch(/"(exactlyOne|chosenBy)"/)
  })
})

describe('examples', () => {
  it.each(ROUTE_IDS.filter((id) => routeById(id).takesBody))('%s takes its own example', (id) => {
    const { body } = routeById(id)
    const text = JSON.stringify(exampleBody(routeById(id)))
    const filled = text.replaceAll('"0x…"', `"0x${'11'.repeat(65)}"`).replaceAll('"0x02f8…"', '"0x02f8"')
    expect(checkWith(body, withDefaults(body, JSON.parse(filled) as object))).toEqual({ ok: true })
  })
})

describe('texts', () => {
  it('names every code in errors.md and every route in llms.txt', () => {
    const errors = errorsDoc()
    for (const code of Object.keys(ERRORS)) expect(errors).toContain(`| \`${code}\` |`)
    const llms = llmsText()
    for (const id of ROUTE_IDS) expect(llms).toContain(`${routeById(id).method} ${routeById(id).path} `)
  })
})
