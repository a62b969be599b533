import { lowerAddress as lower } from '@pit/chain'
import { askCall, askCallOrRevert, askLogs, readAll, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { type Address, decodeFunctionResult, encodeEventTopics, encodeFunctionData, type Hex } from 'viem'
import { registryAbi as abi } from './registryAbi.ts'

/** Addresses are in lower case; symbol and name are the owner's own text. */
export interface VaultAgent {
  id: string
  owner: Address
  agentWallet: Address
  beneficiary: Address
  token: Address
  symbol: string
  name: string
}

/** The agent registry's vault on chain. Each read throws when the node does not answer it. */
export interface AgentVault {
  /** Null when there is no such agent. */
  agent(id: string): Promise<VaultAgent | null>
  /** Many in one request; an agent that could not be read is undefined. */
  agents(ids: readonly string[]): Promise<(VaultAgent | null | undefined)[]>
  /** Principal and gain not yet withdrawn, as of a block. */
  stake(id: string, block: number | 'latest'): Promise<{ principal: bigint; gain: bigint }>
  /** Gains withdrawn in these blocks, both included. */
  gainWithdrawn(id: string, fromBlock: number, toBlock: number): Promise<bigint>
}

const MAX_UINT256 = 2n ** 256n - 1n
const MAX_TEXT_CHARS = 64

export function createAgentVault({
  rpc,
  registry,
}: {
  rpc: Pick<Rpc, 'request' | 'batch'>
  registry: Address
}): AgentVault {
  const askAgent = (id: string) => {
    const data = encodeFunctionData({ abi, functionName: 'agent', args: [BigInt(id)] })
    return askCallOrRevert({ to: registry, data })
  }
  return {
    async agent(id) {
      if (BigInt(id) > MAX_UINT256) return null
      const answer = await readOne(rpc, askAgent(id))
      return answer.reverted ? null : agentIn(answer.data)
    },
    async agents(ids) {
      const answers = await readAll(rpc, ids.map(askAgent))
      return answers.map((answer) => {
        if (answer === undefined) return undefined
        if (answer.reverted) return null
        try {
          return agentIn(answer.data)
        } catch {
          return undefined
        }
      })
    },
    async stake(id, block) {
      const data = encodeFunctionData({ abi, functionName: 'stakeOf', args: [BigInt(id)] })
      const answer = await readOne(rpc, askCall({ to: registry, data }, { block }))
      const [principal, gain] = decodeFunctionResult({ abi, functionName: 'stakeOf', data: answer })
      return { principal, gain }
    },
    async gainWithdrawn(id, from, to) {
      const topics = encodeEventTopics({ abi, eventName: 'GainWithdrawn', args: { id: BigInt(id) } })
      const logs = await readOne(rpc, askLogs({ address: registry, topics: topics as Hex[] }, { from, to }))
      return logs.reduce((sum, { data }) => sum + BigInt(data), 0n)
    },
  }
}

/** A registry that answers a zero owner for an unknown id, instead of reverting, has no such agent either. */
function agentIn(answer: Hex): VaultAgent | null {
  const agent = decodeFunctionResult({ abi, functionName: 'agent', data: answer })
  if (BigInt(agent.owner) === 0n) return null
  return {
    id: agent.id.toString(),
    owner: lower(agent.owner),
    agentWallet: lower(agent.agentWallet),
    beneficiary: lower(agent.beneficiary),
    token: lower(agent.token),
    symbol: shortText(agent.symbol),
    name: shortText(agent.name),
  }
}

/** PostgreSQL text cannot hold zero characters. */
const shortText = (text: string): string =>
  [...text.replaceAll('\u0000', '')].slice(0, MAX_TEXT_CHARS).join('')
