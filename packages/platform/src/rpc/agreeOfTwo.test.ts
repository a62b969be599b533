import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { type AgreeingRpc, agreeOfTwo } from './agreeOfTwo.ts'

interface Node {
  url: string
  head: number
  /** Its result of eth_call by block. */
  asked: unknown[]
  say: Record<string, unknown>
  close(): void
}
const open: { close(): void }[] = []
afterEach(() => {
  for (const one of open.splice(0)) one.close()
})

async function startNode(): Promise<Node> {
  const server: Server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const message = JSON.parse(text)
      const answers = [message].flat().map(({ id, method, params }) => {
        if (method === 'eth_blockNumber') return { id, result: `0x${node.head.toString(16)}` }
        node.asked.push(params.at(-1))
        const said = node.say[method]
        return said instanceof Error
          ? { id, error: { code: 3, message: said.message } }
          : { id, result: said }
      })
      response.end(JSON.stringify(Array.isArray(message) ? answers : answers[0]))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const node: Node = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    head: 100,
    asked: [],
    say: { eth_call: '0x01', eth_getTransactionCount: '0x5', eth_getBlockByNumber: null },
    close: () => void server.close().closeAllConnections(),
  }
  open.push(node)
  return node
}

async function openNodes(count: number) {
  const nodes = await Promise.all(Array.from({ length: count }, startNode))
  const alarms: unknown[] = []
  const rpc: AgreeingRpc = agreeOfTwo({
    urls: nodes.map(({ url }) => url),
    alarm: (what) => alarms.push(what),
  })
  open.push(rpc)
  return { nodes, rpc, alarms, call: () => rpc.request('eth_call', [{}, 'latest']) }
}

it('reads from two nodes at the newest block that both have', async () => {
  const { nodes, rpc, call } = await openNodes(2)
  nodes[1]!.head = 97
  expect(await call()).toBe('0x01')
  expect(nodes.map(({ asked }) => asked)).toEqual([['0x61'], ['0x61']])
  expect(await rpc.request('eth_blockNumber')).toBe('0x61')
  expect(rpc.trouble()).toBeNull()
})

it.each([
  ['another value', '0x02'],
  ['a revert', new Error('execution reverted')],
])('rejects a read that one node answers with %s, and raises an alarm', async (_, said) => {
  const { nodes, rpc, alarms, call } = await openNodes(2)
  nodes[1]!.say['eth_call'] = said
  await expect(call()).rejects.toMatchObject({ why: 'divided' })
  expect(alarms).toMatchObject([{ method: 'eth_call', block: 100 }])
  expect(rpc.trouble()).toContain('disagree on eth_call at block 100')
})

it('compares only the block fields that all nodes report alike', async () => {
  const { nodes, rpc } = await openNodes(2)
  const block = { hash: '0xab', number: '0x64', timestamp: '0x1', baseFeePerGas: '0x7' }
  nodes[0]!.say['eth_getBlockByNumber'] = { ...block, size: '0x1' }
  nodes[1]!.say['eth_getBlockByNumber'] = { l1BlockNumber: '0x9', ...block, hash: '0xAB' }
  expect(await rpc.request('eth_getBlockByNumber', ['latest', false])).toMatchObject(block)
  nodes[1]!.say['eth_getBlockByNumber'] = { ...block, baseFeePerGas: '0x8' }
  await expect(rpc.request('eth_getBlockByNumber', ['latest', false])).rejects.toMatchObject({
    why: 'divided',
  })
})

it('takes the larger of two pending nonces, since pending transactions differ by node', async () => {
  const { nodes, rpc } = await openNodes(2)
  nodes[1]!.say['eth_getTransactionCount'] = '0x6'
  expect(await rpc.request('eth_getTransactionCount', ['0x', 'pending'])).toBe('0x6')
  await expect(rpc.request('eth_getTransactionCount', ['0x', 'latest'])).rejects.toMatchObject({
    why: 'divided',
  })
})

it('ignores a node that claims a head far ahead', async () => {
  const { nodes, call } = await openNodes(3)
  nodes[0]!.head = 1_000_000
  expect(await call()).toBe('0x01')
  expect(nodes.map(({ asked }) => asked.length)).toEqual([0, 1, 1])
})

it('rejects a single node’s result, and works with two of three', async () => {
  const { nodes, rpc, alarms, call } = await openNodes(3)
  nodes[0]!.close()
  expect(await call()).toBe('0x01')
  nodes[1]!.head = 1_000
  await expect(call()).rejects.toThrow('2 of 3 nodes answer, and no two are close in height')
  nodes[1]!.head = 100
  nodes[1]!.close()
  await expect(rpc.batch([['eth_call', [{}, 'latest']]])).rejects.toThrow('two must agree')
  expect(alarms).toEqual([])
})
