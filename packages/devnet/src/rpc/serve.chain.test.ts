import { request as httpRequest } from 'node:http'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { publicAccounts } from '../engine/accounts.ts'
import { openChain } from '../engine/chain.ts'
import type { Chain, Hex } from '../engine/types.ts'
import { createRpc, createSequencer, type Rpc, type Serving, serveRpc, serveSequencer } from './index.ts'

const alice = privateKeyToAccount(publicAccounts()[1]!.privateKey)
const [deployer] = publicAccounts()
let chain: Chain
let rpc: Rpc
let serving: Serving
let sequencerOnly: Serving

beforeAll(async () => {
  chain = await openChain()
  const sequencer = createSequencer(chain)
  const methods = {
    ...sequencer.methods,
    devnet_echo: async (params: unknown[]) => ({ params, big: 255n }),
    devnet_late: () => new Promise((resolve) => setTimeout(resolve, 300, 'late')),
    devnet_never: () => new Promise(() => {}),
    devnet_broken: async () => {
      throw new Error('out of order')
    },
  }
  rpc = createRpc({ chain, methods, timeoutMs: 1_000 })
  serving = await serveRpc({ rpc, sequencer }, { maxBodyBytes: 100_000, silenceMs: 300 })
  sequencerOnly = await serveSequencer(sequencer, { silenceMs: 300 })
})
afterAll(async () => {
  await serving.close()
  await sequencerOnly.close()
  rpc.close()
  await chain.close()
})

const JSON_BODY = { 'content-type': 'application/json' }
const post = async (body: unknown, path = '/', headers: Record<string, string> = {}) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(serving.url + path, {
    method: 'POST',
    body: text,
    headers: { ...JSON_BODY, ...headers },
  })
  const content = await answer.text()
  return {
    status: answer.status,
    headers: answer.headers,
    body: content === '' ? undefined : JSON.parse(content),
  }
}
const ask = async (method: string, params?: unknown[], path = '/') =>
  (await post({ jsonrpc: '2.0', id: 1, method, ...(params ? { params } : {}) }, path)).body

let nonce = 0
const signed = async () =>
  alice.signTransaction({
    type: 'eip1559',
    chainId: 4663,
    nonce: nonce++,
    to: alice.address,
    gas: 21_000n,
    maxFeePerGas: 10n ** 9n,
    maxPriorityFeePerGas: 0n,
  })

test('ids are echoed, params may be absent, notifications get no response', async () => {
  for (const id of ['a', 7, null, 0, ''])
    expect((await post({ jsonrpc: '2.0', id, method: 'eth_chainId' })).body).toEqual({
      jsonrpc: '2.0',
      id,
      result: '0x1237',
    })
  expect(await post({ jsonrpc: '2.0', method: 'eth_chainId' })).toMatchObject({
    status: 204,
    body: undefined,
  })
})

test('errors have the standard codes', async () => {
  const code = async (body: unknown) => (await post(body)).body.error.code
  expect(await code('{"jsonrpc":')).toBe(-32700)
  expect(await code([])).toBe(-32600)
  expect(await code(5)).toBe(-32600)
  expect(await code({ id: 1, jsonrpc: '1.0', method: 'eth_chainId' })).toBe(-32600)
  expect(await code({ id: 1, jsonrpc: '2.0', method: 5 })).toBe(-32600)
  expect(await code({ id: 1, jsonrpc: '2.0', method: 'eth_chainId', params: { a: 1 } })).toBe(-32602)
  expect(await ask('eth_nope')).toMatchObject({
    error: { code: -32601, message: 'the method eth_nope does not exist/is not available' },
  })
  const short = await ask('eth_getBalance', ['0x12', 'latest'])
  expect(short.error.code).toBe(-32602)
  expect(short.error).not.toHaveProperty('data')
  expect(await ask('eth_subscribe', ['newHeads'])).toMatchObject({ error: { code: -32601 } })
  expect(await ask('constructor')).toMatchObject({ error: { code: -32601 } })
  expect(await ask('eth_sendRawTransaction', ['0x1'])).toMatchObject({ error: { code: -32602 } })
  expect(await ask('evm_snapshot')).toHaveProperty('error')
})

