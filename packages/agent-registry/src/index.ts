import type { Address } from '@pit/chain'
import type { Rpc } from '@pit/platform/rpc'
import { type ChainProfile, lower } from '@pit/protocol'
import { openIdentityRegistry } from './erc8004.ts'
import { openPitRegistry } from './pit.ts'
import type { AgentRegistry } from './types.ts'

export type {
  AgentRegistry,
  AgentVault,
  PartnerAgent,
  PartnerFinding,
  PartnerRegistry,
  VaultAgent,
} from './types.ts'

/** The registry of the profile, by its kind; null without one. */
export function openAgentRegistry({
  rpc,
  profile,
}: {
  rpc: Pick<Rpc, 'request' | 'batch'>
  profile: Pick<ChainProfile, 'agent_registry' | 'contracts'>
}): AgentRegistry | null {
  if (profile.agent_registry === null) return null
  const registry: Address = lower(profile.agent_registry.address)
  switch (profile.agent_registry.kind) {
    case 'pit':
      return openPitRegistry({ rpc, registry })
    case 'erc8004':
      return openIdentityRegistry({ rpc, registry, multicall3: lower(profile.contracts.multicall3) })
  }
}
