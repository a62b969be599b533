import type { TSchema } from '@sinclair/typebox'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { refusal } from '../errors/pitError.ts'
import { ERRORS } from '../errors/table.ts'
import { BUCKETS } from '../rates.ts'
import { checkWith, withDefaults } from '../validate.ts'
import { AREAS } from './route.ts'
import {
  type Answer,
  type Body,
  type BodyInput,
  type Params,
  type Query,
  ROUTE_IDS,
  ROUTES,
  routeById,
  statusFor,
} from './table.ts'

describe('the route table', () => {
  it('gives handlers exact types', () => {
    expectTypeOf<Body<'auth.verify'>>().toEqualTypeOf<{
      nonce?: string
      address: string
      signature: string
    }>()
    expectTypeOf<Query<'me.trades'>['limit']>().toEqualTypeOf<number>()
    expectTypeOf<Query<'me.trades'>['refused']>().toEqualTypeOf<'1' | undefined>()
    expectTypeOf<Params<'hosted.get'>>().toEqualTypeOf<{ id: string }>()
    expectTypeOf<Answer<'health'>['status']>().toEqualTypeOf<'ok' | 'degraded' | 'down'>()
    expectTypeOf<Body<'live.quote'>['shield']>().toEqualTypeOf<boolean>()
    expectTypeOf<BodyInput<'live.quote'>['shield']>().toEqualTypeOf<boolean | undefined>()
  })

  it('gives exactly one of two fields a variant each, and an object with forms what its form has', () => {
    const pair = { token_in: 'ETH', token_out: 'USDG' }
    expectTypeOf(pair).not.toExtend<BodyInput<'live.quote'>>()
    expectTypeOf<typeof pair & { amount_in: string }>().toExtend<BodyInput<'live.quote'>>()
    expectTypeOf<typeof pair & { amount_in: string; notional_usd: number }>().not.toExtend<
      BodyInput<'live.quote'>
    >()
    type Create = BodyInput<'hosted.create'>
    expectTypeOf<Extract<Create, { brain: 'webhook' }>['params']['url']>().toEqualTypeOf<string>()
    expectTypeOf<Extract<Create, { brain: 'dca' }>['params']['usd']>().toEqualTypeOf<number | undefined>()
    type Agent = Answer<'hosted.get'>
    expectTypeOf<Extract<Agent, { brain: 'dca' }>['params']['usd']>().toEqualTypeOf<number>()
    expectTypeOf<Extract<Answer<'live.session.grant'>, { status: 'active' }>>().toHaveProperty(
      'delegation_hash',
    )
    expectTypeOf<Answer<'live.prepare'>>().not.toHaveProperty('route')
  })

  it.each(ROUTE_IDS)('%s is complete', (id) => {
    const route = routeById(id)
    expect(route.path).toMatch(/^\/api\/v1\/[a-z0-9:/._-]+$/)
    expect(route.summary).toMatch(/^[A-Z].*\.$/)
    expect(route.errors).toContain(AREAS[route.area])
    for (const code of route.errors) expect(ERRORS[code].statuses.length).toBeGreaterThan(0)
    for (const bucket of [...route.buckets, ...route.lateBuckets]) expect(BUCKETS).toHaveProperty([bucket])
    for (const [code, statuses] of Object.entries(route.statusOf)) {
      expect(route.errors).toContain(code)
      for (const status of statuses) expect(ERRORS[code as keyof typeof ERRORS].statuses).toContain(status)
    }
    const named = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
    expect(Object.keys(route.params['properties'])).toEqual(named)
    if (route.method === 'GET') expect(route.takesBody).toBe(false)
  })

  it.each(ROUTE_IDS.filter((id) => ROUTES[id].path.startsWith('/api/v1/live/')))(
    '%s takes no field it does not know, at any depth',
    (id) => {
      const route = routeById(id)
      expect(route.unknownFieldCode).toBe('BAD_REQUEST')
      expect(route.errors).not.toContain('UNKNOWN_FIELD')
      if (route.method === 'GET') return expect(route.strictQuery).toBe(true)
      expect(route.strictFields).toBe(true)
      const objects = objectsIn(route.body)
      expect(objects.length).toBeGreaterThan(0)
      for (const object of objects) expect(object['additionalProperties']).toBe(false)
    },
  )

  it('has no two routes at one place', () => {
    const places = ROUTE_IDS.map((id) => `${ROUTES[id].method} ${ROUTES[id].path}`)
    expect(new Set(places).size).toBe(places.length)
  })

  it('lets a route choose among the statuses of a code', () => {
    expect(statusFor(ROUTES['live.session.grant'], refusal('UNKNOWN_TOKEN'))).toBe(422)
    expect(statusFor(ROUTES['live.session.grant'], refusal('BAD_SIGNATURE', { status: 400 }))).toBe(400)
    expect(statusFor(ROUTES['hosted.refund_gas'], refusal('SUBMIT_DISABLED'))).toBe(503)
    expect(statusFor(ROUTES['live.submit'], refusal('SUBMIT_DISABLED'))).toBe(403)
  })
})

/** All objects with named fields in a schema. */
function objectsIn(schema: TSchema): TSchema[] {
  const properties = (schema['properties'] ?? {}) as Record<string, TSchema>
  const inner = [...Object.values(properties), ...((schema['anyOf'] ?? []) as TSchema[])]
  if (schema['items'] !== undefined) inner.push(schema['items'] as TSchema)
  return [...(schema['properties'] === undefined ? [] : [schema]), ...inner.flatMap(objectsIn)]
}

