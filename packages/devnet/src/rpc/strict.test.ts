import { describe, expect, it } from 'vitest'
import { laggingHabits } from './lag.ts'
import { createMeter, type StrictLimits, strictHabits } from './strict.ts'

const LIMITS: StrictLimits = {
  logMatches: 3,
  logMatchesNear: 5,
  logBlocks: 2_000,
  stateBlocks: 5_000,
  costPerS: 10,
  socketLifeS: 1,
}
const HEAD = 10_000
const hex = (number: number) => `0x${number.toString(16)}`
const log = (blockNumber = 1) => ({ topics: [], blockNumber: hex(blockNumber), blockTimestamp: '0x5' })
const logs = (count: number) => Array.from({ length: count }, () => log())

describe('a strict node', () => {
  const { before, after } = strictHabits({ head: () => HEAD, limits: LIMITS })
  const range = (blocks: number) => [{ fromBlock: hex(HEAD - blocks + 1), toBlock: hex(HEAD) }]

  it('has no traces, and no old state', () => {
    expect(() => before('debug_traceTransaction', ['0x'])).toThrow('does not exist/is not available')
    const call = (block: number) => () => before('eth_call', [{}, hex(block)])
    expect(call(5_000)).toThrow('missing trie node')
    expect(call(5_001)).not.toThrow()
    expect(() => before('eth_getStorageAt', ['0x', '0x0', hex(1)])).toThrow('missing trie node')
    expect(before('eth_call', [{}, 'latest'])).toEqual([{}, 'latest'])
  })

  it('limits logs by range and by matches, with more for small ranges', () => {
    expect(() => before('eth_getLogs', range(2_001))).toThrow('exceeds limit')
    expect(after('eth_getLogs', range(2_000), logs(3))).toHaveLength(3)
    expect(() => after('eth_getLogs', range(2_000), logs(4))).toThrow('exceeds limit')
    expect(after('eth_getLogs', range(1_001), logs(5))).toHaveLength(5)
    expect(() => after('eth_getLogs', range(1_001), logs(6))).toThrow('exceeds limit')
    expect(() => after('eth_getLogs', range(2_000), logs(16))).toThrow('log query timed out')
  })

  it('returns zero log times', () => {
    expect(after('eth_getLogs', range(1), [log()])).toMatchObject([{ blockTimestamp: '0x0' }])
    const receipt = { status: '0x1', logs: [log()] }
    expect(after('eth_getTransactionReceipt', ['0x'], receipt)).toMatchObject({
      status: '0x1',
      logs: [{ blockTimestamp: '0x0' }],
    })
    expect(after('eth_getTransactionReceipt', ['0x'], null)).toBeNull()
  })

  it('counts the cost of requests; test methods are free', () => {
    let nowMs = 0
    const meter = createMeter(10, () => nowMs)
    const asks = (method: string, times = 1) =>
      meter.take(JSON.stringify(Array.from({ length: times }, () => ({ method }))))
    expect(asks('eth_chainId', 20)).toBe(0)
    expect(asks('eth_chainId')).toBe(1)
    expect(asks('devnet_info')).toBe(0)
    nowMs = 500
    expect(asks('eth_chainId', 5)).toBe(0)
    expect(asks('eth_chainId')).toBe(1)
    nowMs = 10_000
    // More expensive than the whole budget: served once that is full.
    expect(asks('eth_getLogs', 3)).toBe(0)
    expect(asks('eth_chainId')).toBe(1)
  })
})

it('hides later blocks on a lagging node', () => {
  let lag = 10
  const { before, after } = laggingHabits({ head: () => HEAD, lagBlocks: () => lag })
  expect(after('eth_blockNumber', [], hex(HEAD))).toBe(hex(9_990))
  expect(before('eth_call', [{}])).toEqual([{}, hex(9_990)])
  expect(before('eth_getBlockByNumber', ['latest', false])).toEqual([hex(9_990), false])
  expect(() => before('eth_getBalance', ['0x', hex(9_991)])).toThrow('header not found')
  expect(after('eth_getBlockByNumber', [hex(9_991)], {})).toBeNull()
  expect(before('eth_getLogs', [{ fromBlock: '0x1', toBlock: hex(HEAD) }])).toEqual([
    { fromBlock: '0x1', toBlock: hex(9_990) },
  ])
  expect(after('eth_getTransactionReceipt', ['0x'], { blockNumber: hex(9_991) })).toBeNull()
  expect(after('eth_getTransactionReceipt', ['0x'], { blockNumber: hex(9_990) })).not.toBeNull()
  lag = 0
  expect(before('eth_call', [{}])).toEqual([{}])
})
