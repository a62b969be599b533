import type { AgentRegistry } from '@pit/agent-registry'
import type { Address } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import type { Clock } from '@pit/platform/clock'

const CACHE_MS = 60_000

/** Whether a token belongs to a registry agent; null while the registry cannot be read. */
export function createAgentTokens({
  registry,
  clock,
}: {
  registry: Pick<AgentRegistry, 'tokens'> | null
  clock: Clock
}): (token: Address) => Promise<boolean | null> {
  if (registry === null) return async () => false
  const cache = createCache<'all', ReadonlySet<Address>>({ max: 1, ttlMs: CACHE_MS, clock })
  return async (token) => {
    try {
      return (await cache.load('all', registry.tokens)).has(token)
    } catch {
      return null
    }
  }
}
