import type { Address } from '@pit/chain'
import { expect, it } from 'vitest'
import { sellOnCurve } from '../own/encodeSale.ts'
import { readCurveSwap } from './readPlan.ts'

const at = (digit: string): Address => `0x${digit.repeat(40)}`
const [ETHER, TOKEN, CURVE, WALLET] = [at('0'), at('1'), at('2'), at('5')]

const read = (to: string) =>
  readCurveSwap(
    { wallet: WALLET, tokenIn: TOKEN, tokenOut: ETHER },
    {
      to: to as Address,
      value: 0n,
      data: sellOnCurve({ launchpad: 'pons' } as Parameters<typeof sellOnCurve>[0], 7n, WALLET),
    },
    () => 0n,
  )

it('reads the curve that a call goes to', () => {
  expect(read(CURVE).curve).toEqual({ id: CURVE, launchpad: 'pons' })
})

it.each(['', '0x', CURVE.slice(0, 41), `${CURVE}00`, 'pons'])(
  'rejects a curve call to "%s", which is not an address',
  (to) => {
    expect(() => read(to)).toThrow(expect.objectContaining({ rule: 'RECIPIENT' }))
  },
)
