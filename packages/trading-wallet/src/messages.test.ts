import { describe, expect, it } from 'vitest'
import { parseFromFrame, parseToFrame } from './messages.ts'

const AT = '0x00000000000000000000000000000000000be11e'
const envelope = (request: unknown) => ({ pit: 'wallet', id: 1, request })
const TRANSACTION = {
  ...{ to: AT, value: '0x0', data: '0x', gas: '0x5208', nonce: '1' },
  ...{ maxFeePerGas: '10', maxPriorityFeePerGas: '0' },
}
const TYPED = { domain: {}, types: {}, primaryType: 'Delegation', message: {} }
const sign = (kind: string, payload: unknown) => ({ type: 'sign', kind, payload })

describe('a message to the wallet', () => {
  it.each([
    ...['address', 'create', 'unlock', 'lock', 'export', 'settings', 'return'].map((type) => ({ type })),
    sign('message', 'hello'),
    sign('typedData', TYPED),
    sign('transaction', TRANSACTION),
    sign('authorization', { address: AT, chainId: 4663, nonce: 0 }),
  ])('is taken: %j', (request) => {
    expect(parseToFrame(envelope(request))).toEqual(envelope(request))
  })

  it.each([
    ...[
      null,
      'lock',
      [],
      {},
      { type: 'reveal' },
      { type: 'lock', silent: true },
      { type: ['lock'], extra: 1 },
    ],
    ...[sign('message', 1), sign('message', 'x'.repeat(10_001)), sign('hash', '0x00'), { type: 'sign' }],
    { ...sign('message', 'hello'), silent: true },
    sign('typedData', { ...TYPED, extra: 1 }),
    sign('typedData', { ...TYPED, types: [] }),
    sign('transaction', { ...TRANSACTION, to: null }),
    sign('transaction', { ...TRANSACTION, value: -1 }),
    sign('transaction', { ...TRANSACTION, value: '1e18' }),
    sign('transaction', { ...TRANSACTION, data: '0x0' }),
    sign('transaction', { ...TRANSACTION, authorizationList: [] }),
    sign('authorization', { address: AT, chainId: 4663, nonce: -1 }),
    sign('authorization', { address: AT, chainId: '4663', nonce: 0 }),
  ])('is refused: %j', (request) => {
    expect(parseToFrame(envelope(request))).toBeNull()
  })

  it.each([
    null,
    1,
    'x',
    { pit: 'other', id: 1, request: { type: 'lock' } },
    { pit: 'wallet', id: -1, request: { type: 'lock' } },
    { ...envelope({ type: 'lock' }), port: 1 },
  ])('needs its envelope: %j', (data) => {
    expect(parseToFrame(data)).toBeNull()
  })
})

describe('a message of the wallet', () => {
  it.each([
    { pit: 'wallet', id: 1, result: null },
    { pit: 'wallet', id: 1, error: { code: 4001, message: 'Declined.' } },
    { pit: 'wallet', event: 'show' },
    { pit: 'wallet', event: 'size', height: 300 },
  ])('is taken: %j', (data) => {
    expect(parseFromFrame(data)).toEqual(data)
  })

  it.each([
    { id: 1, result: null },
    { pit: 'wallet', id: 1 },
    { pit: 'wallet', id: 1, error: 'no' },
    { pit: 'wallet', event: 'navigate' },
    { pit: 'wallet', event: 'size', height: '300px' },
  ])('is ignored: %j', (data) => {
    expect(parseFromFrame(data)).toBeNull()
  })
})
