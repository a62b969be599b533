import type { Address } from '@pit/chain'
import type { SessionBindingV3 } from '@pit/protocol'
import { expect, it } from 'vitest'
import { poolPrice } from '../own/ownPrice.ts'
import type { Pins } from '../pins.ts'
import { checkMarks } from './grant.ts'

const TOKEN: Address = `0x${'1'.repeat(40)}`
const E18 = 10n ** 18n
const pins = { marks: new Map() } as unknown as Pins

/** Cents of the mark, the best bid and the best ask. */
const check = (mark: bigint, bid: bigint, ask: bigint) => () => {
  const price_e18 = `${(mark * E18) / 100n}`
  const binding = { version: 3, tokens: [TOKEN], marks: [{ token: TOKEN, decimals: 18, price_e18 }] }
  const price = (cents: bigint) => poolPrice(cents * 10_000n, E18)
  checkMarks(
    { pins, binding: binding as unknown as SessionBindingV3 },
    new Map([[TOKEN, { bid: price(bid), ask: price(ask) }]]),
  )
}

it('takes an owner’s mark between the best bid and the best ask, 10% more or less', () => {
  for (const mark of [90n, 100n, 111n]) expect(check(mark, 99n, 101n)).not.toThrow()
  expect(check(88n, 99n, 101n)).toThrow(/far from/)
  expect(check(112n, 99n, 101n)).toThrow(/far from/)
})

it('refuses a low mark even if a pool sells the token that cheaply', () => {
  expect(check(50n, 99n, 50n)).toThrow(/far from/)
})

it('refuses a high mark even if a pool pays that much', () => {
  expect(check(200n, 200n, 101n)).toThrow(/far from/)
})
