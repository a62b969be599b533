import {
  type Address,
  type DelegationAddresses,
  delegationAddresses,
  NATIVE,
  type RouterLayout,
} from '@pit/chain'
import { type ChainProfile, fail, lower } from '@pit/protocol'

/** Contracts that sessions use: the delegation framework's and the trading ones, lower-case. */
export interface SessionAddresses {
  delegation: DelegationAddresses
  router: Address
  permit2: Address
  weth: Address
  layout: RouterLayout
  feeRecipient: Address
}

/** Throws SESSIONS_UNAVAILABLE on a chain without a required contract. */
export function sessionAddressesOf(profile: ChainProfile): () => SessionAddresses {
  const { contracts, fee_recipient: recipient } = profile
  const { universal_router: router } = contracts
  const delegation = frameworkOf(profile)
  const addresses =
    delegation === null || router === null || recipient === null
      ? null
      : {
          delegation,
          router: lower(router),
          permit2: lower(contracts.permit2),
          weth: contracts.weth === null ? NATIVE : lower(contracts.weth),
          layout: contracts.universal_router_layout,
          feeRecipient: lower(recipient),
        }
  return () =>
    addresses ??
    fail('SESSIONS_UNAVAILABLE', { message: 'The chain profile lacks contracts required for sessions.' })
}

function frameworkOf(profile: ChainProfile): DelegationAddresses | null {
  try {
    return delegationAddresses(profile)
  } catch (error) {
    // An enforcer is missing: a session without it would allow more than stated.
    if (error instanceof TypeError) return null
    throw error
  }
}
