import { lowerAddress as lower } from '@pit/chain'
import { type Rpc, RpcError } from '@pit/platform/rpc'
import {
  type Address,
  decodeFunctionResult,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
} from 'viem'

const VAULT_ABI = parseAbi([
  'struct Agent { uint256 id; address owner; address agentWallet; address beneficiary; address token; string symbol; string name; }',
  'function agent(uint256 id) view returns (Agent)',
  'function stakeOf(uint256 id) view returns (uint256 principal, uint256 gain)',
  'event GainWithdrawn(uint256 indexed id, address indexed to, uint256 amount)',
])

/** Lower-case addresses; symbol and name are other people's text. */
export interface VaultAgent {
  id: string
  owner: Address
  agentWallet: Address
  beneficiary: Address
  token: Address
  symbol: string
  name: string
}

/** The agent registry's vault on chain. Each throws when it cannot be read. */
export interface AgentVault {
  /** Null when there is no such agent. */
  agent(id: string): Promise<VaultAgent | null>
  /** Many in one request; an agent that could not be read is undefined. */
  agents(ids: readonly string[]): Promise<(VaultAgent | null | undefined)[]>
  /** Principal and gain not yet withdrawn, as of a block. */
  stake(id: string, block: number | 'latest'): Promise<{ principal: bigint; gain: bigint }>
  /** Gains taken out in these blocks, both included. */
  gainWithdrawn(id: string, fromBlock: number, toBlock: number): Promise<bigint>
}

const MAX_UINT256 = 2n ** 256n - 1n
const REVERTED = 3
/** Other people's text is kept short. */
const TEXT_CHARS = 64

export function createAgentVault({
  rpc,
  registry,
}: {
  rpc: Pick<Rpc, 'request' | 'batch'>
  registry: Address
}): AgentVault {
  const agentCall = (id: string): Hex =>
    encodeFunctionData({ abi: VAULT_ABI, functionName: 'agent', args: [BigInt(id)] })
  const isId = (id: string): boolean => BigInt(id) <= MAX_UINT256
  return {
    async agent(id) {
      if (!isId(id)) return null
      try {
        return agentOf(await rpc.request<Hex>('eth_call', [{ to: registry, data: agentCall(id) }, 'latest']))
      } catch (error) {
        if (isRevert(error)) return null
        throw error
      }
    },
    async agents(ids) {
      const answers = await rpc.batch(
        ids.map((id) => ['eth_call', [{ to: registry, data: agentCall(id) }, 'latest']] as const),
      )
      return answers.map((answer) => {
        if (!answer.ok) return isRevert(answer.error) ? null : undefined
        try {
          return agentOf(answer.result as Hex)
        } catch {
          return undefined
        }
      })
    },
    async stake(id, block) {
      const data = encodeFunctionData({ abi: VAULT_ABI, functionName: 'stakeOf', args: [BigInt(id)] })
      const tag = block === 'latest' ? block : numberToHex(block)
      const answer = await rpc.request<Hex>('eth_call', [{ to: registry, data }, tag])
      const [principal, gain] = decodeFunctionResult({
        abi: VAULT_ABI,
        functionName: 'stakeOf',
        data: answer,
      })
      return { principal, gain }
    },
    async gainWithdrawn(id, fromBlock, toBlock) {
      const topics = encodeEventTopics({
        abi: VAULT_ABI,
        eventName: 'GainWithdrawn',
        args: { id: BigInt(id) },
      })
      const logs = await rpc.request<{ data: Hex }[]>('eth_getLogs', [
        { address: registry, topics, fromBlock: numberToHex(fromBlock), toBlock: numberToHex(toBlock) },
      ])
      return logs.reduce((sum, { data }) => sum + BigInt(data), 0n)
    },
  }
}

const isRevert = (error: unknown): boolean => error instanceof RpcError && error.code === REVERTED

/** A registry that answers nothing for an id it does not have, instead of reverting, has no such agent either. */
function agentOf(answer: Hex): VaultAgent | null {
  const agent = decodeFunctionResult({ abi: VAULT_ABI, functionName: 'agent', data: answer })
  if (BigInt(agent.owner) === 0n) return null
  return {
    id: agent.id.toString(),
    owner: lower(agent.owner),
    agentWallet: lower(agent.agentWallet),
    beneficiary: lower(agent.beneficiary),
    token: lower(agent.token),
    symbol: shown(agent.symbol),
    name: shown(agent.name),
  }
}

/** The store takes no zero characters. */
const shown = (text: string): string => [...text.replaceAll('\u0000', '')].slice(0, TEXT_CHARS).join('')
