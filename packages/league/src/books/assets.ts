import { markSourcesOf } from '@pit/chain'
import { type ChainProfile, lower, NATIVE_TOKEN } from '@pit/protocol'

export interface Assets {
  /** Tokens with an independent mark, by lower-case address. */
  decimals: ReadonlyMap<string, { decimals: number }>
  native: string
  /** A dollar by definition. */
  fixed: ReadonlySet<string>
  partner: string | null
  /** The currency of paper books. */
  usdg: string
}

/** Tokens that can be valued on this chain. */
export function assetsOf(profile: ChainProfile): Assets {
  const named = new Map(
    [...profile.core_tokens, ...profile.listed_stocks].map(({ address, decimals }) => [
      lower(address),
      decimals,
    ]),
  )
  const sources = markSourcesOf(profile)
  const partner = profile.core_tokens.find(({ symbol }) => symbol === 'PARTNER')
  const usdg = profile.core_tokens.find(({ symbol }) => symbol === 'USDG')
  return {
    decimals: new Map(sources.map(({ token }) => [token, { decimals: named.get(token) ?? 18 }])),
    native: NATIVE_TOKEN,
    fixed: new Set(sources.filter(({ kind }) => kind === 'fixed').map(({ token }) => token)),
    partner: partner ? lower(partner.address) : null,
    usdg: usdg ? lower(usdg.address) : '',
  }
}
