import { checkWith, ERRORS, ROUTE_IDS, routeById, withDefaults } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
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
function walk(node: Json, see: (node: JsonObject, path: string) => void, path = ''): void {
  if (Array.isArray(node)) for (const [i, item] of node.entries()) walk(item, see, `${path}/${i}`)
  else if (node !== null && typeof node === 'object') {
    see(node, path)
    for (const [key, value] of Object.entries(node)) walk(value, see, `${path}/${key}`)
  }
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

  it('lists health’s own codes beside its answer', () => {
    const health = at('#/paths')?.['/api/v1/health' as never] as unknown as {
      get: { responses: { 503: { content: { 'application/json': { schema: { anyOf: JsonObject[] } } } } } }
    }
    const [answer, refused] = health.get.responses[503].content['application/json'].schema.anyOf
    expect(answer).toEqual({ $ref: expect.stringContaining('/schemas/') })
    const codes: Json[] = []
    walk(refused!, (node, path) => {
      if (path.endsWith('/code')) codes.push(...(node['enum'] as Json[]))
    })
    expect(codes).toEqual(['ENGINE_UNAVAILABLE'])
  })

  it('marks codes that only the contract names for a route', () => {
    for (const id of ROUTE_IDS) {
      const { path, method, byContract } = routeById(id)
      const marked: Json[] = []
      const operation = (at('#/paths') as JsonObject)[path.replace(/:(\w+)/g, '{$1}')] as JsonObject
      const { responses } = operation[method.toLowerCase()] as { responses: JsonObject }
      for (const response of Object.values(responses) as { $ref?: string }[]) {
        const { 'x-by-contract': named = [] } = (response.$ref ? at(response.$ref) : response) as JsonObject
        marked.push(...(named as Json[]))
      }
      expect(new Set(marked), id).toEqual(new Set(byContract))
    }
  })

  it('has no dangling references', () => {
    const refs = everyRef(document)
    expect(refs.length).toBeGreaterThan(100)
    for (const ref of new Set(refs)) expect(at(ref), ref).toBeTypeOf('object')
  })

  it('does not require fields with a default, and requires exactly one size', () => {
    const quote = at('#/paths')?.['/api/v1/live/quote' as never] as unknown as { post: JsonObject }
    const body = quote.post['requestBody'] as { content: { 'application/json': { schema: JsonObject } } }
    const shield = { type: 'boolean', default: false }
    expect(body.content['application/json'].schema).toMatchObject({
      oneOf: [
        { required: ['token_in', 'token_out', 'notional_usd'], properties: { shield, amount_in: false } },
        { required: ['token_in', 'token_out', 'amount_in'], properties: { shield, notional_usd: false } },
      ],
    })
  })

  it('describes nullable fields beside their choice, not inside it', () => {
    const lost: string[] = []
    walk(document, (node, path) => {
      const choices = node['anyOf'] as JsonObject[] | undefined
      if (!choices?.some(({ type }) => type === 'null')) return
      if (choices.some((choice) => choice['description'] !== undefined)) lost.push(path)
    })
    expect(lost).toEqual([])
  })

  it('has no open objects except those filled by third parties', () => {
    const open = new Set<string>()
    walk(document, (node, path) => {
      const isOpen = node['additionalProperties'] === true || node['patternProperties'] !== undefined
      if (isOpen) open.add(path.replace(/.*\/properties\//, '').replace(/\/anyOf\/\d$/, ''))
    })
    expect([...open]).toEqual(['brain_state', expect.stringMatching(/openapi\.json.*schema$/)])
  })

  it('does not publish our own keywords', () => {
    expect(JSON.stringify(document)).not.toMatch(/"(exactlyOne|chosenBy|forms|shown)":/)
  })
})

describe('examples', () => {
  it.each(ROUTE_IDS.filter((id) => routeById(id).takesBody))('%s takes its own example', (id) => {
    const { body } = routeById(id)
    expect(checkWith(body, withDefaults(body, exampleBody(routeById(id))))).toEqual({ ok: true })
  })
})

describe('texts', () => {
  it('names every code in errors.md and every route in llms.txt', () => {
    const errors = errorsDoc()
    for (const code of Object.keys(ERRORS)) expect(errors).toContain(`| \`${code}\` |`)
    for (const limit of [
      '`health.address`: 60, then 2 a second',
      'up to 5 for each client address',
      '100 in total',
    ])
      expect(errors).toContain(limit)
    const llms = llmsText()
    for (const id of ROUTE_IDS) expect(llms).toContain(`${routeById(id).method} ${routeById(id).path} `)
  })
})
