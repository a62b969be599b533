import type { AttestsNonUs } from '@pit/trading'
import type { Caller } from '../http/types.ts'

/** The owner's attestation that no US person trades; from places without stock tokens it does not count. */
export const attestsNonUs = (
  { owner_attests_non_us }: { owner_attests_non_us: boolean },
  { place }: Pick<Caller, 'place'>,
): AttestsNonUs => (place?.stocksBarred === true ? 'barred here' : owner_attests_non_us)
