import { expect, it } from 'vitest'
import { gatherReads } from './gatherReads.ts'
import { type RpcAnswer, type RpcCall, RpcError } from './types.ts'

function open() {
  const sent: string[][] = []
  const bounds: unknown[] = []
  const answer = ([method]: RpcCall): RpcAnswer =>
    method === 'bad'
      ? { ok: false, error: new RpcError(method, 3, 'reverted', '0x12') }
      : { ok: true, result: `${method} result` }
  const rpc = gatherReads({
    request: async <T>(method: string) => {
      sent.push([`${method} alone`])
      return `${method} result` as T
    },
    batch: async (calls, bound) => {
      sent.push(calls.map(([method]) => method))
      bounds.push(bound)
      if (calls.some(([method]) => method === 'gone')) throw new Error('unreachable')
      return calls.map(answer)
    },
  })
  return { rpc, sent, bounds }
}
const values = (answers: RpcAnswer[]) => answers.map((one) => (one.ok ? one.result : one.error.code))

it('sends a batch and a single call of one turn together, and gives each its own answers', async () => {
  const { rpc, sent, bounds } = open()
  const [batch, single] = await Promise.all([
    rpc.batch(
      [
        ['a', []],
        ['bad', []],
      ],
      { timeoutMs: 1 },
    ),
    rpc.request('b', [], { timeoutMs: 5 }),
  ])
  expect(values(batch)).toEqual(['a result', 3])
  expect(single).toBe('b result')
  expect(sent).toEqual([['a', 'bad', 'b']])
  expect(bounds).toEqual([{ timeoutMs: 5 }])
  expect(await rpc.request('c')).toBe('c result')
  expect(sent.at(-1)).toEqual(['c alone'])
})

it('joins neither two single calls nor more calls than a node accepts', async () => {
  const { rpc, sent } = open()
  const six: RpcCall[] = Array.from({ length: 6 }, (_, i) => [`${i}`, []])
  await Promise.all([rpc.batch(six), rpc.request('x'), rpc.request('y'), rpc.batch(six)])
  expect(sent.map((calls) => calls.at(-1))).toEqual(['x', '5'])
  expect(sent.map((calls) => calls.length)).toEqual([7, 7])
  await Promise.all([rpc.batch(six), rpc.batch(six)])
  expect(sent.slice(2).map((calls) => calls.length)).toEqual([6, 6])
})

it('reports an error to the call it belongs to, and a lost request to all', async () => {
  const { rpc } = open()
  const [batch, single] = await Promise.allSettled([rpc.batch([['a', []]]), rpc.request('bad')])
  expect(batch.status).toBe('fulfilled')
  expect(single).toMatchObject({ status: 'rejected', reason: { code: 3, data: '0x12' } })
  const lost = await Promise.allSettled([rpc.batch([['gone', []]]), rpc.request('b')])
  expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
