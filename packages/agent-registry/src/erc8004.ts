import { NATIVE } from '@pit/chain'
import { askCall, askMulticall, type ContractCall, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { lower } from '@pit/protocol'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { nameIn } from './agentFile.ts'
import { createIdentityIndex, type Identity } from './identityIndex.ts'
import { type AgentRegistry, MAX_UINT256, type VaultAgent } from './types.ts'

const abi = parseAbi([
  'function ownerOf(uint256 agentId) view returns (address)',
  'function getAgentWallet(uint256 agentId) view returns (address)',
  'function tokenURI(uint256 agentId) view returns (string)',
])
const READING_GAS = 20_000_000

/**
 * ERC-8004's identity registry: an agent is an ERC-721 token. It has no lookup by wallet, so an index is kept
 * here; no vault, so nothing is staked; and no token, symbol or beneficiary: the owner stands in for them.
 */
export function openIdentityRegistry({
  rpc,
  registry,
  multicall3,
  monotonicMs,
}: {
  rpc: Pick<Rpc, 'request' | 'batch'>
  registry: Address
  multicall3: Address
  monotonicMs?: () => number
}): AgentRegistry {
  const to = (functionName: 'ownerOf' | 'getAgentWallet' | 'tokenURI', id: bigint): ContractCall => ({
    to: registry,
    data: encodeFunctionData({ abi, functionName, args: [id] }),
  })
  const identityIn = (id: bigint, owner: Hex | null, wallet: Hex | null): Identity | null => {
    const holder = addressIn(owner)
    return holder === null || holder === NATIVE
      ? null
      : { id, owner: holder, wallet: addressIn(wallet) ?? NATIVE }
  }

  /** Null for an id without an owner. Throws if the node does not respond. */
  async function identities(ids: readonly bigint[]): Promise<(Identity | null)[]> {
    const calls = ids.flatMap((id) => [to('ownerOf', id), to('getAgentWallet', id)])
    const answers = await readOne(rpc, askMulticall(multicall3, calls, { gas: READING_GAS }))
    return ids.map((id, i) => identityIn(id, answers[2 * i]!, answers[2 * i + 1]!))
  }

  async function nameOf(id: bigint): Promise<string> {
    const answer = await readOne(rpc, askCall(to('tokenURI', id), { gas: READING_GAS })).catch(() => null)
    return nameOr(answer, id)
  }

  const index = createIdentityIndex({ identities, ...(monotonicMs && { monotonicMs }) })
  return {
    async find(wallet) {
      const identity = await index.of(wallet)
      if (!identity) return { status: 'ok', agent: null }
      const role = identity.wallet === wallet ? 'agentWallet' : 'owner'
      const [agent_id, name] = [identity.id.toString(), await nameOf(identity.id)]
      return { status: 'ok', agent: { agent_id, token: NATIVE, symbol: symbolOf(identity.id), role, name } }
    },
    async agent(id) {
      if (BigInt(id) > MAX_UINT256) return null
      const [found] = await identities([BigInt(id)])
      return found ? agentOf(found, await nameOf(found.id)) : null
    },
    async agents(ids) {
      const records = await identities(ids.map(BigInt))
      const named = await readOne(
        rpc,
        askMulticall(
          multicall3,
          ids.map((id) => to('tokenURI', BigInt(id))),
          { gas: READING_GAS },
        ),
      )
      return records.map((identity, i) => identity && agentOf(identity, nameOr(named[i]!, identity.id)))
    },
    stake: async () => ({ principal: 0n, gain: 0n }),
    gainWithdrawn: async () => 0n,
    tokens: async () => new Set(),
  }
}

const agentOf = ({ id, owner, wallet }: Identity, name: string): VaultAgent => ({
  id: id.toString(),
  owner,
  // An agent without its own wallet acts with its owner's.
  agentWallet: wallet === NATIVE ? owner : wallet,
  beneficiary: owner,
  token: NATIVE,
  symbol: symbolOf(id),
  name,
})

const symbolOf = (id: bigint): string => `AGENT-${id}`

function nameOr(answer: Hex | null, id: bigint): string {
  try {
    const uri = decodeFunctionResult({ abi, functionName: 'tokenURI', data: answer ?? '0x' })
    return nameIn(uri) ?? `Agent ${id}`
  } catch {
    return `Agent ${id}`
  }
}

/** Null if the result is not an address. */
const addressIn = (answer: Hex | null): Address | null =>
  answer !== null && /^0x0{24}[0-9a-fA-F]{40}$/.test(answer) ? lower(`0x${answer.slice(26)}`) : null
