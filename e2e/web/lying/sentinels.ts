import { type AnyRoute, ROUTE_IDS, ROUTES, type RouteId, routeById } from '@pit/protocol'
import type { Random } from '../../fuzz/random.ts'

type TSchema = AnyRoute['answer']

/**
 * Lies about answers, by the schema of their route: each changed field gets a value that its schema allows and that no
 * honest answer has, so that a page which shows it can be caught. Sometimes a value of another shape.
 */
export type Json = null | boolean | number | string | Json[] | { [field: string]: Json }

/** In every changed number and text; never in an honest one. */
export const DIGITS = '31337'
export const WORD = 'ZZLIE'
const LIAR = `0x${'3'.repeat(5)}${'1337'.repeat(8)}bad`

interface Place {
  keys: readonly (string | number)[]
  schema: TSchema | null
}

/** The route of a request; null for other files. */
export function routeOf(method: string, url: string): RouteId | null {
  const { pathname } = new URL(url)
  const matches = ROUTE_IDS.filter((id) => {
    const route = ROUTES[id]
    const pattern = route.path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')
    return route.method === method && new RegExp(`^${pattern}$`).test(pathname)
  })
  // A literal path comes before one with a parameter.
  return (
    matches.sort((a, b) => ROUTES[a].path.split(':').length - ROUTES[b].path.split(':').length)[0] ?? null
  )
}

/** Every leaf of an answer with the schema that allows it. */
export function placesIn(answer: Json, schema: TSchema | null, keys: Place['keys'] = []): Place[] {
  if (answer === null || typeof answer !== 'object') return [{ keys, schema }]
  if (Array.isArray(answer))
    return answer.flatMap((one, i) => placesIn(one, (schema?.['items'] as TSchema) ?? null, [...keys, i]))
  return Object.entries(answer).flatMap(([name, one]) =>
    placesIn(one, fieldOf(schema, name, answer), [...keys, name]),
  )
}

function fieldOf(schema: TSchema | null, name: string, owner: { [field: string]: Json }): TSchema | null {
  if (!schema) return null
  const property = (schema['properties'] as Record<string, TSchema> | undefined)?.[name]
  if (property) return property
  const maps = Object.values((schema['patternProperties'] as Record<string, TSchema> | undefined) ?? {})
  if (maps[0]) return maps[0]
  for (const option of [
    ...((schema['anyOf'] as TSchema[]) ?? []),
    ...((schema['forms'] as TSchema[]) ?? []),
  ]) {
    const inside = fieldOf(option, name, owner)
    if (inside) return inside
  }
  return null
}

/** Values that a schema names; empty if it does not enumerate them. */
function choicesOf(schema: TSchema | null): Json[] {
  if (!schema) return []
  if (Object.hasOwn(schema, 'const')) return [schema['const'] as Json]
  if (schema['enum']) return schema['enum'] as Json[]
  return ((schema['anyOf'] as TSchema[]) ?? []).flatMap(choicesOf)
}

const BROKEN: readonly Json[] = [{}, [], -1, 'x', true, { toString: 1 }, [[[]]], '\u202e\u001b[31m']

/** Another value for a field: of its schema, or of a wrong shape. */
function liedValue(value: Json, schema: TSchema | null, random: Random, breaks: boolean): Json {
  if (breaks) return random.pick(BROKEN)
  const others = choicesOf(schema).filter((one) => one !== value)
  if (typeof value === 'boolean') return !value
  if (others.length > 0 && typeof value === 'string') return random.pick(others)
  if (typeof value === 'number') return numberFor(schema, value)
  if (typeof value === 'string') return textFor(value)
  return value
}

function numberFor(schema: TSchema | null, value: number): number {
  const options = schema ? [schema, ...((schema['anyOf'] as TSchema[]) ?? [])] : []
  const most = Math.min(...options.map((one) => (one['maximum'] as number) ?? Number.POSITIVE_INFINITY))
  const candidate = Number.isInteger(value) ? Number(DIGITS) : Number(`${DIGITS}.73`)
  if (candidate <= most) return candidate
  // Too small a range for the sentinel: any other value in it.
  return value === most ? Math.max(0, value - 1) : most
}

function textFor(value: string): string {
  if (/^0x[0-9a-fA-F]{40}$/.test(value)) return LIAR
  if (/^0x[0-9a-fA-F]{64}$/.test(value)) return `0x${DIGITS}${value.slice(7)}`
  if (/^0x[0-9a-fA-F]*$/.test(value)) return value
  if (/^\d+$/.test(value)) return `${DIGITS}${'1337'.repeat(6)}`.slice(0, Math.max(5, value.length))
  return `${WORD} \u202e${value.slice(0, 8)}`
}

export interface Mutation {
  answer: Json
  /** Fields that differ now. */
  changed: string[]
}

/** Changes some leaves of an answer: each with this chance. */
export function mutate(
  id: RouteId | null,
  answer: Json,
  random: Random,
  { share, breaks }: { share: number; breaks: boolean },
): Mutation {
  const copy = structuredClone(answer)
  const changed: string[] = []
  const schema = id === null ? null : (routeById(id).answer as TSchema)
  for (const { keys, schema: own } of placesIn(copy, schema)) {
    if (keys.length === 0 || !random.chance(share)) continue
    let parent = copy as { [key: string]: Json }
    for (const key of keys.slice(0, -1)) parent = parent[key] as { [key: string]: Json }
    const last = keys.at(-1)!
    const before = parent[last] as Json
    const next = liedValue(before, own, random, breaks && random.chance(0.3))
    if (next === before) continue
    parent[last] = next
    changed.push(keys.join('.'))
  }
  return { answer: copy, changed }
}
