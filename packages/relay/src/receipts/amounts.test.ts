import { expect, it } from 'vitest'
import { NATIVE, PROFILE, ROUTER, USDG } from '../../test/openTestRelay.ts'
import { addressesOf } from './amounts.ts'

it('trusts the log of an ETH pool unless its hook may change the output', () => {
  const hook = (flags: string) => `0x${'4'.repeat(36)}${flags}`
  const pools: Record<string, object> = {
    '0x01': { version: 'v4', token0: NATIVE, key: { hooks: NATIVE } },
    '0x02': { version: 'v4', token0: USDG, key: { hooks: NATIVE } },
    // After the swap, returning a delta.
    '0x03': { version: 'v4', token0: NATIVE, key: { hooks: hook('0044') } },
    '0x04': { version: 'v4', token0: NATIVE, key: { hooks: hook('0080'), fee: 0x800000 } },
    '0x05': { version: 'v3', token0: NATIVE },
  }
  const market = { head: () => null, onBlock: () => () => {}, pool: (id: string) => pools[id] as never }
  const addresses = addressesOf({ profile: PROFILE, market })
  const readings = ['0x01', '0x02', '0x03', '0x04', '0x05', '0x06'].map((id) =>
    addresses.isEtherPool(id as '0x'),
  )
  expect(readings).toEqual([true, false, undefined, true, undefined, undefined])
  expect(addresses.router).toBe(ROUTER)
  expect(addresses.curveOf(USDG)).toBeUndefined()
})
