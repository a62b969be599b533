import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { createManualClock } from '../../test/manualClock.ts'
import { type Activity, createActivity } from '../jobs/activity.ts'
import { followHeads, type Heads } from './heads.ts'

let server: WebSocketServer
let heads: Heads
afterEach(() => {
  heads.close()
  for (const client of server.clients) client.terminate()
  server.close()
})

async function open({
  chain = '0x1237',
  subscribes = true,
  activity,
}: {
  chain?: string
  subscribes?: boolean
  activity?: Activity
} = {}) {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  let connections = 0
  const methods: string[] = []
  server.on('connection', (socket) => {
    connections += 1
    socket.on('message', (data) => {
      const { id, method } = JSON.parse(String(data))
      methods.push(method)
      const answer =
        method === 'eth_chainId'
          ? { result: chain }
          : subscribes
            ? { result: '0xsub' }
            : { error: { code: -32_601, message: 'no subscriptions' } }
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
    })
  })
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  heads = followHeads({ url, isGuess: false, chainId: 4663, activity })
  let headCount = 0
  heads.onHead(() => {
    headCount += 1
  })
  const tell = () => {
    for (const client of server.clients)
      client.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: {} }))
  }
  return { heard: () => headCount, connections: () => connections, tell, methods }
}

it('reports each block, and reconnects after it was dropped', async () => {
  const { heard, tell, connections } = await open()
  await expect.poll(heads.isAlive).toBe(true)
  const first = heard()
  tell()
  await expect.poll(heard).toBe(first + 1)
  for (const client of server.clients) client.terminate()
  await expect.poll(heads.isAlive).toBe(false)
  await expect.poll(heads.isAlive, { timeout: 5_000 }).toBe(true)
  expect(connections()).toBe(2)
  // Blocks in between trigger a poll at once.
  expect(heard()).toBeGreaterThan(first + 1)
})

it.each([{ chain: '0x1' }, { subscribes: false }])('is not alive on an unsuitable node: %o', async (node) => {
  const { connections, heard } = await open(node)
  await expect.poll(connections, { timeout: 5_000 }).toBeGreaterThan(1)
  expect(heads.isAlive()).toBe(false)
  expect(heard()).toBe(0)
})

it('unsubscribes while the process is idle', async () => {
  const clock = createManualClock()
  const activity = createActivity(clock)
  const { methods, tell, heard } = await open({ activity })
  const subscribed = ['eth_chainId', 'eth_subscribe']
  await expect.poll(heads.isAlive).toBe(true)
  tell()
  await expect.poll(heard).toBe(2)
  expect(methods).toEqual(subscribed)
  await clock.advance(60_000)
  tell()
  await expect.poll(() => methods).toEqual([...subscribed, 'eth_unsubscribe'])
  expect(heads.isAlive()).toBe(true)
  activity.note()
  activity.note()
  await expect.poll(() => methods).toEqual([...subscribed, 'eth_unsubscribe', 'eth_subscribe'])
})
