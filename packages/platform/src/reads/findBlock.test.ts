import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Rpc, RpcError } from '../rpc/index.ts'
import { askEther } from './accounts.ts'
import { firstBlockWhere, lastBlockBefore } from './findBlock.ts'

/** A chain with a block at each of these times; the balance of any account is its block's number. */
function chainOf(times: readonly number[], { stateFrom = 0 } = {}) {
  const state = { batches: 0 }
  const rpc: Pick<Rpc, 'batch'> = {
    async batch(calls) {
      state.batches++
      return calls.map(([method, params = []]) => {
        if (method === 'eth_blockNumber') return { ok: true, result: `0x${(times.length - 1).toString(16)}` }
        if (method === 'eth_getBalance')
          return Number(params[1]) < stateFrom
            ? { ok: false, error: new RpcError(method, -32_000, 'missing trie node', undefined) }
            : { ok: true, result: params[1] }
        const timestamp = times[Number(params[0])]
        return {
          ok: true,
          result: timestamp === undefined ? null : { timestamp: `0x${timestamp.toString(16)}` },
        }
      })
    },
  }
  return { rpc, state }
}
const chains = fc
  .array(fc.nat(30), { minLength: 1, maxLength: 300 })
  .map((steps) => steps.map((_, i) => steps.slice(0, i + 1).reduce((sum, step) => sum + step, 0)))

it('finds the last block before a time in a few requests', async () => {
  await fc.assert(
    fc.asyncProperty(chains, fc.nat(9_000), async (times, timeS) => {
      const { rpc, state } = chainOf(times)
      const expected = times.findLastIndex((time) => time < timeS)
      expect(await lastBlockBefore(rpc, timeS)).toBe(expected === -1 ? null : expected)
      expect(state.batches).toBeLessThanOrEqual(5)
    }),
  )
})

describe('the first block with a condition', () => {
  const search = (least: bigint) => ({
    ask: (block: number) => askEther('0x00000000000000000000000000000000000000aa', block),
    holds: (wei: bigint) => wei >= least,
  })
  it.each<[string, bigint, number, object]>([
    ['in the middle', 70n, 0, { first: 70, isFirst: true }],
    ['at the start', 0n, 0, { first: 0, isFirst: true }],
    ['at the head', 99n, 0, { first: 99, isFirst: true }],
    ['nowhere', 100n, 0, { first: null, isFirst: true }],
    ['where the older state is missing', 70n, 69, { first: 70, isFirst: true }],
    ['perhaps in missing state', 70n, 80, { first: 80, isFirst: false }],
  ])('is found %s', async (_, least, stateFrom, found) => {
    const { rpc } = chainOf(Array(100).fill(1), { stateFrom })
    expect(await firstBlockWhere(rpc, search(least))).toEqual({ head: 99, ...found })
  })
})
