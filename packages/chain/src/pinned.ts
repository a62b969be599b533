import { type ChainProfile, type CoreSymbol, isCoreSymbol, lower } from '@pit/protocol'
import type { Address, Hex } from './bytes/hex.ts'
import { delegationAddresses } from './delegation/addresses.ts'
import type { DelegationAddresses } from './delegation/types.ts'
import type { PinnedLaunchpad } from './launchpads/index.ts'
import { NATIVE } from './router/constants.ts'
import type { RouterLayout } from './router/types.ts'

/** EIP-1967: where a beacon proxy keeps its beacon. */
export const BEACON_SLOT: Hex = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'

export interface PinnedToken {
  symbol: string
  core: CoreSymbol | null
  decimals: number
  stock: boolean
}

/** Values a verifier takes only from its own profile. Addresses are lower-case. */
export interface Pinned {
  addresses: DelegationAddresses
  router: Address
  layout: RouterLayout
  weth: Address
  permit2: Address
  multicall3: Address
  feeRecipient: Address
  launchpads: readonly PinnedLaunchpad[]
  stockBeacon: Address | null
  /** Tokens the profile knows; native ETH is the all-zero address. */
  tokens: ReadonlyMap<Address, PinnedToken>
  /** Hooks of v4 pools whose code was read. */
  knownHooks: ReadonlySet<Address>
  limits: ChainProfile['limits']
}

/** `missing` refuses a profile without an address that nothing can be verified without. */
export function pinnedIn(profile: ChainProfile, missing: (name: string) => never): Pinned {
  const { contracts, core_tokens, listed_stocks } = profile
  const pinned = (name: string, address: string | null): Address => knownAddress(address) ?? missing(name)
  const tokens = new Map<Address, PinnedToken>()
  for (const { symbol, address, decimals } of listed_stocks)
    tokens.set(lower(address), { symbol, core: null, decimals, stock: true })
  for (const { symbol, address, decimals, native, kind } of core_tokens) {
    const core = isCoreSymbol(symbol) ? symbol : null
    tokens.set(native ? NATIVE : lower(address), { symbol, core, decimals, stock: kind === 'stock' })
  }
  return {
    addresses: delegationAddresses(profile),
    router: pinned('universal_router', contracts.universal_router),
    layout: contracts.universal_router_layout,
    weth: pinned('weth', contracts.weth),
    permit2: lower(contracts.permit2),
    multicall3: lower(contracts.multicall3),
    feeRecipient: pinned('fee_recipient', profile.fee_recipient),
    launchpads: launchpadsIn(profile),
    stockBeacon: knownAddress(profile.stocks.beacon),
    tokens,
    knownHooks: new Set(profile.known_hooks.map(({ address }) => lower(address))),
    limits: profile.limits,
  }
}

export const launchpadsIn = ({ launchpads }: Pick<ChainProfile, 'launchpads'>): PinnedLaunchpad[] =>
  launchpads.map(({ kind, factory }) => ({ kind, factory: lower(factory) }))

/** In lower case; null while the profile does not know it. */
export const knownAddress = (address: string | null): Address | null => (address ? lower(address) : null)
