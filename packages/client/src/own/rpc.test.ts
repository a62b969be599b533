import { expect, it } from 'vitest'
import { isUnsupported, RpcFailure, rpcAt, rpcOf } from './rpc.ts'
import { askTrial } from './trial.ts'

const failure = (error: object) =>
  rpcAt('http://node', async () => Response.json([{ id: 0, jsonrpc: '2.0', error }])).all([
    { method: 'eth_simulateV1', params: [] },
  ]) as Promise<[RpcFailure]>

it.each([
  ['JSON-RPC', { code: -32601, message: 'Method refused here.' }],
  ['EIP-1474', { code: -32004, message: 'no' }],
  ['EIP-1193', { code: 4200, message: 'no' }],
  ['another code', { code: -32600, message: 'Unsupported method: eth_simulateV1' }],
  ['no code', { message: 'the method eth_simulateV1 does not exist/is not available' }],
])('knows a method that is not supported: %s', async (_, error) => {
  const [answer] = await failure(error)
  expect(isUnsupported(answer)).toBe(true)
  const trial = askTrial('0x01', [], [], { multicall3: '0x02' }).read(answer)
  expect(trial).toMatchObject({ ok: false, unsupported: true })
})

it.each([
  ['a revert with the same words', { code: 3, message: 'execution reverted: token not available' }],
  ['a limit', { code: -32005, message: 'rate limited' }],
  ['a fault', { code: -32603, message: 'internal error' }],
])('does not take %s for a missing method', async (_, error) => {
  const [answer] = await failure(error)
  expect(answer.code).toBe(error.code)
  expect(isUnsupported(answer)).toBe(false)
})

it('keeps the code and data of a browser wallet', async () => {
  const error = Object.assign(new Error('no'), { code: 4200, data: '0x01' })
  const [answer] = await rpcOf({ request: () => Promise.reject(error) }).all([{ method: 'x', params: [] }])
  expect(answer).toBeInstanceOf(RpcFailure)
  expect(answer).toMatchObject({ code: 4200, data: '0x01' })
})
