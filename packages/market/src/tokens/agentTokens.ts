import type { Address } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import type { Clock } from '@pit/platform/clock'
import { askCall, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { registryAbi as abi } from '../agentRegistry/registryAbi.ts'

const PAGE = 200n
const MAX_AGENTS = 50_000n
const CACHE_MS = 60_000

/** Tells whether a token is a registry agent's; null while the registry cannot be read. */
export function createAgentTokens({
  rpc,
  registry,
  clock,
}: {
  rpc: Pick<Rpc, 'request'>
  registry: Address | null
  clock: Clock
}): (token: Address) => Promise<boolean | null> {
  if (registry === null) return async () => false
  const cache = createCache<'all', Set<Address>>({ max: 1, ttlMs: CACHE_MS, clock })
  const call = (data: Hex) => readOne(rpc, askCall({ to: registry, data }))

  async function readTokens(): Promise<Set<Address>> {
    const counted = await call(encodeFunctionData({ abi, functionName: 'agentCount' }))
    const count = decodeFunctionResult({ abi, functionName: 'agentCount', data: counted })
    const tokens = new Set<Address>()
    for (let at = 0n; at < count && at < MAX_AGENTS; at += PAGE) {
      const data = await call(encodeFunctionData({ abi, functionName: 'agentsFrom', args: [at, PAGE] }))
      const page = decodeFunctionResult({ abi, functionName: 'agentsFrom', data })
      for (const { token } of page) tokens.add(token.toLowerCase() as Address)
    }
    return tokens
  }

  return async (token) => {
    try {
      return (await cache.load('all', readTokens)).has(token)
    } catch {
      return null
    }
  }
}