test('a batch responds in order; writes keep their order', async () => {
  const raws = [await signed(), await signed(), await signed()]
  const hashes = raws.map((raw) => keccak256(raw))
  const { body } = await post([
    { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' },
    ...raws.map((raw, index) => ({
      jsonrpc: '2.0',
      id: 10 + index,
      method: 'eth_sendRawTransaction',
      params: [raw],
    })),
    { jsonrpc: '2.0', method: 'eth_chainId' },
    7,
    { jsonrpc: '2.0', id: 2, method: 'evm_mine' },
    { jsonrpc: '2.0', id: 3, method: 'eth_getBlockByNumber', params: ['latest', false] },
  ])
  expect(body.map(({ id }: { id: unknown }) => id)).toEqual([1, 10, 11, 12, null, 2, 3])
  expect(body[6].result.transactions).toEqual(hashes)
  expect(BigInt(body[6].result.number)).toBe(BigInt(body[0].result) + 1n)
  const receipts = await ask('eth_getBlockReceipts', [body[6].result.number])
  expect(receipts.result.map(({ transactionHash }: { transactionHash: Hex }) => transactionHash)).toEqual(
    hashes,
  )
})

test('a revert is code 3 with its data, a halt is not', async () => {
  const at = '0x00000000000000000000000000000000000000d0'
  const call = (code: string) => ask('eth_call', [{ to: at }, 'latest', { [at]: { code } }])
  expect(await call('0x63deadbeef6000526004601cfd')).toMatchObject({
    error: { code: 3, message: 'execution reverted', data: '0xdeadbeef' },
  })
  expect((await call('0xfe')).error).toEqual({
    code: -32000,
    message: expect.stringMatching(/invalid opcode/),
  })
  expect(await call('0x602a60005260206000f3')).toMatchObject({ result: `0x${'2a'.padStart(64, '0')}` })
})

test('owned accounts send without a key; devnet methods respond; none hangs', async () => {
  const { result: hash } = await ask('eth_sendTransaction', [
    { from: deployer!.address, to: alice.address, value: '0x5' },
  ])
  await ask('evm_mine')
  expect((await ask('eth_getTransactionReceipt', [hash])).result).toMatchObject({ status: '0x1' })
  expect((await ask('devnet_echo', [1])).result).toEqual({ params: [1], big: '0xff' })
  expect((await ask('devnet_broken')).error).toMatchObject({ message: 'out of order' })
  expect((await ask('devnet_never')).error).toMatchObject({ code: -32002 })
})

test('bodies are bounded, other methods rejected, a local page allowed', async () => {
  expect(await post(`"${'x'.repeat(100_000)}"`)).toMatchObject({
    status: 413,
    body: { error: { code: -32600 } },
  })
  expect((await fetch(serving.url)).status).toBe(405)
  const preflight = (origin: string) =>
    fetch(serving.url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } })
  const local = await preflight('http://localhost:5173')
  expect([local.status, local.headers.get('access-control-allow-origin')]).toEqual([
    204,
    'http://localhost:5173',
  ])
  const foreign = await preflight('https://evil.example')
  expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null])
})

test('pages from elsewhere, other names of this machine and forms move nothing', async () => {
  const { port } = serving
  const body = JSON.stringify({
    ...{ jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction' },
    params: [{ from: deployer!.address, to: alice.address, value: '0x7' }],
  })
  const send = (headers: Record<string, string>, path = '/') =>
    new Promise<number>((resolve, reject) => {
      const request = httpRequest(
        { port, path, method: 'POST', headers: { ...JSON_BODY, ...headers } },
        (answer) => {
          answer.resume()
          resolve(answer.statusCode!)
        },
      )
      request.once('error', reject)
      request.end(body)
    })
  const sentBefore = (await ask('eth_getTransactionCount', [deployer!.address, 'pending'])).result
  for (const path of ['/', '/sequencer']) {
    expect(await send({ origin: 'https://evil.example' }, path)).toBe(403)
    expect(await send({ host: `evil.example:${port}` }, path)).toBe(421)
    expect(await send({ 'content-type': 'text/plain' }, path)).toBe(415)
  }
  expect((await ask('eth_getTransactionCount', [deployer!.address, 'pending'])).result).toBe(sentBefore)
  expect(await send({ host: `localhost:${port}` })).toBe(200)
  await chain.mine()

  const refusal = (headers: Record<string, string>) =>
    new Promise<number>((resolve) => {
      const socket = new WebSocket(serving.url.replace('http', 'ws'), { headers })
      socket.once('unexpected-response', (_, answer) => resolve(answer.statusCode!))
      socket.once('error', () => {})
      socket.once('open', () => resolve(101))
    })
  expect(await refusal({ origin: 'https://evil.example' })).toBe(403)
  expect(await refusal({ host: 'evil.example' })).toBe(421)
})

test('a socket serves requests, and subscriptions end on request', async () => {
  const socket = new WebSocket(serving.url.replace('http', 'ws'))
  const inbox: Record<string, unknown>[] = []
  socket.on('message', (data) => inbox.push(JSON.parse(String(data))))
  await new Promise((resolve) => socket.once('open', resolve))
  const until = async (count: number) => {
    for (let left = 300; left > 0 && inbox.length < count; left -= 1)
      await new Promise((resolve) => setTimeout(resolve, 10))
    expect(inbox).toHaveLength(count)
    return inbox[count - 1] as {
      result?: unknown
      params?: { subscription: string; result: Record<string, unknown> }
    }
  }
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
  const subscription = (await until(1)).result
  const block = await chain.mine()
  const notification = (await until(2)).params
  expect(notification).toMatchObject({ subscription, result: { hash: block.hash, number: block.number } })
  expect(notification?.result).not.toHaveProperty('transactions')
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'eth_unsubscribe', params: [subscription] }))
  expect((await until(3)).result).toBe(true)
  await chain.mine()
  socket.send('nonsense')
  expect(await until(4)).toMatchObject({ error: { code: -32700 } })
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'eth_subscribe', params: ['nothing'] }))
  expect(await until(5)).toMatchObject({ error: { code: -32602 } })
  socket.close()
})

