import { afterEach, expect, it } from 'vitest'
import { openChain } from '../engine/chain.ts'
import type { Chain, Hex } from '../engine/types.ts'
import { createRpc, type Rpc } from './index.ts'

// No client can see that blocks are mined late.

const BLOCK_MS = 20
/** Longer than the test: only a request or someone who awaits blocks mines them. */
const REST_MS = 600_000
const TEST_KEY_ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

let chain: Chain
let rpc: Rpc
afterEach(async () => {
  rpc.close()
  await chain.close()
})

async function open() {
  chain = await openChain()
  rpc = createRpc({ chain })
  chain.startTicking(BLOCK_MS, { restMs: REST_MS })
}
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const blockNumber = async () => Number(await rpc.call('eth_blockNumber'))

it('answers a request after the blocks that are due, which have their own times', async () => {
  await open()
  const first = await blockNumber()
  const startedMs = performance.now()
  await sleep(1_500)
  expect(Number(chain.head().number)).toBe(first)
  const last = await blockNumber()
  const passed = (performance.now() - startedMs) / BLOCK_MS
  expect(last - first).toBeGreaterThan(1_500 / BLOCK_MS - 3)
  expect(last - first).toBeLessThan(passed + 3)
  const times = new Set<Hex>()
  for (let number = first + 1; number <= last; number++) {
    const tag = `0x${number.toString(16)}`
    const { timestamp } = (await rpc.call('eth_getBlockByNumber', [tag, false])) as { timestamp: Hex }
    times.add(timestamp)
  }
  expect(times.size).toBeGreaterThan(1)
  expect([...times]).toEqual([...times].sort())
})

it('mines a transaction without another request', async () => {
  await open()
  const tx = { from: TEST_KEY_ADDRESS, to: TEST_KEY_ADDRESS, value: '0x1', gas: '0x5208' }
  const hash = (await rpc.call('eth_sendTransaction', [tx])) as Hex
  await expect.poll(() => chain.request('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
  const { number } = chain.head()
  await sleep(10 * BLOCK_MS)
  expect(chain.head().number).toBe(number)
})

it('sends subscribers each block as it comes, until the last one leaves', async () => {
  await open()
  const messages: string[] = []
  const session = { send: (text: string) => void messages.push(text) }
  const subscribe = () =>
    rpc.handle('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}', session)
  const { result } = JSON.parse((await subscribe())!)
  await subscribe()
  await rpc.handle(`{"jsonrpc":"2.0","id":2,"method":"eth_unsubscribe","params":["${result}"]}`, session)
  await expect.poll(() => messages.length).toBeGreaterThan(10)
  rpc.drop(session)
  // A block may be in progress.
  await sleep(2 * BLOCK_MS)
  const { number } = chain.head()
  await sleep(10 * BLOCK_MS)
  expect(chain.head().number).toBe(number)
})
