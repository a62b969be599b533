import {
  AI_FAILED_CALL_CODES,
  AI_HOLD_CODES,
  AI_REFUSED_ANSWER_CODES,
  HOLD_CODES,
  LEAGUE_HOLD_CODES,
} from '../src/errors/agentCodes.ts'
import {
  CLIENT_ERRORS,
  CLIENT_FAST_FALLBACK_ERRORS,
  CLIENT_VERIFICATION_RULES,
} from '../src/errors/clientCodes.ts'
import { FAST_RULES } from '../src/errors/fastRules.ts'
import { errorRow } from '../src/errors/pitError.ts'
import { ERRORS, type ErrorCode } from '../src/errors/table.ts'
import { BUCKETS, type Bucket, type BucketId } from '../src/rates.ts'
import type { RouteId } from '../src/routes/places.ts'
import type { Auth } from '../src/routes/route.ts'
import { type AnyRoute, ROUTE_IDS, routeById } from '../src/routes/table.ts'
import { checkWith } from '../src/validate.ts'
import { HOSTED_STATUSES, SESSION_STATUSES, TRADE_STATUSES } from '../src/values.ts'
import {
  type Contract,
  type ContractField,
  type ContractRoute,
  fieldsOf,
  isRequired,
  presenceOf,
} from './contract.ts'
import { VALUE_SETS } from './contractTables.ts'

const AUTH_OF: { readonly [auth: string]: Auth } = {
  none: 'none',
  key: 'key',
  'key(wallet)': 'wallet',
  'key(owner)': 'owner',
  'key(session)': 'session',
  'key(wallet when given)': 'wallet_when_given',
  signature: 'signature',
}

/** Every place where the route table differs from the contract, as `route: what`. */
export function routeDeviations({ routes }: Contract): string[] {
  const contractIds = new Set(routes.map(({ id }) => id))
  const deviations: string[] = []
  for (const route of routes) {
    if (!(ROUTE_IDS as readonly string[]).includes(route.id)) {
      deviations.push(`${route.id}: missing`)
      continue
    }
    const own = routeById(route.id as RouteId)
    deviations.push(...deviationsOf(route, own).map((what) => `${route.id}: ${what}`))
  }
  for (const id of ROUTE_IDS) {
    if (!contractIds.has(id) && !routeById(id).ours)
      deviations.push(`${id}: not in the contract and not marked as ours`)
  }
  return deviations
}

function deviationsOf(route: ContractRoute, own: AnyRoute): string[] {
  const deviations: string[] = []
  const say = (differs: boolean, what: string) => {
    if (differs) deviations.push(what)
  }
  say(own.ours, 'marked as ours')
  say(own.method !== route.method, `method ${own.method}`)
  say(own.path !== route.path.replace(/<(\w+)>/g, ':$1'), `path ${own.path}`)
  say(own.auth !== AUTH_OF[route.auth], `auth ${own.auth}`)
  say(own.status !== route.status, `status ${own.status}`)
  say(own.strictFields !== route.strict_fields, `unknown fields ${own.strictFields ? 'refused' : 'ignored'}`)
  say(
    own.strictQuery !== (route.strict_query ?? false),
    `unknown query fields ${own.strictQuery ? 'refused' : 'ignored'}`,
  )
  say(own.sanctionedKeyAllowed !== (route.sanctioned_key_allowed ?? false), 'keys of sanctioned wallets')
  for (const code of route.errors) say(!own.errors.includes(code as ErrorCode), `does not list ${code}`)
  for (const [code, status] of Object.entries(route.error_status ?? {})) {
    if (status === null || !own.errors.includes(code as ErrorCode)) continue
    const statuses = own.statusOf[code as ErrorCode] ?? [...errorRow(code as ErrorCode).statuses]
    say(!sameSet(statuses, [status].flat()), `${code} has status ${statuses.join(', ')}`)
  }
  const buckets = [...own.buckets, ...own.lateBuckets]
  for (const rate of route.rate) say(!buckets.includes(bucketOf(rate)), `not limited by ${rate}`)
  deviations.push(
    ...Object.entries(route.query).flatMap(([name, field]) =>
      fieldDeviations(own.query, `query ${name}`, field),
    ),
  )
  deviations.push(...Object.entries(route.body).flatMap(([name, field]) => bodyDeviations(own, name, field)))
  for (const path of route.answer) {
    const presence = presenceOf(own.answer, path)
    say(presence === 'missing', `no ${path} in the answer`)
    const isConditional = Object.keys(route.answer_when ?? {}).some(
      (when) => path === when || path.startsWith(`${when}.`),
    )
    say(presence === 'optional' && !isConditional, `${path} is not in every answer`)
  }
  for (const path of route.answer_switch_on ?? [])
    say(presenceOf(own.answer, path) === 'missing', `no ${path} in the answer`)
  return deviations
}

