import { askCall, askCallOrRevert, askLogs, readAll, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { lower } from '@pit/protocol'
import {
  type Address,
  decodeFunctionResult,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  parseAbi,
} from 'viem'
import { type AgentRegistry, MAX_UINT256, shortText, type VaultAgent } from './types.ts'

const ADDRESSES = 'address owner; address agentWallet; address beneficiary; address token;'
const abi = parseAbi([
  `struct Agent { uint256 id; ${ADDRESSES} string symbol; string name; }`,
  'function agent(uint256 id) view returns (Agent)',
  'function agentOf(address wallet) view returns (uint256 id, uint8 role)',
  'function agentCount() view returns (uint256)',
  'function agentsFrom(uint256 index, uint256 limit) view returns (Agent[] page)',
  'function stakeOf(uint256 id) view returns (uint256 principal, uint256 gain)',
  'event GainWithdrawn(uint256 indexed id, address indexed to, uint256 amount)',
])
const ROLES = { 1: 'agentWallet', 2: 'owner' } as const
const PAGE = 200n
const MAX_AGENTS = 50_000n

/** The partner's registry: agents with a token each, and a vault where they stake. */
export function openPitRegistry({
  rpc,
  registry,
}: {
  rpc: Pick<Rpc, 'request' | 'batch'>
  registry: Address
}): AgentRegistry {
  const call = (data: Hex) => readOne(rpc, askCall({ to: registry, data }))
  const askAgent = (id: string) => {
    const data = encodeFunctionData({ abi, functionName: 'agent', args: [BigInt(id)] })
    return askCallOrRevert({ to: registry, data })
  }
  return {
    async find(wallet) {
      const result = await call(encodeFunctionData({ abi, functionName: 'agentOf', args: [wallet] }))
      const [id, role] = decodeFunctionResult({ abi, functionName: 'agentOf', data: result })
      if (role !== 1 && role !== 2) return { status: 'ok', agent: null }
      const record = await call(encodeFunctionData({ abi, functionName: 'agent', args: [id] }))
      const { token, symbol, name } = decodeFunctionResult({ abi, functionName: 'agent', data: record })
      const agent_id = id.toString()
      return {
        status: 'ok',
        agent: {
          agent_id,
          token: lower(token),
          symbol: shortText(symbol),
          role: ROLES[role],
          name: shortText(name),
        },
      }
    },
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
    async tokens() {
      const counted = await call(encodeFunctionData({ abi, functionName: 'agentCount' }))
      const count = decodeFunctionResult({ abi, functionName: 'agentCount', data: counted })
      const tokens = new Set<Address>()
      for (let at = 0n; at < count && at < MAX_AGENTS; at += PAGE) {
        const data = await call(encodeFunctionData({ abi, functionName: 'agentsFrom', args: [at, PAGE] }))
        const page = decodeFunctionResult({ abi, functionName: 'agentsFrom', data })
        for (const { token } of page) tokens.add(lower(token))
      }
      return tokens
    },
  }
}

/** A registry may return a zero owner for an unknown id instead of reverting. */
function agentIn(answer: Hex): VaultAgent | null {
  const agent = decodeFunctionResult({ abi, functionName: 'agent', data: answer })
  if (BigInt(agent.owner) === 0n) return null
  return {
    id: agent.id.toString(),
    owner: lower(agent.owner),
    agentWallet: lower(agent.agentWallet),
    beneficiary: lower(agent.beneficiary),
    token: lower(agent.token),
    symbol: shortText(agent.symbol) ?? '',
    name: shortText(agent.name) ?? '',
  }
}
