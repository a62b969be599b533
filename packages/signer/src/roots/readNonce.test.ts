import { rpcOf } from '@pit/platform/test/scriptedChain'
import { expect, it } from 'vitest'
import { PINS, WHO } from '../../test/kit.ts'
import { createNonceReader } from './readNonce.ts'

const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`

it('reads the wallet’s nonce once for concurrent calls', async () => {
  let reads = 0
  const rpc = rpcOf(async (_, [call]) => {
    reads++
    expect((call as { to: string }).to).toBe(PINS.addresses.enforcers.Nonce)
    return word(5n)
  })
  const read = createNonceReader({ rpc, pins: PINS })
  expect(await Promise.all([read(WHO.wallet), read(WHO.wallet)])).toEqual([5n, 5n])
  expect(await read(WHO.wallet)).toBe(5n)
  expect(reads).toBe(1)
})

it('does not keep a failed reading', async () => {
  let answer: string | null = null
  const rpc = rpcOf(async () => {
    if (answer === null) throw new Error('no answer')
    return answer
  })
  const read = createNonceReader({ rpc, pins: PINS })
  expect(await read(WHO.wallet)).toBeNull()
  answer = '0x'
  expect(await read(WHO.wallet), 'no such contract').toBeNull()
  answer = word(2n)
  expect(await read(WHO.wallet)).toBe(2n)
})