function bodyDeviations(own: AnyRoute, name: string, field: ContractField): string[] {
  if (field.refused_with !== undefined) {
    return own.refusedFields[name] === field.refused_with
      ? []
      : [`${name} is not refused with ${field.refused_with}`]
  }
  return fieldDeviations(own.body, name, field)
}

function fieldDeviations(schema: AnyRoute['body'], label: string, field: ContractField): string[] {
  const name = label.replace('query ', '')
  const nodes = fieldsOf(schema, name)
  if (nodes.length === 0) return [`does not take ${label}`]
  const deviations: string[] = []
  const say = (differs: boolean, what: string) => {
    if (differs) deviations.push(`${label} ${what}`)
  }
  if (field.required === true && field.call === undefined) say(!isRequired(schema, name), 'is optional')
  if (field.required === false) say(isRequired(schema, name), 'is required')
  const literal = field.default !== null && (typeof field.default !== 'string' || field.enum !== undefined)
  if (literal) {
    const defaults = nodes.map((node) => JSON.stringify(node['default']) ?? 'nothing')
    say(!defaults.includes(JSON.stringify(field.default)), `defaults to ${defaults.join(' or ')}`)
  }
  for (const value of field.enum ?? [])
    say(!nodes.some((node) => takes(node, value)), `does not take ${JSON.stringify(value)}`)
  for (const [key, bound] of [
    ['minimum', field.min],
    ['maximum', field.max],
    ['minItems', field.min_items],
    ['maxLength', field.max_length],
  ] as const) {
    if (typeof bound !== 'number') continue
    const own = nodes.map((node) => (node as { [key: string]: unknown })[key])
    say(
      own.some((value) => value !== undefined && value !== bound),
      `has ${key} ${own.join(', ')}`,
    )
  }
  return deviations
}

/** A list takes a value as its member. */
const takes = (node: AnyRoute['body'], value: unknown): boolean =>
  checkWith(node, value).ok || checkWith(node, [value]).ok

const BUCKET_PER = { client_address: 'address', overall: 'overall', key: 'key', caller: 'caller' } as const
/** The name of our bucket for a limit of the contract, such as `token_get_key/key`. */
export function bucketOf(rate: string): BucketId {
  const [id = '', per = ''] = rate.split('/')
  const name = id.replace(/_(key|address)$/, '')
  const scoped = `${name}.${BUCKET_PER[per as keyof typeof BUCKET_PER]}`
  return (scoped in BUCKETS ? scoped : id) as BucketId
}

/** Every place where the error table differs from the contract, as `CODE: what`. */
export function codeDeviations({ errors }: Contract): string[] {
  const deviations: string[] = []
  for (const error of errors) {
    const row = ERRORS[error.code as ErrorCode] as ReturnType<typeof errorRow> | undefined
    if (row === undefined) {
      deviations.push(`${error.code}: missing`)
      continue
    }
    const say = (differs: boolean, what: string) => {
      if (differs) deviations.push(`${error.code}: ${what}`)
    }
    // The statuses of the co-signer's codes and of SEASON_CLOSED are not shown.
    const isShown = error.statuses.length > 0 || row.statuses.length === 0
    const isOpen = error.group === 'cosigner' || error.code === 'SEASON_CLOSED'
    say((isShown || !isOpen) && !sameSet(row.statuses, error.statuses), `status ${row.statuses.join(', ')}`)
    say(row.group !== error.group, `group ${row.group}`)
    const extras = [...row.extras, ...(row.fastExtras ?? [])] as string[]
    for (const extra of [...error.extras, ...(error.extras_fast ?? [])]) {
      say(!extras.includes(extra.split('.')[0]!), `no extra ${extra}`)
    }
    say(error.retry !== null && row.retry !== error.retry, `retry ${row.retry}`)
    say(
      error.retry_after_s !== undefined && row.retryAfterS !== error.retry_after_s,
      `retry after ${row.retryAfterS}`,
    )
  }
  const contractCodes = new Set(errors.map(({ code }) => code))
  for (const code of Object.keys(ERRORS))
    if (!contractCodes.has(code)) deviations.push(`${code}: not in the contract`)
  return deviations
}