describe('requests', () => {
  const wallet = `0x${'ab'.repeat(20)}`
  const read = (id: keyof typeof ROUTES, body: object) => {
    const filled = withDefaults(ROUTES[id].body, body)
    return { filled, checked: checkWith(ROUTES[id].body, filled) }
  }

  it('fills in every default of a plan without modifying the request', () => {
    const sent = { wallet, token_in: 'ETH', token_out: 'USDG', notional_usd: 5 }
    const { filled, checked } = read('live.prepare', sent)
    expect(checked).toEqual({ ok: true })
    expect(filled).toMatchObject({
      accept_risks: [],
      shield: false,
      approval_mode: 'budget',
      approval_budget_usd: 25,
      allow_unlimited_approval: false,
      permit_mode: 'signature',
      permit_scope: 'trade',
      venues: ['venue_pool', 'venue_curve'],
      fund: 'auto',
      curve_fee_mode: 'auto',
      owner_attests_non_us: false,
      action: 'trade',
    })
    expect(Object.keys(sent)).toHaveLength(4)
  })

  it.each(['live.prepare', 'live.build', 'live.simulate'] as const)(
    '%s ignores the fields of a trade with action revoke, and no others',
    (id) => {
      const trade = { token_in: 7, notional_usd: 'much', amount_in: '1', permit_mode: null, venues: [] }
      const revoke = { wallet, action: 'revoke', tokens: ['ETH'] }
      expect(read(id, { ...revoke, ...trade }).checked).toEqual({ ok: true })
      expect(read(id, { ...revoke, tokenz: 1 }).checked).toMatchObject({ ok: false, field: 'tokenz' })
    },
  )

  it('takes a revoke through prepare without a trade', () => {
    expect(read('live.prepare', { wallet, action: 'revoke' })).toEqual({
      filled: { wallet, action: 'revoke', tokens: ['USDG'] },
      checked: { ok: true },
    })
  })

  it.each([
    ['live.prepare', { wallet, token_in: 'ETH', token_out: 'USDG' }, 'notional_usd'],
    [
      'live.prepare',
      { wallet, token_in: 'ETH', token_out: 'USDG', notional_usd: 5, amount_in: '1' },
      'amount_in',
    ],
    ['live.prepare', { wallet, token_in: 'ETH', token_out: 'USDG', amount_in: '01' }, 'amount_in'],
    ['live.prepare', { wallet, token_in: 'ETH', token_out: 'USDG', amount_in: 1 }, 'amount_in'],
    ['live.prepare', { wallet, token_in: '0x12', token_out: 'USDG', amount_in: '1' }, 'token_in'],
    ['live.prepare', { wallet: '0x12', action: 'revoke' }, 'wallet'],
    ['live.quote', { token_in: 'ETH', token_out: 'USDG', notional_usd: 5, venues: ['nowhere'] }, 'venues.0'],
    ['live.session.grant', { session_id: 's1', delegation_signature: 'x' }, 'delegation_signature'],
    ['live.session.grant', { wallet }, 'executor'],
    ['live.submit', { raw_tx: '0x1' }, 'raw_tx'],
    ['live.submit', {}, 'raw_tx'],
    ['live.submit', { raw_txs: Array(5).fill('0x01') }, 'raw_txs'],
    ['hosted.create', { brain: 'oracle' }, 'params'],
    ['auth.verify', { address: wallet, signature: '0x12' }, 'signature'],
    ['hosted.stock_attestation', { session_id: 's1', issued: 1, expires: 2, signature: '0x12' }, 'signature'],
    ['live.simulate', { wallet: '0x12', action: 'revoke' }, 'wallet'],
  ] as const)('%s refuses %j at %s', (id, body, field) => {
    expect(read(id, body).checked).toMatchObject({ ok: false, code: 'BAD_REQUEST', field })
  })

  it.each(['0x', '0x1', '0x12', `0x${'11'.repeat(65)}`, `0x${'11'.repeat(8_192)}`])(
    'a signature of any length is read, so that BAD_SIGNATURE can say what it is',
    (signature) => {
      const grant = {
        session_id: 's1',
        delegation_signature: signature,
        authorization_signature: signature,
        curve_root_signatures: { [`0x${'ab'.repeat(32)}`]: signature },
      }
      const statement = { agent_id: '5', nonce: 'n', signature }
      for (const [id, body] of [
        ['live.session.grant', grant],
        ['league.enter', statement],
        ['league.confirm', statement],
      ] as const)
        expect(read(id, body).checked).toEqual({ ok: true })
    },
  )

  it('takes a curve plan whose token wants a zero approval first: four transactions', () => {
    expect(read('live.submit', { raw_txs: Array(4).fill('0x01') }).checked).toEqual({ ok: true })
  })

  it('distinguishes unknown from invalid fields of a strict route', () => {
    expect(read('hosted.pause', { force: true }).checked).toMatchObject({
      code: 'UNKNOWN_FIELD',
      field: 'force',
    })
    expect(read('hosted.update', { limits: { max_trade: 1 } }).checked).toMatchObject({
      code: 'UNKNOWN_FIELD',
      field: 'limits.max_trade',
    })
    expect(read('auth.revoke', { force: true }).checked).toEqual({ ok: true })
  })
})
