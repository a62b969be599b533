import type { Address, Hex } from '../bytes/hex.ts'

/**
 * MetaMask's Delegation Framework 1.3.0, as its contracts have it. `args` are outside the hash: the
 * redeemer's own.
 */
export type Caveat = { enforcer: Address; terms: Hex; args: Hex }
export type Delegation = {
  delegate: Address
  delegator: Address
  /** Hash of the delegation it is made from; all ones when the delegator acts for itself. */
  authority: Hex
  caveats: readonly Caveat[]
  salt: bigint
  signature: Hex
}

export type Execution = { target: Address; valueWei: bigint; data: Hex }

/** One act in a redemption: the delegations from leaf to root, and what the root's delegator shall do. */
export type Redemption = { delegations: readonly Delegation[]; execution: Execution }

/** The enforcers Pit builds and reads, by the name the deployments give them less its ending. */
export const ENFORCERS = [
  'Redeemer',
  'AllowedTargets',
  'AllowedMethods',
  'Timestamp',
  'LimitedCalls',
  'NativeTokenPeriodTransfer',
  'ValueLte',
  'ExactExecution',
  'Id',
  'ExactCalldata',
  'NativeTokenPayment',
  'ArgsEqualityCheck',
  'Nonce',
] as const
export type EnforcerName = (typeof ENFORCERS)[number]

/** The chain and the framework's contracts on it, in lower case. */
export type DelegationAddresses = {
  chainId: number
  manager: Address
  /** Contracts of a delegated wallet. */
  delegator: Address
  enforcers: Readonly<Record<EnforcerName, Address>>
}
