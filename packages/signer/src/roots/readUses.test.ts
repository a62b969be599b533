import type { Address, Hex } from '@pit/chain'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { expect, it } from 'vitest'
import { PINS } from '../../test/kit.ts'
import { readUses } from './readUses.ts'

const { manager, enforcers } = PINS.addresses
const HASHES = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(64)}` as Hex)
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** A chain that returns `answer` for one root at one contract, and "unused" for the others. */
const chain = (at?: Address, hash?: Hex, answer: Hex = '0x') =>
  rpcOf(async (_, [call]) => {
    const { to, data } = call as { to: Address; data: Hex }
    if (to !== manager && to !== enforcers.LimitedCalls) throw new Error(`unexpected call to ${to}`)
    return to === at && data.endsWith(hash!.slice(2)) ? answer : word(0n)
  })

it('reports a root that was neither used nor disabled', async () => {
  expect(await readUses(chain(), PINS, HASHES)).toBe('unused')
})

it.each(HASHES)('reports that %s was used or disabled, for each root of a session', async (hash) => {
  expect(await readUses(chain(enforcers.LimitedCalls, hash, word(1n)), PINS, HASHES)).toBe('used')
  expect(await readUses(chain(manager, hash, word(1n)), PINS, HASHES)).toBe('disabled')
  for (const at of [manager, enforcers.LimitedCalls])
    await expect(readUses(chain(at, hash, '0x'), PINS, HASHES)).rejects.toThrow('cannot be read')
})
