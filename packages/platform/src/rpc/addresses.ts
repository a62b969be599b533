import type { Endpoint } from './endpoint.ts'
import { type AddressHealth, type RpcCall, RpcUnreachable } from './types.ts'
import { blockNamed } from './words.ts'

/** One address and its health. */
export interface Address {
  endpoint: Endpoint
  chain: 'unread' | 'right' | 'foreign'
  /** It failed, and no probe has succeeded since. */
  isDown: boolean
  /** No requests until then, because it was rate limiting. */
  pausedUntilMs: number
  /** Rate-limit rejections in a row. */
  refusals: number
  head: number | null
  lagBlocks: number
  /** Methods it does not support. */
  lacks: Set<string>
  failed: number
  busy: number
}

export const newAddress = (endpoint: Endpoint): Address => ({
  endpoint,
  chain: 'unread',
  isDown: false,
  pausedUntilMs: 0,
  refusals: 0,
  head: null,
  lagBlocks: 0,
  lacks: new Set(),
  failed: 0,
  busy: 0,
})

/** About three seconds of chain 4663: a node further behind returns outdated state. */
const MAX_LAG_BLOCKS = 30
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 10_000

export function stateOf(address: Address, nowMs: number): AddressHealth['state'] {
  if (address.chain === 'foreign') return 'foreign'
  if (address.isDown) return 'down'
  if (address.pausedUntilMs > nowMs) return 'busy'
  return address.lagBlocks > MAX_LAG_BLOCKS ? 'lagging' : 'up'
}

/** Pauses for as long as the node asks, or twice as long as the last time. */
export function pause(address: Address, nowMs: number, retryAfterMs: number | null): void {
  // Rejections of concurrent requests count once.
  if (address.pausedUntilMs > nowMs) return
  const ownMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** address.refusals)
  address.refusals += 1
  address.busy += 1
  address.pausedUntilMs = nowMs + Math.min(MAX_PAUSE_MS, retryAfterMs ?? ownMs)
}

/** Compares heads that were read at the same time. */
export function measureLag(addresses: readonly Address[]): void {
  const usable = addresses.filter(({ chain, isDown }) => chain === 'right' && !isDown)
  const best = Math.max(0, ...usable.map(({ head }) => head ?? 0))
  for (const address of usable) address.lagBlocks = best - (address.head ?? 0)
}

const RANK: Record<AddressHealth['state'], number> = { up: 0, busy: 2, lagging: 3, down: 4, foreign: 5 }

/**
 * Addresses to try, best first; ties keep the order of the settings. An address that lacks a method or is
 * behind the requested block comes after those that have it.
 */
export function inOrder(addresses: readonly Address[], calls: readonly RpcCall[], nowMs: number): Address[] {
  const named = Math.max(-1, ...calls.map((call) => blockNamed(call) ?? -1))
  const rankOf = (address: Address): number => {
    const lacking = calls.some(([method]) => address.lacks.has(method)) ? 10 : 0
    const behind = named > (address.head ?? named) ? 1 : 0
    return RANK[stateOf(address, nowMs)] + behind + lacking
  }
  return addresses
    .filter(({ chain }) => chain !== 'foreign')
    .map((address) => ({ address, rank: rankOf(address) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ address }) => address)
}

export const healthOf = (address: Address, nowMs: number): AddressHealth => ({
  name: address.endpoint.name,
  state: stateOf(address, nowMs),
  head: address.head,
  lagBlocks: address.lagBlocks,
  failed: address.failed,
  busy: address.busy,
})

export const foreign = (address: Address, chainId: number): RpcUnreachable =>
  new RpcUnreachable(`${address.endpoint.name} is not on chain ${chainId}`, { why: 'foreign', unsent: true })
