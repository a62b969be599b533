import type { Caller } from '../http/types.ts'

/** The owner's word that no US person trades; it does not count from where stock tokens are not traded. */
export const attestsNonUs = (
  { owner_attests_non_us }: { owner_attests_non_us: boolean },
  { stocksBarred }: Pick<Caller, 'stocksBarred'>,
): boolean => owner_attests_non_us && stocksBarred !== true
