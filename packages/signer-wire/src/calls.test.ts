import { describe, expect, it } from 'vitest'
import {
  callSignature,
  fromWireDelegation,
  fromWireExecution,
  isCallSignature,
  toWireDelegation,
  toWireExecution,
} from './calls.ts'

const call = {
  method: 'POST',
  path: '/leaves',
  body: '{"a":1}',
  timeMs: 1_768_478_400_000,
  nonce: '0'.repeat(32),
}

describe('a call’s signature', () => {
  it('matches the documentation, so that other languages can create it', () => {
    // printf 'POST\n/leaves\n1768478400000\n000…\n<sha256 of the body>' | openssl dgst -sha256 -hmac secret
    expect(callSignature('secret', call)).toBe(
      'be8a9a9336130ae08658da5ce7a2cd9649faa2d00a7ecd99293ec183041c048c',
    )
  })

  it('covers the bytes, as text or not', () => {
    const signature = callSignature('secret', { ...call, body: Buffer.from(call.body) })
    expect(isCallSignature('secret', call, signature)).toBe(true)
    expect(isCallSignature('other', call, signature)).toBe(false)
  })
})

describe('on the wire', () => {
  const delegation = {
    delegate: `0x${'1'.repeat(40)}`,
    delegator: `0x${'2'.repeat(40)}`,
    authority: `0x${'f'.repeat(64)}`,
    caveats: [{ enforcer: `0x${'3'.repeat(40)}`, terms: '0x0102', args: '0x' }],
    salt: 2n ** 256n - 1n,
    signature: `0x${'ab'.repeat(65)}`,
  } as const
  const execution = { target: `0x${'4'.repeat(40)}`, valueWei: 10n ** 18n, data: '0x3593564c' } as const

  it('delegations and calls round-trip', () => {
    expect(fromWireDelegation(JSON.parse(JSON.stringify(toWireDelegation(delegation))))).toEqual(delegation)
    expect(fromWireDelegation(toWireDelegation({ ...delegation, salt: 0n }))?.salt).toBe(0n)
    expect(fromWireExecution(JSON.parse(JSON.stringify(toWireExecution(execution))))).toEqual(execution)
  })

  it.each([null, 'text', [], {}, { ...toWireDelegation(delegation), more: 1 }])(
    '%j is not a delegation',
    (value) => expect(fromWireDelegation(value)).toBeUndefined(),
  )
  it.each([
    null,
    {},
    { ...toWireExecution(execution), value_wei: '1e18' },
    { ...toWireExecution(execution), value_wei: 1 },
  ])('%j is not a call', (value) => expect(fromWireExecution(value)).toBeUndefined())
})
