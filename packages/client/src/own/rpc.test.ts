import { expect, it } from 'vitest'
import { isReverted, isUnsupported, RpcFailure, rpcAt, rpcOf } from './rpc.ts'

const failure = (error: object) =>
  rpcAt('http://node', async () => Response.json([{ id: 0, jsonrpc: '2.0', error }])).all([
    { method: 'eth_simulateV1', params: [] },
  ]) as Promise<[RpcFailure]>

it.each([
  ['JSON-RPC', { code: -32601, message: 'Method refused here.' }],
  ['EIP-1474', { code: -32004, message: 'no' }],
  ['EIP-1193', { code: 4200, message: 'no' }],
])('knows a method that is not supported by its code: %s', async (_, error) => {
  const [answer] = await failure(error)
  expect(isUnsupported(answer)).toBe(true)
})

it.each([
  ['another code', { code: -32600, message: 'Unsupported method: eth_simulateV1' }],
  ['no code', { message: 'the method eth_simulateV1 does not exist/is not available' }],
  ['a node that is behind', { code: -32000, message: 'header not found' }],
  [
    'a node without the state',
    { code: -32000, message: 'missing trie node 00 (path ) state is not available' },
  ],
  ['a node behind a proxy', { code: -32603, message: 'backend not available' }],
  ['a revert', { code: 3, message: 'execution reverted: token not available', data: '0x' }],
  ['a limit', { code: -32005, message: 'rate limited' }],
])('takes no words for a missing method: %s', async (_, error) => {
  const [answer] = await failure(error)
  expect(answer.code).toBe('code' in error ? error.code : undefined)
  expect(isUnsupported(answer)).toBe(false)
})

it('separates a revert from a failure of the node by code or return data', async () => {
  const isRevert = async (error: object) => isReverted((await failure(error))[0])
  expect(await isRevert({ code: 3, message: 'no' })).toBe(true)
  expect(await isRevert({ code: -32000, message: 'no', data: '0x08c379a0' })).toBe(true)
  expect(await isRevert({ code: -32000, message: 'execution reverted' })).toBe(false)
  expect(await isRevert({ code: -32000, message: 'header not found', data: { block: '0x1' } })).toBe(false)
})

it('keeps the code and data of a browser wallet, and of the node behind it', async () => {
  const ask = async (error: object) => {
    const rejected = Object.assign(new Error('Internal JSON-RPC error.'), error)
    const [answer] = await rpcOf({ request: () => Promise.reject(rejected) }).all([
      { method: 'x', params: [] },
    ])
    return answer as RpcFailure
  }
  expect(await ask({ code: 4200, data: '0x01' })).toMatchObject({ code: 4200, data: '0x01' })
  const inner = { code: 3, message: 'execution reverted', data: '0x02' }
  expect(await ask({ code: -32603, data: inner })).toMatchObject(inner)
})

it('takes an answer without a result for a failure', async () => {
  const rpc = rpcAt('http://node', async () => Response.json([{ id: 0, jsonrpc: '2.0' }]))
  expect((await rpc.all([{ method: 'eth_call', params: [] }]))[0]).toBeInstanceOf(RpcFailure)
})
