import { type AtomPrice, unitPrice, worthUp } from '@pit/protocol'
import type { AgentToken, HostedAgent } from '../types.ts'
import type { RunDeps } from './deps.ts'
import type { Held } from './types.ts'

/** Prices of holdings without an independent mark: used for limits only, never shown as a value. */
export async function referencesOf(
  { tokens, market }: Pick<RunDeps, 'tokens' | 'market'>,
  { agent, held }: { agent: Pick<HostedAgent, 'tokens'>; held: Held },
) {
  const prices = new Map<string, AtomPrice>()
  for (const { address, decimals } of agent.tokens) {
    if (market.mark(address) || !held.get(address)) continue
    const usd = (await tokens.find(address))?.record.reference.price_usd
    const price = usd ? unitPrice(usd, decimals) : undefined
    if (price) prices.set(address, price)
  }
  // Rounded up, so that a limit checked with these prices is not exceeded.
  return ({ address }: AgentToken, atoms: bigint): bigint | null => {
    const price = prices.get(address)
    return price ? worthUp(atoms, price) : null
  }
}