test('the sequencer accepts transactions only, and counts them', async () => {
  expect(await ask('eth_chainId', [], '/sequencer')).toMatchObject({ error: { code: -32601 } })
  const raw = await signed()
  const hash = keccak256(raw)
  expect((await ask('devnet_sequencerSeen', [hash])).result).toBe(0)
  expect(await ask('eth_sendRawTransaction', [raw], '/sequencer')).toMatchObject({ result: hash })
  expect((await ask('devnet_sequencerSeen', [hash])).result).toBe(1)
  expect((await chain.mine()).transactions.map((tx) => tx.hash)).toEqual([hash])
  const again = await fetch(sequencerOnly.url, {
    method: 'POST',
    headers: JSON_BODY,
    body: JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'eth_sendRawTransaction', params: [raw] }),
  })
  expect(await again.json()).toMatchObject({ id: 9, error: { code: -32000 } })
  expect((await ask('devnet_sequencerSeen', [hash])).result).toBe(2)
})

test('in mode refuse it pools nothing', async () => {
  expect((await ask('devnet_sequencer', [{ mode: 'refuse' }])).result).toMatchObject({ mode: 'refuse' })
  const raw = await signed()
  expect(await ask('eth_sendRawTransaction', [raw], '/sequencer')).toMatchObject({ error: { code: -32003 } })
  expect((await chain.mine()).transactions).toEqual([])
  await ask('devnet_sequencer', [{ mode: 'ok' }])
  expect(await ask('eth_sendRawTransaction', [raw], '/sequencer')).toHaveProperty('result')
  await chain.mine()
})

test('in mode lossy it pools and never answers', async () => {
  await ask('devnet_sequencer', [{ mode: 'lossy' }])
  const raw = await signed()
  const failure = await new Promise<NodeJS.ErrnoException>((resolve, reject) => {
    const sending = httpRequest(`${serving.url}/sequencer`, { method: 'POST', headers: JSON_BODY }, () =>
      reject(new Error('answered')),
    )
    sending.on('error', resolve)
    sending.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] }))
  })
  expect(failure.code).toBe('ECONNRESET')
  expect((await chain.mine()).transactions.map((tx) => tx.hash)).toEqual([keccak256(raw)])
  await ask('devnet_sequencer', [{ mode: 'ok' }])
})

test('in mode slow it delays its response', async () => {
  await ask('devnet_sequencer', [{ mode: 'slow', delay_ms: 250 }])
  const raw = await signed()
  const startedMs = performance.now()
  const sending = ask('eth_sendRawTransaction', [raw], '/sequencer')
  expect((await chain.mine()).transactions).toEqual([])
  expect(await sending).toMatchObject({ result: keccak256(raw) })
  expect(performance.now() - startedMs).toBeGreaterThan(240)
  await ask('devnet_sequencer', [{ mode: 'ok' }])
  expect((await ask('devnet_sequencer', [{ mode: 'sulky' }])).error.code).toBe(-32602)
  expect((await ask('devnet_sequencer', [{ delay_ms: -1 }])).error.code).toBe(-32602)
})

test('closing finishes an open request and does not wait for idle connections', async () => {
  const other = await serveRpc({ rpc })
  const socket = new WebSocket(other.url.replace('http', 'ws'))
  await new Promise((resolve) => socket.once('open', resolve))
  const gone = new Promise<number>((resolve) => socket.once('close', resolve))
  const open = fetch(other.url, {
    method: 'POST',
    headers: JSON_BODY,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'devnet_late' }),
  }).then((answer) => answer.json())
  await new Promise((resolve) => setTimeout(resolve, 100))
  const startedMs = performance.now()
  await other.close()
  expect(performance.now() - startedMs).toBeLessThan(1_900)
  expect(await open).toMatchObject({ result: 'late' })
  expect(await gone).toBe(1001)
  await expect(fetch(other.url)).rejects.toThrow()
})
