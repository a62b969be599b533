import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Rpc, RpcError, RpcUnreachable } from '../rpc/index.ts'
import { createLogSpan, readInSpan, refusalOf } from './logSpan.ts'
import { askLogs, type BlockRange } from './logs.ts'
import { readOne } from './question.ts'

const TOPIC = '0xaa' as const
const tooMany = () =>
  new RpcError('eth_getLogs', -32_005, 'query returned more than 10000 results', undefined)
const busy = () => new RpcError('eth_getLogs', 429, 'slow down', undefined)

/** A node with this many logs per block; answers with the error that `obstacle` throws. */
function nodeOf(counts: readonly number[], obstacle: (range: BlockRange, logs: number) => void = () => {}) {
  const ranges: BlockRange[] = []
  const rpc: Pick<Rpc, 'request'> = {
    async request<T>(_: string, params: readonly unknown[] = []) {
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string }
      const range = { from: Number(fromBlock), to: Number(toBlock) }
      ranges.push(range)
      const logs = counts.slice(range.from, range.to + 1).flatMap((count, i) =>
        Array.from({ length: count }, (_, index) => ({
          address: '0xAB',
          topics: [TOPIC],
          data: '0x',
          blockNumber: `0x${(range.from + i).toString(16)}`,
          blockHash: '0xb1',
          transactionHash: '0xC1',
          logIndex: `0x${index.toString(16)}`,
        })),
      )
      obstacle(range, logs.length)
      return logs as T
    },
  }
  return { rpc, ranges }
}

async function readThrough(rpc: Pick<Rpc, 'request'>, span = createLogSpan({ max: 64 }), to = 0) {
  const names: string[] = []
  const waits: number[] = []
  const wait = async (ms: number) => void waits.push(ms)
  for (let from = 0; from <= to; ) {
    const read = (part: BlockRange) => readOne(rpc, askLogs({ topics: [TOPIC] }, part))
    const { to: end, result: found } = await readInSpan(span, { from, to }, read, { wait })
    names.push(...found.map(({ blockNumber, logIndex }) => `${blockNumber}.${logIndex}`))
    from = end + 1
  }
  return { names, waits }
}

describe('logs of a range', () => {
  const chains = fc.array(fc.nat(6), { minLength: 1, maxLength: 300 })
  const namesOf = (counts: readonly number[]) =>
    counts.flatMap((count, block) => Array.from({ length: count }, (_, index) => `${block}.${index}`))

  it('are returned once and in order, whatever size the node rejects', async () => {
    await fc.assert(
      fc.asyncProperty(
        chains,
        fc.integer({ min: 6, max: 40 }),
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 1, max: 128 }),
        async (counts, maxLogs, maxBlocks, max) => {
          const { rpc, ranges } = nodeOf(counts, ({ from, to }, logs) => {
            if (logs > maxLogs || to - from + 1 > maxBlocks) throw tooMany()
          })
          const last = counts.length - 1
          const { names, waits } = await readThrough(rpc, createLogSpan({ max }), last)
          expect(names).toEqual(namesOf(counts))
          expect(waits).toEqual([])
          for (const { from, to } of ranges) {
            expect(from).toBeLessThanOrEqual(to)
            expect(to).toBeLessThanOrEqual(last)
            expect(to - from + 1).toBeLessThanOrEqual(max)
          }
        },
      ),
    )
  })

  it('are retried after a pause, in ranges of the same size, from a rate-limiting node', async () => {
    await fc.assert(
      fc.asyncProperty(chains, fc.infiniteStream(fc.nat(3)), async (counts, refusals) => {
        let left = 0
        let at = -1
        const { rpc, ranges } = nodeOf(counts, ({ from }) => {
          if (from !== at) [at, left] = [from, refusals.next().value!]
          if (left-- > 0) throw busy()
        })
        const { names, waits } = await readThrough(rpc, createLogSpan({ max: 16 }), counts.length - 1)
        expect(names).toEqual(namesOf(counts))
        expect(waits.length).toBe(ranges.length - Math.ceil(counts.length / 16))
        for (const { from, to } of ranges) expect(to).toBe(Math.min(from + 15, counts.length - 1))
      }),
    )
  })

  it('back off, but not forever', async () => {
    const waits: number[] = []
    const wait = async (ms: number) => void waits.push(ms)
    const refusing = readInSpan(
      createLogSpan({ max: 8 }),
      { from: 0, to: 9 },
      async () => {
        throw busy()
      },
      { wait },
    )
    await expect(refusing).rejects.toMatchObject({ code: 429 })
    expect(waits).toEqual([250, 500, 1_000, 2_000])
  })

  it('use smaller ranges after a slow response, and the same after an outage', async () => {
    const span = createLogSpan({ max: 8 })
    const ends: number[] = []
    const look = (error: Error) =>
      readInSpan(span, { from: 0, to: 99 }, async ({ to }) => {
        ends.push(to)
        throw error
      }).catch((thrown) => expect(thrown).toBe(error))
    await look(new RpcUnreachable('no answer', { why: 'slow' }))
    await look(new RpcUnreachable('connection refused'))
    await look(new RpcError('eth_getLogs', -32_601, 'no such method', undefined))
    await look(new Error('a bug'))
    expect(ends).toEqual([7, 3, 3, 3])
  })

  it('are rejected with a clear message if there are too many at the smallest range', async () => {
    const { rpc, ranges } = nodeOf([1, 9, 1], (_, logs) => {
      if (logs > 5) throw tooMany()
    })
    await expect(readThrough(rpc, createLogSpan({ max: 4 }), 2)).rejects.toMatchObject({
      code: -32_005,
      message: expect.stringContaining('blocks 1 to 1: too many logs even for the smallest range'),
    })
    expect(ranges.at(-1)).toEqual({ from: 1, to: 1 })
    const coarse = nodeOf([0, 0, 0, 0, 9, 0, 0, 0], (_, logs) => {
      if (logs > 5) throw tooMany()
    })
    const span = createLogSpan({ max: 8, min: 4 })
    await expect(readThrough(coarse.rpc, span, 7)).rejects.toMatchObject({ code: -32_005 })
    expect(coarse.ranges.every(({ from, to }) => to - from + 1 >= 4)).toBe(true)
  })

  it('start at the given range and grow to the largest', async () => {
    const { rpc, ranges } = nodeOf(Array(40).fill(0))
    await readThrough(rpc, createLogSpan({ max: 16, start: 3 }), 39)
    expect(ranges.map(({ from, to }) => to - from + 1)).toEqual([3, 6, 12, 16, 3])
  })
})

