import type { Address } from '../bytes/hex.ts'
import { lowerAddress } from '../crypto/address.ts'
import { type DelegationPlace, ENFORCERS, type EnforcerName } from './types.ts'

/** What of a chain profile says where the framework stands. */
type Deployment = {
  chain_id: number
  delegation: {
    delegation_manager: string
    stateless_delegator: string
    enforcers: Readonly<Record<string, string>>
  }
}

/** Throws when the profile lacks an enforcer: a session without it would be wider than it says. */
export function delegationPlace({ chain_id, delegation }: Deployment): DelegationPlace {
  const enforcers = {} as Record<EnforcerName, Address>
  for (const name of ENFORCERS) {
    const at = delegation.enforcers[`${name}Enforcer`]
    if (at === undefined) throw new TypeError(`the profile has no ${name}Enforcer`)
    enforcers[name] = lowerAddress(at as Address)
  }
  return {
    chainId: chain_id,
    manager: lowerAddress(delegation.delegation_manager as Address),
    delegator: lowerAddress(delegation.stateless_delegator as Address),
    enforcers,
  }
}

export function enforcerAt(place: DelegationPlace, address: Address): EnforcerName | undefined {
  const lower = lowerAddress(address)
  return ENFORCERS.find((name) => place.enforcers[name] === lower)
}
