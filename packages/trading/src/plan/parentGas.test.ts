import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { numberToHex } from 'viem'
import { expect, it } from 'vitest'
import type { PlanStep } from '../types.ts'
import { createParentGas } from './parentGas.ts'

const WALLET = `0x${'1'.repeat(40)}` as const
const step = (data: `0x${string}` | null) =>
  ({ kind: 'swap', tx: data && { from: WALLET, to: WALLET, data, gas: 1 } }) as unknown as PlanStep

function open(answer: () => Promise<unknown>) {
  const time = { nowMs: 0 }
  let calls = 0
  const rpc = rpcOf(async () => {
    calls += 1
    return answer()
  })
  return { time, asked: () => calls, read: createParentGas({ rpc, clock: { nowMs: () => time.nowMs } }) }
}
const words = (gas: bigint) => `${numberToHex(gas, { size: 32 })}${'0'.repeat(128)}`

it('reads the gas of each transaction, and 0 for a step without one', async () => {
  const { read } = open(async () => words(7_000n))
  expect(await read([step('0x01'), step(null), step('0x02')])).toEqual([7_000, 0, 7_000])
})

it('repeats the call on a chain without such a cost only after a while', async () => {
  const { read, asked, time } = open(async () => '0x')
  expect(await read([step('0x01')])).toEqual([0])
  expect(await read([step('0x01')])).toEqual([0])
  expect(asked()).toBe(1)
  time.nowMs = 600_000
  await read([step('0x01')])
  expect(asked()).toBe(2)
})

it.each([
  ['an implausible answer', async () => words(10n ** 12n)],
  ['a refusal', () => Promise.reject(new RpcError('eth_call', -32_000, 'no', undefined))],
  ['silence', () => Promise.reject(new RpcUnreachable('no'))],
])('returns 0 for %s', async (_, answer) => {
  expect(await open(answer).read([step('0x01')])).toEqual([0])
})