it.each([
  ['size', -32_005, 'query returned more than 10000 results'],
  [
    'size',
    -32_602,
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range',
  ],
  ['size', -32_000, 'block range is too wide'],
  ['size', -32_000, 'exceed maximum block range: 5000'],
  ['size', -32_000, 'log query timed out'],
  ['size', -32_000, 'query exceeds limit 10000'],
  ['size', -32_600, 'ranges over 10000 blocks are not supported on freetier'],
  ['size', -32_614, 'eth_getLogs is limited to a 10,000 range'],
  ['other', -32_603, 'internal error'],
  ['other', -32_000, 'invalid block range params'],
  ['other', -32_000, 'block range extends beyond current head block'],
  ['rate', -32_005, 'daily request count exceeded, request rate limited'],
  ['rate', -32_005, 'too many requests'],
  ['rate', 429, 'Your app has exceeded its compute units per second capacity'],
  ['other', -32_601, 'the method eth_getLogs does not exist'],
  ['other', -32_000, 'unknown block'],
  ['other', -32_000, 'header not found'],
] as const)('classifies as %s: %i %s', (kind, code, message) => {
  expect(refusalOf(new RpcError('eth_getLogs', code, message, undefined))).toBe(kind)
})

it('a node that does not answer is not a size error, unless it sent too much', () => {
  const kinds = (['slow', 'large', 'busy', 'unreadable', 'silent'] as const).map((why) =>
    refusalOf(new RpcUnreachable('x', { why })),
  )
  expect(kinds).toEqual(['slow', 'size', 'rate', 'other', 'other'])
})

it('a log is parsed with its numbers, without removed ones', () => {
  const { parse, call } = askLogs({ address: '0x01', topics: [TOPIC, null] }, { from: 16, to: 'latest' })
  const filter = { address: '0x01', topics: [TOPIC, null], fromBlock: '0x10', toBlock: 'latest' }
  expect(call).toEqual(['eth_getLogs', [filter]])
  expect(askLogs({ topics: [] }, { blockHash: '0xb1' }).call[1]).toEqual([{ topics: [], blockHash: '0xb1' }])
  const raw = {
    address: '0xAB',
    topics: ['0xCD'],
    data: '0xEF',
    blockNumber: '0x2',
    blockHash: '0xB2',
    transactionHash: '0xC2',
    logIndex: '0x1',
  }
  const log = {
    address: '0xab',
    topics: ['0xcd'],
    data: '0xef',
    blockNumber: 2,
    blockHash: '0xb2',
    transactionHash: '0xc2',
    logIndex: 1,
  }
  const first = { ...raw, blockNumber: '0x1', blockTimestamp: '0x64' }
  expect(parse([raw, { ...raw, removed: true }, { ...raw, logIndex: '0x0' }, first])).toEqual([
    { ...log, blockNumber: 1, timestampS: 100 },
    { ...log, logIndex: 0 },
    log,
  ])
  for (const nonsense of [
    null,
    {},
    [null],
    [{ ...raw, topics: null }],
    [{ ...raw, topics: [7] }],
    [{ ...raw, blockNumber: 'x' }],
  ])
    expect(parse(nonsense)).toBeUndefined()
})
