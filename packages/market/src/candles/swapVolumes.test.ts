import { type Address, newV2Pool, TOPIC } from '@pit/chain'
import type { ChainLog, Chunk, Header } from '@pit/platform/follow'
import { expect, it } from 'vitest'
import { createLogReader } from '../pools/poolLogs.ts'
import { countedTokens, createPendingSwaps, swapsIn } from './swapVolumes.ts'

const at = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
const word = (value: bigint) => BigInt.asUintN(256, value).toString(16).padStart(64, '0')
const MANAGER = at(0x44)
const [ETH, USDG, JUNK, WETH] = [at(0), at(1), at(2), at(3)]
const countedFor = countedTokens({
  core_tokens: [
    { symbol: 'ETH', address: ETH },
    { symbol: 'USDG', address: USDG },
    { symbol: 'WETH', address: WETH },
  ],
} as never)
const pool = {
  ...newV2Pool({ id: at(9), token0: ETH, token1: USDG, feeBps: 30 } as never),
  reserve0: 100n,
  reserve1: 50n,
}
const wrapped = { ...pool, id: at(7), token0: USDG, token1: WETH }
const wrapping = { ...pool, id: at(6), token1: WETH }
const other = { ...pool, id: at(8), token1: JUNK }
const v4 = { ...pool, version: 'v4', id: `0x${'4'.repeat(64)}` }
const readLog = createLogReader({ v2Factory: null, v3Factory: null, v4PoolManager: MANAGER, launchpads: [] })
const log = (address: Address, topics: string[], words: bigint[], blockNumber = 10): ChainLog =>
  ({ address, topics, data: `0x${words.map(word).join('')}`, blockNumber }) as unknown as ChainLog
const sync = (reserve0: bigint, reserve1: bigint, of = pool) =>
  log(of.id, [TOPIC.v2Sync], [reserve0, reserve1])
const read = (logs: ChainLog[], before: Header | null = null) =>
  swapsIn({ from: 1, head: { number: 10, timestampS: 630 } as Header, logs } as Chunk, {
    readLog,
    before,
    pool: (id) => [pool, other, wrapped, wrapping, v4].find((one) => one.id === id) as never,
    countedFor,
  })

it('counts both sides of v2 swaps by the change of reserves', () => {
  const swaps = read([sync(110n, 46n), sync(105n, 48n), sync(205n, 96n), sync(1n, 1n, other)])
  expect(swaps.map(({ token, atoms }) => [token, atoms])).toEqual([
    [ETH, 10n],
    [WETH, 10n],
    [USDG, 4n],
    [ETH, 5n],
    [WETH, 5n],
    [USDG, 2n],
  ])
  expect(swaps[0]).toMatchObject({ block: 10, minuteS: 600 })
})

it('counts v4 swaps of the pool manager only, and ignores malformed logs', () => {
  const topics = [TOPIC.v4Swap, v4.id]
  const honest = log(MANAGER, topics, [-7n, 3n])
  expect(read([honest, log(at(66), topics, [-900n, 3n]), log(MANAGER, topics, [])])).toMatchObject([
    { token: ETH, atoms: 7n },
    { token: WETH, atoms: 7n },
    { token: USDG, atoms: 3n },
  ])
})

it('counts WETH as ETH, and no exchange of one for the other', () => {
  expect(read([sync(90n, 60n, wrapped)]).map(({ token, atoms }) => [token, atoms])).toEqual([
    [USDG, 10n],
    [ETH, 10n],
    [WETH, 10n],
  ])
  expect(read([sync(90n, 60n, wrapping)])).toEqual([])
})

it('dates a block between its neighbours', () => {
  const early = { ...sync(110n, 46n), blockNumber: 5 }
  expect(read([early], { number: 0, timestampS: 30 } as Header)[0]).toMatchObject({ minuteS: 300 })
})

it('keeps swaps until a checkpoint includes them, and drops those of blocks that left the chain', () => {
  const pending = createPendingSwaps()
  const swap = (block: number) => ({ token: ETH, block, minuteS: 0, atoms: 1n })
  pending.add([swap(1), swap(2), swap(3)])
  pending.dropAfter(2)
  expect(pending.all()).toEqual([swap(1), swap(2)])
  pending.add([swap(3)])
  pending.dropUpTo(2)
  expect(pending.all()).toEqual([swap(3)])
})
