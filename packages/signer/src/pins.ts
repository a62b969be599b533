import {
  type Address,
  type DelegationAddresses,
  delegationAddresses,
  NATIVE,
  type RouterLayout,
} from '@pit/chain'
import { StartRefused } from '@pit/platform/checkChain'
import { feedBackedTokens } from '@pit/platform/marks'
import { type ChainProfile, type CoreSymbol, isCoreSymbol } from '@pit/protocol'

export interface PinnedToken {
  core: CoreSymbol | null
  decimals: number
  stock: boolean
}

/** What the co-signer takes from its own profile and from nobody else. Addresses are lower-case. */
export interface Pins {
  addresses: DelegationAddresses
  cosigner: Address
  router: Address
  layout: RouterLayout
  weth: Address
  /** Where pools are found and asked; null where the profile names none. */
  exchanges: { v2Factory: Address | null; v3Quoter: Address | null; v4Quoter: Address | null }
  feeRecipient: Address
  launchpad: Address | null
  stockBeacon: Address | null
  /** Tokens the profile knows. */
  tokens: ReadonlyMap<Address, PinnedToken>
  /** Tokens with an oracle feed. */
  feedBacked: ReadonlySet<Address>
  /** Hooks of v4 pools whose code was read. */
  knownHooks: ReadonlySet<Address>
}

export function pinsOf(profile: ChainProfile, cosigner: Address): Pins {
  const { contracts, fee_recipient, core_tokens, listed_stocks } = profile
  const pinned = (name: string, address: string | null): Address => {
    if (address !== null) return lower(address)
    throw new StartRefused(`profile ${profile.name} names no ${name}: nothing can be co-signed on this chain`)
  }
  const tokens = new Map<Address, PinnedToken>()
  for (const { address, decimals } of listed_stocks)
    tokens.set(lower(address), { core: null, decimals, stock: true })
  for (const { symbol, address, decimals, native, kind } of core_tokens) {
    const core = isCoreSymbol(symbol) ? symbol : null
    tokens.set(native ? NATIVE : lower(address), { core, decimals, stock: kind === 'stock' })
  }
  return {
    addresses: delegationAddresses(profile),
    cosigner,
    router: pinned('universal_router', contracts.universal_router),
    layout: contracts.universal_router_layout,
    weth: pinned('weth', contracts.weth),
    exchanges: {
      v2Factory: known(contracts.v2_factory),
      v3Quoter: known(contracts.v3_quoter),
      v4Quoter: known(contracts.v4_quoter),
    },
    feeRecipient: pinned('fee_recipient', fee_recipient),
    launchpad: known(contracts.launchpad_factory),
    stockBeacon: known(contracts.stock_beacon),
    tokens,
    feedBacked: feedBackedTokens(profile),
    knownHooks: new Set(profile.known_hooks.map(({ address }) => lower(address))),
  }
}

const known = (address: string | null | undefined): Address | null => (address ? lower(address) : null)
const lower = (address: string): Address => address.toLowerCase() as Address
