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
  let asked = 0
  const rpc = rpcOf(async () => {
    asked += 1
    return answer()
  })
  return { time, asked: () => asked, read: createParentGas({ rpc, clock: { nowMs: () => time.nowMs } }) }
}
const words = (gas: bigint) => `${numberToHex(gas, { size: 32 })}${'0'.repeat(128)}`

it('reads what each transaction takes; a step without one takes nothing', async () => {
  const { read } = open(async () => words(7_000n))
  expect(await read([step('0x01'), step(null), step('0x02')])).toEqual([7_000, 0, 7_000])
})

it('asks a chain that has no such cost again only after a while', async () => {
  const { read, asked, time } = open(async () => '0x')
  expect(await read([step('0x01')])).toEqual([0])
  expect(await read([step('0x01')])).toEqual([0])
  expect(asked()).toBe(1)
  time.nowMs = 600_000
  await read([step('0x01')])
  expect(asked()).toBe(2)
})

it.each([
  ['an answer that is none', async () => words(10n ** 12n)],
  ['a refusal', () => Promise.reject(new RpcError('eth_call', -32_000, 'no', undefined))],
  ['silence', () => Promise.reject(new RpcUnreachable('no'))],
])('counts nothing for %s', async (_, answer) => {
  expect(await open(answer).read([step('0x01')])).toEqual([0])
})
