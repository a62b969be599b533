import { randomBytes } from 'node:crypto'
import type { PitError } from '@pit/protocol'
import { CALL_HEADERS, type Call, callSignature } from '@pit/signer-wire'
import { beforeEach, describe, expect, it } from 'vitest'
import { createGate } from './gate.ts'

const SECRET = 'server secret '.repeat(3)
const OPERATOR = 'operator secret '.repeat(3)
const STARTED = 1_768_478_400_000

let nowMs: number
let gate: ReturnType<typeof createGate>
const open = (maxNonces?: number) =>
  createGate({
    secrets: { server: SECRET, operator: OPERATOR },
    clock: { nowMs: () => nowMs },
    startedAtMs: STARTED,
    ...(maxNonces !== undefined && { maxNonces }),
  })
beforeEach(() => {
  nowMs = STARTED + 3_600_000
  gate = open()
})

const nonce = () => randomBytes(16).toString('hex')
const call = (change: Partial<Call> = {}): Call => ({
  method: 'POST',
  path: '/leaves',
  body: '{"root_hash":"0x01"}',
  timeMs: nowMs,
  nonce: nonce(),
  ...change,
})
/** Sends a signed call with changes made on the way. */
function send(
  signed: Call,
  { secret = SECRET, ...changed }: Partial<Call> & { secret?: string; headers?: object } = {},
) {
  const { method, path, body, timeMs, nonce: once } = { ...signed, ...changed }
  const headers = {
    [CALL_HEADERS.time]: String(timeMs),
    [CALL_HEADERS.nonce]: once,
    [CALL_HEADERS.signature]: callSignature(secret, signed),
    ...changed.headers,
  }
  try {
    return gate.admit({ method, path, body: Buffer.from(body as string), headers }).by
  } catch (error) {
    return (error as PitError).code
  }
}

describe('the gate', () => {
  it('admits calls signed with a secret, and reports which one', () => {
    expect(send(call())).toBe('server')
    expect(send(call(), { secret: OPERATOR })).toBe('operator')
    expect(send(call({ method: 'GET', path: '/health', body: '' }))).toBe('server')
  })

  it('accepts a call once', () => {
    const once = call()
    expect(send(once)).toBe('server')
    expect(send(once)).toBe('UNAUTHORIZED')
    nowMs += 29_000
    expect(send(once)).toBe('UNAUTHORIZED')
    // The nonce is used up for any other call too.
    expect(send(call({ nonce: once.nonce }))).toBe('UNAUTHORIZED')
    expect(send(call({ nonce: once.nonce }), { secret: OPERATOR })).toBe('UNAUTHORIZED')
  })

  it('forgets a nonce only when its call is too old for any window', () => {
    const ahead = call({ timeMs: nowMs + 30_000 })
    expect(send(ahead)).toBe('server')
    for (const afterMs of [1, 30_000, 29_999]) {
      nowMs += afterMs
      expect(send(ahead)).toBe('UNAUTHORIZED')
    }
    nowMs += 1_000
    expect(send(ahead)).toBe('UNAUTHORIZED')
  })

  it.each([
    ['another secret', { secret: 'not the secret '.repeat(3) }],
    ['another method', { method: 'GET' }],
    ['another path', { path: '/freeze' }],
    ['a query behind the path', { path: '/leaves?x=1' }],
    ['another body', { body: '{"root_hash":"0x02"}' }],
    ['a byte more', { body: '{"root_hash":"0x01"} ' }],
    ['another time', { timeMs: STARTED + 3_600_001 }],
    ['another nonce', { nonce: 'f'.repeat(32) }],
    ['no signature', { headers: { [CALL_HEADERS.signature]: undefined } }],
    ['an empty signature', { headers: { [CALL_HEADERS.signature]: '' } }],
    ['half a signature', { headers: { [CALL_HEADERS.signature]: 'ab'.repeat(16) } }],
    ['a signature of zeros', { headers: { [CALL_HEADERS.signature]: '0'.repeat(64) } }],
    ['no time', { headers: { [CALL_HEADERS.time]: undefined } }],
    ['a time in seconds', { headers: { [CALL_HEADERS.time]: '1768478400' } }],
    ['no nonce', { headers: { [CALL_HEADERS.nonce]: undefined } }],
    ['a short nonce', { headers: { [CALL_HEADERS.nonce]: 'ab' } }],
  ])('refuses %s', (_, changed) => expect(send(call(), changed)).toBe('UNAUTHORIZED'))

  it('rejects a signature in upper case', () => {
    const signed = call()
    const headers = { [CALL_HEADERS.signature]: callSignature(SECRET, signed).toUpperCase() }
    expect(send(signed, { headers })).toBe('UNAUTHORIZED')
  })

  it('accepts times within half a minute, to the millisecond', () => {
    expect(send(call({ timeMs: nowMs - 30_000 }))).toBe('server')
    expect(send(call({ timeMs: nowMs + 30_000 }))).toBe('server')
    expect(send(call({ timeMs: nowMs - 30_001 }))).toBe('UNAUTHORIZED')
    expect(send(call({ timeMs: nowMs + 30_001 }))).toBe('UNAUTHORIZED')
  })

  it('rejects calls from before it started', () => {
    nowMs = STARTED + 10_000
    expect(send(call({ timeMs: STARTED - 1 }))).toBe('UNAUTHORIZED')
    expect(send(call({ timeMs: STARTED }))).toBe('server')
  })

  it('remembers a bounded number, of signed calls only', () => {
    gate = open(3)
    for (let i = 0; i < 10; i++) expect(send(call(), { secret: 'wrong '.repeat(8) })).toBe('UNAUTHORIZED')
    for (let i = 0; i < 3; i++) expect(send(call())).toBe('server')
    expect(send(call())).toBe('BUSY')
    nowMs += 60_001
    expect(send(call())).toBe('server')
  })

  it('without an operator’s secret has only the server', () => {
    gate = createGate({
      secrets: { server: SECRET, operator: null },
      clock: { nowMs: () => nowMs },
      startedAtMs: STARTED,
    })
    expect(send(call(), { secret: OPERATOR })).toBe('UNAUTHORIZED')
    expect(send(call())).toBe('server')
  })
})
