import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { fail } from '@pit/protocol'
import { afterEach, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../test/testApp.ts'
import type { Caller } from '../http/types.ts'
import { createWalletRpc, type WalletRpcDeps } from './createWalletRpc.ts'

const WALLET = `0x${'ab'.repeat(20)}` as const
const HASH = `0x${'12'.repeat(32)}` as const
const CALLER: Caller = { requestId: 'r', address: '10.0.0.1', key: null }

function open(own: Partial<WalletRpcDeps> = {}) {
  const requests: unknown[] = []
  const charged: unknown[] = []
  const node: WalletRpcDeps['node'] = {
    request: async (method, params) => {
      requests.push([method, params])
      return '0x1'
    },
  }
  const answer = createWalletRpc({
    node,
    relay: { submitByWallet: async () => HASH },
    liveKeysOf: async () => [7],
    charge: async ({ key }, buckets) => void charged.push([key?.keyId ?? null, ...buckets]),
    ...own,
  })
  const ask = (method: string, ...params: unknown[]) =>
    answer({ jsonrpc: '2.0', id: 1, method, params }, CALLER) as Promise<Record<string, unknown>>
  return { answer, ask, requests, charged }
}

it('passes reads on, and nothing else', async () => {
  const { ask, requests } = open()
  expect(await ask('eth_getBalance', WALLET, 'latest')).toEqual({ jsonrpc: '2.0', id: 1, result: '0x1' })
  for (const method of ['debug_traceCall', 'eth_getLogs', 'eth_sign', 'devnet_setBalance', 'toString'])
    expect(await ask(method)).toMatchObject({ error: { code: -32601 } })
  expect(await ask('eth_call', {}, 'latest', { [WALLET]: { balance: '0x1' } })).toMatchObject({
    error: { code: -32602 },
  })
  for (const whole of [true, 'true', 1, null])
    expect(await ask('eth_getBlockByNumber', 'latest', whole)).toMatchObject({ error: { code: -32602 } })
  await ask('eth_getBlockByNumber', 'latest')
  expect(requests).toEqual([
    ['eth_getBalance', [WALLET, 'latest']],
    ['eth_getBlockByNumber', ['latest', false]],
  ])
})

it('relays what was built for the signer, and draws nothing from its key: anybody can send what is public', async () => {
  const { ask, charged } = open()
  expect(await ask('eth_sendRawTransaction', '0x02ff')).toEqual({ jsonrpc: '2.0', id: 1, result: HASH })
  expect(charged).toEqual([[null, 'wallet_rpc.address', 'wallet_rpc.overall']])
})

it('explains a refusal in words that a wallet shows', async () => {
  const submitByWallet = async () => fail('NOT_AS_BUILT', { diffs: [] })
  const refused = await open({
    relay: { submitByWallet },
  }).ask('eth_sendRawTransaction', '0x02ff')
  expect(refused).toMatchObject({
    error: { code: -32003, message: expect.stringMatching(/^NOT_AS_BUILT: /), data: { diffs: [] } },
  })
  for (const raw of [undefined, 7, '02ff', '0x', '0xabc', '0xzz'])
    expect(await open().ask('eth_sendRawTransaction', raw)).toMatchObject({
      error: { code: -32003, message: expect.stringMatching(/^SUBMIT_REJECTED: /) },
    })
  const limited = open({ charge: async () => fail('RATE_LIMITED') })
  expect(await limited.ask('eth_chainId')).toMatchObject({ error: { code: -32005 } })
})

it('passes the node’s errors on, and hides its own', async () => {
  const failing = (error: Error) => open({ node: { request: () => Promise.reject(error) } })
  expect(await failing(new RpcError('eth_call', 3, 'reverted', '0x08c379a0')).ask('eth_call', {})).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: 3, message: 'eth_call: reverted', data: '0x08c379a0' },
  })
  const silent = await failing(new RpcUnreachable('http://node.internal:8545 refused')).ask('eth_chainId')
  expect(silent).toMatchObject({ error: { code: -32603 } })
  expect(JSON.stringify(silent)).not.toContain('internal:')
  await expect(failing(new TypeError('ours')).ask('eth_chainId')).rejects.toThrow('ours')
})

