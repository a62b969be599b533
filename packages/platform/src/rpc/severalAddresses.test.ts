import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createRpc } from './createRpc.ts'
import { RpcError, RpcUnreachable } from './types.ts'

type Said = { result: unknown } | { error: { code: number; message: string; data?: unknown } } | 'hang' | 429

interface Node {
  url: string
  asked: string[]
  /** Responses by method; `eth_chainId` and `eth_blockNumber` have defaults. */
  say: Record<string, Said>
  head: number
  chain: string
  die(): Promise<void>
  revive(): Promise<void>
}

const open: { close(): void }[] = []
afterEach(() => {
  for (const one of open.splice(0)) one.close()
})

async function startNode(name: string): Promise<Node> {
  let server: Server
  let port = 0
  const node: Node = {
    url: '',
    asked: [],
    say: { eth_gasPrice: { result: name } },
    head: 100,
    chain: '0x1237',
    async die() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
    revive: listen,
  }
  function answer(method: string): Said {
    if (node.say[method]) return node.say[method]
    if (method === 'eth_chainId') return { result: node.chain }
    return { result: method === 'eth_blockNumber' ? `0x${node.head.toString(16)}` : null }
  }
  function reply(text: string, response: ServerResponse): void {
    const message = JSON.parse(text)
    const calls = [message].flat()
    node.asked.push(...calls.map(({ method }) => method))
    const said = calls.map(({ method }) => answer(method))
    if (said.includes('hang')) return
    if (said.includes(429)) return void response.writeHead(429, { 'retry-after': '0.05' }).end('{}')
    const body = calls.map(({ id }, i) => ({ jsonrpc: '2.0', id, ...(said[i] as object) }))
    response.end(JSON.stringify(Array.isArray(message) ? body : body[0]))
  }
  async function listen(): Promise<void> {
    server = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => reply(text, response))
    })
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
    node.url = `http://127.0.0.1:${port}`
  }
  await listen()
  open.push({ close: () => void server.close().closeAllConnections() })
  return node
}

async function openTwo(options: { timeoutMs?: number } = {}) {
  const nodes = [await startNode('a'), await startNode('b')] as const
  const rpc = createRpc({ url: nodes.map(({ url }) => url), chainId: 4663, ...options })
  open.push(rpc)
  const states = () => rpc.addresses().map(({ state }) => state)
  await expect.poll(() => rpc.addresses().map(({ head }) => head)).toEqual([100, 100])
  return { a: nodes[0], b: nodes[1], rpc, states }
}
const price = (rpc: ReturnType<typeof createRpc>) => rpc.request('eth_gasPrice')

