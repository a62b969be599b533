import { type Address, feedBackedTokens, knownAddress, type Pinned, pinnedIn } from '@pit/chain'
import { StartRefused } from '@pit/platform/settings'
import type { ChainProfile } from '@pit/protocol'

/** Values that the co-signer takes from its own profile only. */
export interface Pins extends Pinned {
  cosigner: Address
  /** Contracts to find and quote pools; null if the profile has none. */
  exchanges: { v2Factory: Address | null; v3Quoter: Address | null; v4Quoter: Address | null }
  /** Tokens with an oracle feed. */
  feedBacked: ReadonlySet<Address>
}

export function pinsOf(profile: ChainProfile, cosigner: Address): Pins {
  const { v2_factory, v3_quoter, v4_quoter } = profile.contracts
  return {
    ...pinnedIn(profile, (name) => {
      throw new StartRefused(
        `profile ${profile.name} names no ${name}: nothing can be co-signed on this chain`,
      )
    }),
    cosigner,
    exchanges: {
      v2Factory: knownAddress(v2_factory),
      v3Quoter: knownAddress(v3_quoter),
      v4Quoter: knownAddress(v4_quoter),
    },
    feedBacked: feedBackedTokens(profile),
  }
}
