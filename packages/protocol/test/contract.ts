import { readFileSync } from 'node:fs'
import type { TSchema } from '@sinclair/typebox'

/** A field of a request, as the contract names it. */
export interface ContractField {
  readonly type: string
  readonly required: boolean | string
  readonly default: unknown
  readonly min?: number | string
  readonly max?: number | string
  readonly min_items?: number
  readonly max_length?: number
  readonly enum?: readonly unknown[]
  readonly refused_with?: string
  readonly call?: string
}

export interface ContractRoute {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly auth: string
  readonly status: number
  readonly strict_fields: boolean
  readonly strict_query?: boolean
  readonly sanctioned_key_allowed?: boolean
  readonly query: { readonly [name: string]: ContractField }
  readonly body: { readonly [name: string]: ContractField }
  readonly answer: readonly string[]
  readonly answer_switch_on?: readonly string[]
  readonly answer_when?: { readonly [path: string]: string }
  readonly errors: readonly string[]
  readonly errors_inferred?: readonly string[]
  readonly error_status?: { readonly [code: string]: number | readonly number[] | null }
  readonly rate: readonly string[]
}

export interface ContractError {
  readonly code: string
  readonly statuses: readonly number[]
  readonly group: string
  readonly extras: readonly string[]
  readonly extras_fast?: readonly string[]
  readonly retry: string | null
  readonly retry_after_s?: number
}

/** The public contract as data: a copy, with the day it was made. */
export interface Contract {
  readonly copied: string
  readonly formats: { readonly [name: string]: unknown }
  readonly routes: readonly ContractRoute[]
  readonly common_errors: { readonly [code: string]: string }
  readonly errors: readonly ContractError[]
  readonly resources: { readonly [name: string]: readonly string[] }
  readonly value_sets: { readonly [name: string]: readonly unknown[] }
  readonly numbers: { readonly [name: string]: unknown }
  readonly rate_limits: readonly {
    readonly id: string
    readonly per: readonly string[]
    readonly burst: number | null
    readonly rate_per_s: number | null
    readonly retry_after_s?: number
  }[]
  readonly states: { readonly [name: string]: readonly (readonly (string | null)[])[] }
  readonly state_errors: { readonly [name: string]: { readonly [state: string]: readonly string[] } }
  readonly fast_rules_in_order: readonly string[]
  readonly hold_codes: readonly string[]
  readonly ai_hold_codes: readonly string[]
  readonly ai_error_codes_refused_answer: readonly string[]
  readonly ai_error_codes_failed_call: readonly string[]
  readonly league_hold_codes: readonly string[]
  readonly client_errors: readonly string[]
  readonly client_fast_fallback_errors: readonly string[]
  readonly client_verification_rules: readonly string[]
}

export const CONTRACT = JSON.parse(
  readFileSync(new URL('../contract.json', import.meta.url), 'utf8'),
) as Contract

type Node = TSchema & {
  anyOf?: Node[]
  forms?: Node[]
  type?: string
  items?: Node
  properties?: { [name: string]: Node }
  patternProperties?: { [pattern: string]: Node }
  additionalProperties?: Node | boolean
  required?: string[]
  shown?: Node
}

/** The schemas an answer may have: its variants, without null. */
const variantsOf = (schema: Node): Node[] => {
  if (schema.anyOf) return schema.anyOf.flatMap(variantsOf)
  return schema.type === 'null' ? [] : [schema]
}

/** A contract path such as `rows[].fee.bps` or `tokens.<symbol>.kind`. */
const stepsOf = (path: string): string[] =>
  path
    .replaceAll('[]', '.[]')
    .split('.')
    .filter((step) => step !== '')

export type Presence = 'missing' | 'optional' | 'required'

/** Whether an answer's schema has a path; `optional` if an answer of its form may have the parent without it. */
export function presenceOf(schema: TSchema, path: string): Presence {
  let nodes = variantsOf(schema as Node)
  let presence: Presence = 'required'
  for (const step of stepsOf(path)) {
    const next: Node[] = []
    for (const node of nodes) {
      const child = childOf(node, step)
      // Another form of the answer.
      if (child === undefined) continue
      const isNamed = step !== '[]' && !step.startsWith('<')
      if (isNamed && node.properties && !node.required?.includes(step)) presence = 'optional'
      next.push(...variantsOf(child))
    }
    if (next.length === 0) return nodes.some((node) => childOf(node, step)) ? presence : 'missing'
    nodes = next
  }
  return presence
}

function childOf(node: Node, step: string): Node | undefined {
  if (step === '[]') return node.items
  const named = node.properties?.[step === '<pool>' ? 'pool' : step]
  if (named) return named
  const [pattern] = Object.values(node.patternProperties ?? {})
  if (pattern) return pattern
  if (step.startsWith('<')) {
    const [first] = Object.values(node.properties ?? {})
    if (first) return first
  }
  return typeof node.additionalProperties === 'object' ? node.additionalProperties : undefined
}

/** The schemas a request field may have: one, or one for each form of its object. */
export const fieldsOf = (schema: TSchema, name: string): Node[] =>
  variantsOf(schema as Node).flatMap((node) => node.properties?.[name] ?? [])
export const isRequired = (schema: TSchema, name: string): boolean =>
  variantsOf(schema as Node).every((node) => node.required?.includes(name) ?? false)

/** Paths of the contract that an answer lacks although it has their parents; empty lists have no members. */
export function missingIn(answer: unknown, paths: readonly string[]): string[] {
  return paths.filter((path) => {
    let values: unknown[] = [answer]
    for (const step of stepsOf(path)) {
      const parents = values.filter((value) => value !== null && value !== undefined)
      const next = parents.flatMap((parent): unknown[] => {
        if (step === '[]') return Array.isArray(parent) ? parent : [undefined]
        if (step.startsWith('<') && step !== '<pool>') return Object.values(parent as object)
        return [(parent as { [name: string]: unknown })[step === '<pool>' ? 'pool' : step]]
      })
      if (next.includes(undefined)) return true
      values = next
    }
    return false
  })
}