/** Codes that a route answers beyond those that the contract names for it or for all routes. */
export function extraCodes({ routes, common_errors: common }: Contract): string[] {
  return routes.flatMap(({ id, errors, errors_inferred: inferred = [] }) => {
    const contractCodes = new Set([...errors, ...inferred, ...Object.keys(common)])
    const more = routeById(id as RouteId).errors.filter((code) => !contractCodes.has(code))
    return more.length === 0 ? [] : [`${id}: also answers ${more.join(' ')}`]
  })
}

/** Limits whose numbers the contract gives. */
export function limitDeviations({ rate_limits: limits }: Contract): string[] {
  return limits.flatMap(({ id, per, burst, rate_per_s: ratePerS, retry_after_s: retryAfterS }) =>
    per.flatMap((one) => {
      const bucket = BUCKETS[bucketOf(`${id}/${one}`)] as Bucket | undefined
      if (burst === null && retryAfterS === undefined) return []
      if (bucket === undefined) return [`limit ${id}/${one}: missing`]
      const isSame =
        (burst === null || (bucket.burst === burst && bucket.ratePerS === ratePerS)) &&
        bucket.retryAfterS === retryAfterS
      return isSame ? [] : [`limit ${id}/${one}: ${bucket.burst}, then ${bucket.ratePerS} a second`]
    }),
  )
}

/** Value sets, ordered lists of codes and states. */
export function setDeviations(contract: Contract): string[] {
  const lists: readonly [name: string, own: readonly unknown[], theirs: readonly unknown[]][] = [
    ['fast rules in order', FAST_RULES, contract.fast_rules_in_order],
    ['hold codes', Object.keys(HOLD_CODES), contract.hold_codes],
    ['AI hold codes', Object.keys(AI_HOLD_CODES), contract.ai_hold_codes],
    ['refused model answers', Object.keys(AI_REFUSED_ANSWER_CODES), contract.ai_error_codes_refused_answer],
    ['failed model calls', Object.keys(AI_FAILED_CALL_CODES), contract.ai_error_codes_failed_call],
    ['league hold codes', Object.keys(LEAGUE_HOLD_CODES), contract.league_hold_codes],
    [
      'client errors',
      [...Object.keys(CLIENT_ERRORS), 'HTTP_<status>'].toSorted(),
      contract.client_errors.toSorted(),
    ],
    ['fast fallback errors', CLIENT_FAST_FALLBACK_ERRORS, contract.client_fast_fallback_errors],
    ['verification rules', Object.keys(CLIENT_VERIFICATION_RULES), contract.client_verification_rules],
  ]
  const deviations = lists.flatMap(([name, own, theirs]) =>
    JSON.stringify(own) === JSON.stringify(theirs) ? [] : [`${name}: ${own.join(' ')}`],
  )
  for (const [name, theirs] of Object.entries(contract.value_sets)) {
    const row = VALUE_SETS[name]
    if (row === undefined || typeof row === 'string') continue
    const own = 'equal' in row ? row.equal : row.contains
    const isSame = 'equal' in row ? sameSet(own, theirs) : theirs.every((value) => own.includes(value))
    if (!isSame) deviations.push(`${name}: ${own.join(' ')}`)
  }
  const states: { readonly [of: string]: readonly string[] } = {
    session: SESSION_STATUSES,
    hosted: [...HOSTED_STATUSES, 'deleted', 'live'],
    trade_row: TRADE_STATUSES,
  }
  for (const [of, values] of Object.entries(states)) {
    for (const [, , to] of contract.states[of] ?? []) {
      if (to != null && !values.includes(to)) deviations.push(`state of ${of}: no ${to}`)
    }
  }
  for (const codes of Object.values(contract.state_errors).flatMap((byState) => Object.values(byState))) {
    for (const code of codes) if (!(code in ERRORS)) deviations.push(`${code}: missing`)
  }
  return deviations
}

const sameSet = (left: readonly unknown[], right: readonly unknown[]): boolean =>
  left.length === right.length && left.every((value) => right.includes(value))
