import { decodeEventLog, toEventSelector } from 'viem'
import { delegationManagerAbi } from '../abis/index.ts'
import type { Address, Hex } from '../bytes/hex.ts'
import type { Delegation, DelegationAddresses } from './types.ts'

/** Of the manager's log of each delegation that was redeemed; the wallet is indexed. */
export const REDEEMED_TOPIC: Hex = toEventSelector(
  delegationManagerAbi.find((one) => one.type === 'event' && one.name === 'RedeemedDelegation') as never,
)

/** The delegation that a log shows as redeemed, and whose wallet it moved; undefined for any other log. */
export function redemptionIn(
  { manager }: Pick<DelegationAddresses, 'manager'>,
  { address, topics, data }: { address: Address; topics: readonly Hex[]; data: Hex },
): { wallet: Address; delegation: Delegation } | undefined {
  if (address !== manager || topics[0] !== REDEEMED_TOPIC) return undefined
  try {
    const { args } = decodeEventLog({
      abi: delegationManagerAbi,
      eventName: 'RedeemedDelegation',
      topics: topics as [Hex, ...Hex[]],
      data,
    })
    return {
      wallet: args.rootDelegator.toLowerCase() as Address,
      delegation: args.delegation as Delegation,
    }
  } catch {
    return undefined
  }
}
