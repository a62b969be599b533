import type { Address } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Rpc } from '@pit/platform/rpc'
import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'

const REGISTRY_ABI = parseAbi([
  'struct Agent { uint256 id; address owner; address agentWallet; address beneficiary; address token; string symbol; string name; }',
  'function agentCount() view returns (uint256)',
  'function agentsFrom(uint256 index, uint256 limit) view returns (Agent[] page)',
])
const PAGE = 200n
const MAX_AGENTS = 50_000n
const CACHE_MS = 60_000

/** Which tokens are registry agents'; the list is read again after a minute, null while it cannot be. */
export function createAgentTokens({
  rpc,
  registry,
  clock,
}: {
  rpc: Pick<Rpc, 'request'>
  registry: Address | null
  clock: Clock
}): (token: Address) => Promise<boolean | null> {
  let list: { tokens: Promise<Set<Address> | null>; readAtMs: number } | undefined

  const call = async (data: Hex) => rpc.request<Hex>('eth_call', [{ to: registry, data }, 'latest'])
  async function readAll(): Promise<Set<Address>> {
    const counted = await call(encodeFunctionData({ abi: REGISTRY_ABI, functionName: 'agentCount' }))
    const count = decodeFunctionResult({ abi: REGISTRY_ABI, functionName: 'agentCount', data: counted })
    const tokens = new Set<Address>()
    for (let at = 0n; at < count && at < MAX_AGENTS; at += PAGE) {
      const args = [at, PAGE] as const
      const data = await call(encodeFunctionData({ abi: REGISTRY_ABI, functionName: 'agentsFrom', args }))
      const page = decodeFunctionResult({ abi: REGISTRY_ABI, functionName: 'agentsFrom', data })
      for (const { token } of page) tokens.add(token.toLowerCase() as Address)
    }
    return tokens
  }

  return async (token) => {
    if (registry === null) return false
    if (!list || clock.nowMs() - list.readAtMs > CACHE_MS) {
      list = { tokens: readAll().catch(() => null), readAtMs: clock.nowMs() }
    }
    const tokens = await list.tokens
    if (tokens === null) list = undefined
    return tokens?.has(token) ?? null
  }
}
