import { expect, it } from 'vitest'
import { createPool } from './pool.ts'
import type { Provider } from './provider.ts'
import type { BlockJson, Hex } from './types.ts'

const HASH: Hex = `0x${'ab'.repeat(32)}`
const FROM: Hex = `0x${'11'.repeat(20)}`
const block = {
  transactions: [{ hash: HASH, from: FROM, nonce: '0x0', type: '0x0', r: FROM, s: FROM, v: '0x0' }],
} as unknown as BlockJson

it('forgets a transaction that is mined before its sender is answered, and one that is sent again', async () => {
  const pool = createPool()
  let answer: (hash: Hex) => void = () => {}
  const engine = {
    request: () => new Promise<unknown>((resolve) => (answer = resolve)),
  } as unknown as Provider
  const sending = pool.sendRaw(engine, '0x01')
  pool.take(block)
  answer(HASH)
  expect(await sending).toBe(HASH)
  expect(pool.hashes()).toEqual([])
  const again = pool.sendRaw(engine, '0x01')
  answer(HASH)
  await again
  expect(pool.hashes()).toEqual([])
})
