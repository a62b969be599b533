import { expect, it } from 'vitest'
import { PROFILE } from '../test/sessionWorld.ts'
import { sessionAddressesOf } from './addresses.ts'

it('has sessions only if all required contracts are known', () => {
  expect(sessionAddressesOf(PROFILE)().permit2).toBe(PROFILE.contracts.permit2.toLowerCase())
  const without = [
    { ...PROFILE, fee_recipient: null },
    { ...PROFILE, contracts: { ...PROFILE.contracts, universal_router: null } },
    { ...PROFILE, delegation: { ...PROFILE.delegation, enforcers: {} } },
  ]
  for (const profile of without) {
    expect(() => sessionAddressesOf(profile)()).toThrow(
      expect.objectContaining({ code: 'SESSIONS_UNAVAILABLE' }),
    )
  }
})
