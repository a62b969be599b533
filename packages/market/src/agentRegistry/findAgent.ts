import { askCall, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { Answer } from '@pit/protocol'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { registryAbi as abi } from './registryAbi.ts'

export type PartnerAgent = NonNullable<Answer<'auth.verify'>['partner_agent']>
export type PartnerFinding =
  | { status: 'ok'; agent: PartnerAgent | null }
  | { status: 'unreadable'; why: string }

/** The agent registry on chain, as sign-in asks it. */
export interface PartnerRegistry {
  /** The agent a wallet acts for. Throws when the registry cannot be read. */
  find(wallet: Address): Promise<PartnerFinding>
}

const ROLES = { 1: 'agentWallet', 2: 'owner' } as const

export function createAgentRegistry({
  rpc,
  registry,
}: {
  rpc: Pick<Rpc, 'request'>
  registry: Address
}): PartnerRegistry {
  const call = (data: Hex) => readOne(rpc, askCall({ to: registry, data }))
  return {
    async find(wallet) {
      const found = await call(encodeFunctionData({ abi, functionName: 'agentOf', args: [wallet] }))
      const [id, role] = decodeFunctionResult({ abi, functionName: 'agentOf', data: found })
      if (role !== 1 && role !== 2) return { status: 'ok', agent: null }
      const record = await call(encodeFunctionData({ abi, functionName: 'agent', args: [id] }))
      const { token, symbol, name } = decodeFunctionResult({ abi, functionName: 'agent', data: record })
      return {
        status: 'ok',
        agent: {
          agent_id: id.toString(),
          token: token.toLowerCase() as Address,
          symbol,
          role: ROLES[role],
          name,
        },
      }
    },
  }
}
