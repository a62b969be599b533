import { describe, expect, it } from 'vitest'
import type { Rpc } from '../rpc/index.ts'
import { traceEther } from './etherMoves.ts'
import { askReceipt, readReceipts } from './receipts.ts'

const receiptOf = askReceipt('0x01').parse
const raw = {
  status: '0x1',
  blockNumber: '0x10',
  blockHash: '0xAB',
  from: '0xCD',
  gasUsed: '0x2',
  effectiveGasPrice: '0x3',
}

describe('a receipt', () => {
  it('is parsed with its gas cost', () => {
    expect(receiptOf({ ...raw, logs: [] })).toEqual({
      ok: true,
      block: 16,
      blockHash: '0xab',
      from: '0xcd',
      logs: [],
      gasCostWei: 6n,
    })
    expect(receiptOf({ ...raw, l1Fee: '0x5', logs: [] })).toMatchObject({ gasCostWei: 11n })
    // Unknown is not free.
    expect(receiptOf({ ...raw, gasUsed: null, logs: [] })).toMatchObject({ gasCostWei: null })
    expect(receiptOf({ ...raw, status: '0x0', from: undefined, logs: [] })).toMatchObject({
      ok: false,
      from: null,
    })
  })
  it('has its logs in lower case', () => {
    const log = { address: '0xAA', topics: ['0xBB'], data: '0xCC' }
    expect(receiptOf({ ...raw, logs: [log] })?.logs).toEqual([
      { address: '0xaa', topics: ['0xbb'], data: '0xcc' },
    ])
  })
  it('is null without a block, and undefined if invalid', () => {
    expect(receiptOf(null)).toBeNull()
    expect(receiptOf({ ...raw, blockHash: null, logs: [] })).toBeNull()
    expect(receiptOf(raw)).toBeUndefined()
    expect(receiptOf(undefined)).toBeUndefined()
    expect(receiptOf({ error: 'busy' })).toBeUndefined()
    for (const log of [null, {}, { address: '0xaa', topics: [7], data: '0x' }])
      expect(receiptOf({ ...raw, logs: [log] })).toBeUndefined()
  })
  it('is requested in batches of a hundred', async () => {
    const pages: number[] = []
    const rpc: Pick<Rpc, 'batch'> = {
      batch: async (calls, options) => {
        pages.push(calls.length)
        expect(options).toEqual({ timeoutMs: 5_000 })
        return calls.map(([, [hash]]) => ({ ok: true, result: hash === '0x7' ? null : { ...raw, logs: [] } }))
      },
    }
    const hashes = Array.from({ length: 230 }, (_, i): `0x${string}` => `0x${i.toString(16)}`)
    const receipts = await readReceipts(rpc, hashes)
    expect(pages).toEqual([100, 100, 30])
    expect(receipts.flatMap((receipt, i) => (receipt === null ? [i] : []))).toEqual([7])
  })
})

it('traces count transfers that were not reverted', async () => {
  const [WALLET, ROUTER, MEME, RECIPIENT] = (['1', 'b', '3', '4'] as const).map(
    (digit): `0x${string}` => `0x${digit.repeat(40)}`,
  ) as [`0x${string}`, `0x${string}`, `0x${string}`, `0x${string}`]
  const inner = { type: 'CALL', from: ROUTER, to: WALLET, value: '0x5' }
  const top = {
    type: 'CALL',
    from: WALLET,
    to: ROUTER,
    value: '0x2',
    calls: [
      inner,
      { ...inner, type: 'DELEGATECALL' },
      { type: 'CALL', from: ROUTER, to: MEME, error: 'out of gas', calls: [inner] },
      { type: 'CALL', from: ROUTER.toUpperCase().replace('0X', '0x'), to: RECIPIENT, value: '0x1' },
    ],
  }
  const answering = (answer: unknown) => ({ request: async () => answer }) as never
  const moves = await traceEther(answering(top), '0x')
  expect(moves?.net(WALLET)).toBe(3n)
  expect(moves?.paid(ROUTER, RECIPIENT)).toBe(1n)
  expect(await traceEther(answering({ ...top, error: 'reverted' }), '0x')).toBeNull()
  expect(await traceEther({ request: () => Promise.reject(new Error('no')) } as never, '0x')).toBeNull()
})