describe('reads', () => {
  it('go to the preferred address, to the next if it is dead, and back once it recovers', async () => {
    const { a, rpc, states } = await openTwo()
    expect(await price(rpc)).toBe('a')
    await a.die()
    expect(await price(rpc)).toBe('b')
    expect(states()).toEqual(['down', 'up'])
    await a.revive()
    await expect.poll(states, { timeout: 10_000 }).toEqual(['up', 'up'])
    expect(await price(rpc)).toBe('a')
  })

  it('of a hanging node are answered by another within the timeout', async () => {
    const { a, rpc } = await openTwo({ timeoutMs: 1_000 })
    a.say['eth_gasPrice'] = 'hang'
    const startedMs = performance.now()
    expect(await price(rpc)).toBe('b')
    expect(performance.now() - startedMs).toBeLessThan(1_000)
  })

  it('that all fail report the first error', async () => {
    const { a, b, rpc } = await openTwo({ timeoutMs: 600 })
    await a.die()
    await b.die()
    await expect(price(rpc)).rejects.toBeInstanceOf(RpcUnreachable)
  })

  it('pause a rate-limiting address for as long as it asks, and use the other', async () => {
    const { a, rpc, states } = await openTwo()
    a.say['eth_gasPrice'] = 429
    expect(await price(rpc)).toBe('b')
    expect(states()).toEqual(['busy', 'up'])
    const requestCount = a.asked.length
    expect(await price(rpc)).toBe('b')
    expect(a.asked.length).toBe(requestCount)
    a.say['eth_gasPrice'] = { result: 'a' }
    await expect.poll(() => price(rpc)).toBe('a')
  })

  it('wait for a single rate-limiting address within the timeout', async () => {
    const a = await startNode('a')
    const rpc = createRpc({ url: a.url, timeoutMs: 2_000 })
    open.push(rpc)
    a.say['eth_gasPrice'] = 429
    setTimeout(() => {
      a.say['eth_gasPrice'] = { result: 'a' }
    }, 100)
    expect(await price(rpc)).toBe('a')
    a.say['eth_gasPrice'] = 429
    await expect(rpc.request('eth_gasPrice', [], { timeoutMs: 200 })).rejects.toMatchObject({ why: 'busy' })
  })

  it('never use an address of another chain', async () => {
    const [a, b] = [await startNode('a'), await startNode('b')]
    a.chain = '0x1'
    const rpc = createRpc({ url: [a.url, b.url], chainId: 4663 })
    open.push(rpc)
    expect(await price(rpc)).toBe('b')
    expect(rpc.addresses()[0]!.state).toBe('foreign')
    b.chain = '0x1'
    const none = createRpc({ url: [a.url, b.url], chainId: 4663 })
    open.push(none)
    await expect(price(none)).rejects.toMatchObject({ why: 'foreign' })
    expect([...a.asked, ...b.asked.slice(3)]).not.toContain('eth_gasPrice')
  })

  it('fall back to another node if one lacks a method or state', async () => {
    const { a, b, rpc } = await openTwo()
    const call = () => rpc.request('eth_call', [{}, '0x1'])
    a.say['eth_call'] = { error: { code: -32_000, message: 'missing trie node 12 (path )' } }
    b.say['eth_call'] = { result: '0x2' }
    expect(await call()).toBe('0x2')
    b.say['eth_call'] = { error: { code: 3, message: 'execution reverted' } }
    await expect(call()).rejects.toMatchObject({ code: 3 })
    b.say['eth_call'] = { error: { code: -32_000, message: 'missing trie node 34 (path )' } }
    await expect(call()).rejects.toBeInstanceOf(RpcError)
    a.say['eth_simulateV1'] = { error: { code: -32_601, message: 'the method does not exist' } }
    b.say['eth_simulateV1'] = { result: [] }
    expect(await rpc.request('eth_simulateV1', [{}, 'latest'])).toEqual([])
    const requestCount = a.asked.length
    expect(await rpc.request('eth_simulateV1', [{}, 'latest'])).toEqual([])
    expect(a.asked.length).toBe(requestCount)
  })

  it('treat a revert as a result: no other node is tried', async () => {
    const { a, b, rpc } = await openTwo()
    a.say['eth_call'] = { error: { code: 3, message: 'execution reverted: internal error' } }
    await expect(rpc.request('eth_call', [{}, 'latest'])).rejects.toMatchObject({ code: 3 })
    expect(b.asked).not.toContain('eth_call')
  })

  it.each([
    { code: 3, message: 'execution reverted: too many requests' },
    { code: -32_000, message: 'execution reverted: rate limit, requests per second' },
    { code: -32_000, message: 'execution reverted: header not found' },
    { code: -32_603, message: 'internal error', data: '0x08c379a0' },
    { code: -32_015, message: 'throttled: unavailable', data: 'Reverted 0x08c379a0' },
    { code: 429, message: 'too many requests', data: { data: '0x08c379a0' } },
  ])('take $code $message $data for a revert, not for node trouble', async (error) => {
    const { a, b, rpc, states } = await openTwo()
    a.say['eth_call'] = { error }
    await expect(rpc.request('eth_call', [{}, 'latest'])).rejects.toMatchObject({ code: error.code })
    const answers = await rpc.batch([
      ['eth_call', [{}, 'latest']],
      ['eth_gasPrice', []],
    ])
    expect(answers).toMatchObject([{ ok: false }, { ok: true, result: 'a' }])
    expect(states()).toEqual(['up', 'up'])
    expect(b.asked).not.toContain('eth_call')
  })

  it.each([
    { code: 429, message: 'too many requests', data: { see: 'https://node.example/limits' } },
    { code: -32_005, message: 'request rate limited' },
  ])('take $code $message for a rate-limiting node', async (error) => {
    const { a, rpc, states } = await openTwo()
    a.say['eth_gasPrice'] = { error }
    expect(await price(rpc)).toBe('b')
    expect(states()).toEqual(['busy', 'up'])
  })

  it('never take logs from a node that is behind the block they name', async () => {
    const { a, b, rpc } = await openTwo()
    const logs = { fromBlock: '0x1', toBlock: '0x96' }
    a.say['eth_getLogs'] = { result: ['too few'] }
    b.say['eth_getLogs'] = { result: ['all'] }
    b.head = 150
    expect(await rpc.request('eth_getLogs', [logs])).toEqual(['all'])
    expect(a.asked).not.toContain('eth_getLogs')
    b.head = 100
    await expect(rpc.request('eth_getLogs', [{ ...logs, toBlock: '0xff' }])).rejects.toMatchObject({
      why: 'behind',
    })
  })

  it('prefer an up-to-date node to a lagging one', async () => {
    const { b, rpc, states } = await openTwo()
    b.head = 1_000
    await expect.poll(states, { timeout: 10_000 }).toEqual(['lagging', 'up'])
    expect(await price(rpc)).toBe('b')
  })

  it('of a batch stay together', async () => {
    const { a, b, rpc } = await openTwo()
    a.say['eth_getBalance'] = 'hang'
    b.say['eth_getBalance'] = { result: '0x5' }
    const answers = await rpc.batch(
      [
        ['eth_getBalance', ['0x', 'latest']],
        ['eth_gasPrice', []],
      ],
      { timeoutMs: 1_000 },
    )
    expect(answers).toEqual([
      { ok: true, result: '0x5' },
      { ok: true, result: 'b' },
    ])
  })
})

describe('transactions', () => {
  const send = (rpc: ReturnType<typeof createRpc>) =>
    rpc.request('eth_sendRawTransaction', ['0x02'], { timeoutMs: 500 })

  it('are sent once: never to another node if the response is missing', async () => {
    const { a, b, rpc } = await openTwo()
    a.say['eth_sendRawTransaction'] = 'hang'
    await expect(send(rpc)).rejects.toMatchObject({ unsent: false })
    a.say['eth_sendRawTransaction'] = { error: { code: -32_000, message: 'internal error' } }
    await expect.poll(() => rpc.addresses()[0]!.state).toBe('up')
    await expect(send(rpc)).rejects.toBeInstanceOf(RpcError)
    expect(b.asked).not.toContain('eth_sendRawTransaction')
  })

  it('go to the next address if the first is known to be dead', async () => {
    const { a, b, rpc } = await openTwo()
    b.say['eth_sendRawTransaction'] = { result: '0xhash' }
    await a.die()
    await price(rpc)
    expect(await send(rpc)).toBe('0xhash')
    expect(b.asked.filter((method) => method === 'eth_sendRawTransaction')).toHaveLength(1)
  })
})
