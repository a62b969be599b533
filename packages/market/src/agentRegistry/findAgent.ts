import type { Rpc } from '@pit/platform/rpc'
import type { Answer } from '@pit/protocol'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'

export type PartnerAgent = NonNullable<Answer<'auth.verify'>['partner_agent']>
export type PartnerFinding =
  | { status: 'ok'; agent: PartnerAgent | null }
  | { status: 'unreadable'; why: string }

/** The agent registry, as sign-in sees it. */
export interface PartnerRegistry {
  find(wallet: Address): Promise<PartnerFinding>
}

const REGISTRY_ABI = parseAbi([
  'struct Agent { uint256 id; address owner; address agentWallet; address beneficiary; address token; string symbol; string name; }',
  'function agentOf(address wallet) view returns (uint256 id, uint8 role)',
  'function agent(uint256 id) view returns (Agent)',
])
const ROLES = { 1: 'agentWallet', 2: 'owner' } as const

/** The agent registry on chain, as sign-in asks it: which agent a wallet acts for. Throws when it cannot be read. */
export function createAgentRegistry({ rpc, registry }: { rpc: Rpc; registry: Address }): PartnerRegistry {
  const call = (data: Hex) => rpc.request<Hex>('eth_call', [{ to: registry, data }, 'latest'])
  return {
    async find(wallet) {
      const found = await call(
        encodeFunctionData({ abi: REGISTRY_ABI, functionName: 'agentOf', args: [wallet] }),
      )
      const [id, role] = decodeFunctionResult({ abi: REGISTRY_ABI, functionName: 'agentOf', data: found })
      if (role !== 1 && role !== 2) return { status: 'ok', agent: null }
      const record = await call(encodeFunctionData({ abi: REGISTRY_ABI, functionName: 'agent', args: [id] }))
      const agent = decodeFunctionResult({ abi: REGISTRY_ABI, functionName: 'agent', data: record })
      return {
        status: 'ok',
        agent: {
          agent_id: id.toString(),
          token: agent.token.toLowerCase() as Address,
          symbol: agent.symbol,
          role: ROLES[role],
          name: agent.name,
        },
      }
    },
  }
}
