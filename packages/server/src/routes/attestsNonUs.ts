import type { Caller } from '../http/types.ts'

/**
 * The owner's attestation that no US person trades; ignored from places where stock tokens are not available.
 */
export const attestsNonUs = (
  { owner_attests_non_us }: { owner_attests_non_us: boolean },
  { place }: Pick<Caller, 'place'>,
): boolean => owner_attests_non_us && place?.stocksBarred !== true
