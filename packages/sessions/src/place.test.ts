import { expect, it } from 'vitest'
import { PROFILE } from '../test/sessionWorld.ts'
import { sessionPlaceOf } from './place.ts'

it('has sessions only where every contract they stand on is known', () => {
  expect(sessionPlaceOf(PROFILE)().permit2).toBe(PROFILE.contracts.permit2.toLowerCase())
  const without = [
    { ...PROFILE, fee_recipient: null },
    { ...PROFILE, contracts: { ...PROFILE.contracts, universal_router: null } },
    { ...PROFILE, delegation: { ...PROFILE.delegation, enforcers: {} } },
  ]
  for (const profile of without) {
    expect(() => sessionPlaceOf(profile)()).toThrow(expect.objectContaining({ code: 'SESSIONS_UNAVAILABLE' }))
  }
})
