import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { isPitError } from '@pit/protocol'
import { expect, it } from 'vitest'
import { simulate } from './simulate.ts'

const address = (digit: string) => `0x${digit.repeat(40)}` as const
const BLOCKS = [
  { calls: [{ label: 'buy', from: address('a'), to: address('b'), data: '0x', gas: 100, valueWei: 5n }] },
  { calls: [{ label: 'sell', from: address('c'), to: address('b'), data: '0x', gas: 100 }], timeS: 9 },
] as const satisfies Parameters<typeof simulate<'buy' | 'sell'>>[1]
const TERMS = { baseFeeWei: 7n, timeoutMs: 1_000 }

it('lends every sender ETH, pays for gas, and returns results by label', async () => {
  const answers = [
    { number: '0x1', calls: [{ status: '0x1', gasUsed: '0x5', returnData: '0x12' }] },
    { number: '0x2', calls: [{ status: '0x0', gasUsed: '0x5', error: { message: 'out of gas' } }] },
  ]
  let sent: unknown
  const rpc = rpcOf(async (_, [payload]) => {
    sent = payload
    return answers
  })
  const results = await simulate<'buy' | 'sell'>(rpc, BLOCKS, TERMS)
  expect(results.get('buy')).toMatchObject({ ok: true, data: '0x12' })
  expect(results.get('sell')).toMatchObject({ ok: false, data: '0x', reason: 'out of gas' })
  const lent = { balance: `0x${(10n ** 21n).toString(16)}` }
  const fees = { maxFeePerGas: '0x10', maxPriorityFeePerGas: '0x1' }
  expect(sent).toMatchObject({
    blockStateCalls: [
      { stateOverrides: { [address('a')]: lent, [address('c')]: lent }, calls: [{ value: '0x5', ...fees }] },
      { blockOverrides: { baseFeePerGas: '0x7', time: '0x9' }, calls: [fees] },
    ],
  })
})

it('rethrows the node’s error', async () => {
  const errors = [new RpcError('eth_simulateV1', -38_014, 'no funds', undefined), new RpcUnreachable('gone')]
  for (const error of errors)
    await expect(
      simulate(
        rpcOf(() => Promise.reject(error)),
        BLOCKS,
        TERMS,
      ),
    ).rejects.toBe(error)
  const odd = await simulate(
    rpcOf(async () => []),
    BLOCKS,
    TERMS,
  ).catch((error) => error)
  expect([odd instanceof Error, isPitError(odd)]).toEqual([true, false])
})
