import { lower } from '@pit/protocol'
import type { Address, Hex } from '../bytes/hex.ts'
import { type DelegationAddresses, ENFORCERS, type EnforcerName } from './types.ts'

/** The part of a chain profile that names the framework's contracts. */
type Deployment = {
  chain_id: number
  delegation: {
    delegation_manager: string
    stateless_delegator: string
    enforcers: Readonly<Record<string, string>>
  }
}

/** Throws when the profile lacks an enforcer: a session without it would be wider than it says. */
export function delegationAddresses({ chain_id, delegation }: Deployment): DelegationAddresses {
  const enforcers = {} as Record<EnforcerName, Address>
  for (const name of ENFORCERS) {
    const at = delegation.enforcers[`${name}Enforcer`]
    if (at === undefined) throw new TypeError(`the profile has no ${name}Enforcer`)
    enforcers[name] = lower(at as Address)
  }
  return {
    chainId: chain_id,
    manager: lower(delegation.delegation_manager as Address),
    delegator: lower(delegation.stateless_delegator as Address),
    enforcers,
  }
}

export function enforcerAt(addresses: DelegationAddresses, address: Address): EnforcerName | undefined {
  const at = lower(address)
  return ENFORCERS.find((name) => addresses.enforcers[name] === at)
}

const DELEGATION_CODE = /^0xef0100([0-9a-f]{40})$/i

/** The contract an account's code delegates to by EIP-7702, lower-case; null for any other code or none. */
export function delegationOf(code: Hex): Address | null {
  const digits = DELEGATION_CODE.exec(code)?.[1]
  return digits ? `0x${digits.toLowerCase()}` : null
}
