import type { Hex } from '@pit/chain'
import { systemClock } from '@pit/platform/clock'
import { expect, it } from 'vitest'
import { createFeeWaiter } from './feeWaiter.ts'

const hashOf = (i: number): Hex => `0x${i.toString(16).padStart(64, '0')}`

function node() {
  const polled: Hex[] = []
  const fates = new Map<Hex, '0x0' | '0x1'>()
  const request = async (_: string, [hash]: readonly unknown[] = []) => {
    polled.push(hash as Hex)
    const status = fates.get(hash as Hex)
    return (status ? { status, blockNumber: '0x1', blockHash: '0xab', logs: [] } : null) as never
  }
  return { asked: polled, fates, rpc: { request } }
}

it('polls the node once for many waits on the same fee', async () => {
  const { rpc, asked, fates } = node()
  const wait = createFeeWaiter({ rpc, clock: systemClock }, { stepMs: 20 })
  const many = Promise.all(Array.from({ length: 50 }, (_, i) => wait(i % 3, hashOf(1))))
  expect(asked).toHaveLength(1)
  fates.set(hashOf(1), '0x1')
  expect(new Set(await many)).toEqual(new Set(['mined']))
  expect(asked).toHaveLength(2)
  fates.set(hashOf(2), '0x0')
  expect(await wait(1, hashOf(2))).toBe('reverted')
})

it('gives up after a while and releases its state', async () => {
  const { rpc, asked } = node()
  const wait = createFeeWaiter({ rpc, clock: systemClock }, { withinMs: 1, stepMs: 5 })
  expect(await wait(1, hashOf(1))).toBe('not yet')
  const before = asked.length
  expect(await wait(1, hashOf(1))).toBe('not yet')
  expect(asked.length).toBeGreaterThan(before)
})

it('limits the fees waited for per key, independently of other keys', async () => {
  const { rpc, fates } = node()
  const wait = createFeeWaiter({ rpc, clock: systemClock }, { stepMs: 5 })
  const first = [1, 2, 3, 4].map((i) => wait(1, hashOf(i)))
  const again = wait(1, hashOf(4))
  expect(await wait(1, hashOf(5))).toBe('too many')
  const other = wait(2, hashOf(5))
  for (let i = 1; i <= 5; i++) fates.set(hashOf(i), '0x1')
  expect(await Promise.all([...first, again, other])).toEqual(Array(6).fill('mined'))
  expect(await wait(1, hashOf(5))).toBe('mined')
})
