import { describe, expect, it } from 'vitest'
import type { Rpc } from '../rpc/index.ts'
import {
  askBaseFee,
  askBlockTime,
  askHeader,
  askIsKnown,
  askTransaction,
  askTransactions,
  lastBlockBetween,
} from './blocks.ts'

const json = {
  number: '0x10',
  hash: '0xAB',
  parentHash: '0xaa',
  timestamp: '0x64',
  baseFeePerGas: '0x7',
}

describe('a block', () => {
  it('is requested by number, by hash or by tag', () => {
    expect(askHeader(16).call).toEqual(['eth_getBlockByNumber', ['0x10', false]])
    expect(askHeader('latest').call).toEqual(['eth_getBlockByNumber', ['latest', false]])
    expect(askHeader({ hash: '0xab' }).call).toEqual(['eth_getBlockByHash', ['0xab', false]])
  })

  it('is parsed, or undefined', () => {
    const { parse } = askHeader(16)
    const header = { number: 16, hash: '0xab', parentHash: '0xaa', timestampS: 100, baseFeeWei: 7n }
    expect(parse(json)).toEqual(header)
    expect(parse({ ...json, baseFeePerGas: undefined })).toEqual({ ...header, baseFeeWei: 0n })
    expect(parse(null)).toBeNull()
    for (const missing of ['number', 'hash', 'parentHash', 'timestamp'])
      expect(parse({ ...json, [missing]: undefined })).toBeUndefined()
    expect(parse('busy')).toBeUndefined()
  })

  it('returns its time or its base fee alone', () => {
    expect(askBlockTime(16).parse({ timestamp: '0x64' })).toBe(100)
    expect(askBlockTime(16).parse({})).toBeUndefined()
    expect(askBaseFee('latest').parse({ baseFeePerGas: '0x0' })).toBe(0n)
    // Unknown is not free.
    expect(askBaseFee('latest').parse(json.number)).toBeUndefined()
    expect(askBaseFee('latest').parse({})).toBeUndefined()
  })

  it('returns all of its transactions or none', () => {
    const tx = { hash: '0xAA', from: '0xBB', to: '0xCC', value: '0x5' }
    const read = { hash: '0xaa', from: '0xbb', to: '0xcc', valueWei: 5n }
    const { call, parse } = askTransactions(16)
    expect(call).toEqual(['eth_getBlockByNumber', ['0x10', true]])
    expect(parse({ transactions: [tx, { ...tx, to: null }] })).toEqual([read, { ...read, to: null }])
    expect(parse({ transactions: [tx, '0xaa'] })).toBeUndefined()
    expect(parse({ transactions: [tx, null] })).toBeUndefined()
    expect(parse(null)).toBeNull()
    expect(askTransaction('0xaa').parse(tx)).toEqual(read)
    expect(askTransaction('0xaa').parse(null)).toBeNull()
    expect([{}, null, 'busy'].map((answer) => askIsKnown('0xaa').parse(answer))).toEqual([
      true,
      false,
      undefined,
    ])
  })
})

/** A chain with a block at each of these times. */
function chainOf(times: readonly number[]) {
  const state = { looks: 0 }
  const rpc: Pick<Rpc, 'request'> = {
    async request<T>(method: string, params: readonly unknown[] = []) {
      if (method === 'eth_blockNumber') return `0x${(times.length - 1).toString(16)}` as T
      state.looks++
      const timestamp = times[Number(params[0])]
      return (timestamp === undefined ? null : { timestamp: `0x${timestamp.toString(16)}` }) as T
    },
  }
  return { rpc, state }
}

describe('the last block before a time', () => {
  it('is searched only between the two given blocks', async () => {
    const { rpc, state } = chainOf(Array.from({ length: 100 }, (_, i) => i * 10))
    expect(await lastBlockBetween(rpc, 455, { before: 40, notBefore: 50 })).toBe(45)
    // The lower bound itself is not read.
    expect(await lastBlockBetween(rpc, 100, { before: 60, notBefore: 61 })).toBe(60)
    expect(state.looks).toBeLessThanOrEqual(4)
  })

  it('throws if the node lacks a block', async () => {
    const { rpc } = chainOf([1, 2])
    await expect(lastBlockBetween(rpc, 9, { before: 0, notBefore: 8 })).rejects.toThrow('no block 4')
  })
})