it('caps the gas of every call, however its limit is spelled', async () => {
  const { ask, requests } = open()
  const cap = `0x${(10_000_000).toString(16)}`
  const gases: [object, string][] = [
    [{ to: WALLET, gas: '0x5208' }, '0x5208'],
    [{ to: WALLET }, cap],
    [{ to: WALLET, gas: '0xffffffff' }, cap],
    [{ to: WALLET, gas: 99_999_999 }, cap],
    [{ to: WALLET, gas: '0x5208', GAS: '0xffffffff' }, '0x5208'],
    [{ to: WALLET, gas: '0x5208', gasLimit: '0xffffffff' }, '0x5208'],
  ]
  for (const method of ['eth_call', 'eth_estimateGas'])
    for (const [call, gas] of gases) {
      await ask(method, call, 'latest')
      expect(requests.pop()).toEqual([method, [{ to: WALLET, gas }, 'latest']])
    }
  for (const call of [undefined, null, 'x', [{ gas: '0x1' }]])
    expect(await ask('eth_call', call)).toMatchObject({ error: { code: -32602 } })
  expect(requests).toEqual([])
})

it('reports a busy node and a response that is too long', async () => {
  const failing = (why: 'busy' | 'large') =>
    open({ node: { request: () => Promise.reject(new RpcUnreachable('x', { why })) } }).ask('eth_chainId')
  expect(await failing('busy')).toMatchObject({
    error: { code: -32005, message: expect.stringContaining('Retry') },
  })
  expect(await failing('large')).toMatchObject({
    error: { code: -32005, message: expect.stringContaining('128 KB') },
  })
})

it('reads a batch one by one, and all of it within 128 KB', async () => {
  let atOnce = 0
  let mostAtOnce = 0
  const bounds: number[] = []
  const node: WalletRpcDeps['node'] = {
    async request(_method, _params, { maxAnswerBytes }) {
      bounds.push(maxAnswerBytes)
      mostAtOnce = Math.max(mostAtOnce, ++atOnce)
      await Promise.resolve()
      atOnce -= 1
      if (maxAnswerBytes < 50_000) throw new RpcUnreachable('too large', { why: 'large' })
      return `0x${'ab'.repeat(25_000)}`
    },
  }
  const batch = Array.from({ length: 4 }, (_, id) => ({ id, method: 'eth_chainId' }))
  const answers = (await open({ node }).answer(batch, CALLER)) as object[]
  expect(mostAtOnce).toBe(1)
  expect(bounds[0]).toBe(128 * 1024)
  expect(answers.map((answer) => 'result' in answer)).toEqual([true, true, false, false])
  expect(JSON.stringify(answers).length).toBeLessThan(128 * 1024)
})

it('answers batches in order, and rejects invalid ones', async () => {
  const { answer } = open()
  const one = (id: unknown, method: unknown) => ({ jsonrpc: '2.0', id, method, params: [] })
  expect(await answer([one(2, 'eth_chainId'), one('b', 'eth_x'), 7], CALLER)).toMatchObject([
    { id: 2, result: '0x1' },
    { id: 'b', error: { code: -32601 } },
    { id: null, error: { code: -32600 } },
  ])
  for (const body of [
    [],
    Array.from({ length: 21 }, (_, id) => one(id, 'eth_chainId')),
    {},
    one({}, 'eth_chainId'),
  ])
    expect(await answer(body, CALLER)).toMatchObject({ id: null, error: { code: -32600 } })
})

let app: TestApp | undefined
afterEach(() => app?.close())

it('is open to any page and any wallet, without a key', async () => {
  app = await openTestApp()
  const ask = (method: string, body?: string) =>
    app!.inject({ method, url: '/rpc', headers: { origin: 'https://dapp.example' }, ...(body && { body }) })
  const answered = await ask('POST', '[{"id":1}]')
  expect([answered.status, answered.headers['access-control-allow-origin'], answered.json()]).toEqual([
    200,
    '*',
    { asked: [{ id: 1 }] },
  ])
  expect((await ask('OPTIONS')).status).toBe(204)
  expect((await ask('GET')).status).toBe(405)
  expect((await ask('POST', '{"a":1,"a":2}')).status).toBe(400)
})
