import { randomBytes } from 'node:crypto'
import { rpcFailure } from '../engine/provider.ts'
import type { Chain, Hex } from '../engine/types.ts'
import { readCriteria } from './logCriteria.ts'
import type { PendingHashes } from './pendingHashes.ts'

/** Filters are stored here, not in the engine: they outlive an engine that is restarted from an image. */
export interface Filters {
  newBlockFilter(): string
  newPendingTransactionFilter(): string
  newFilter(params: unknown[]): string
  changes(params: unknown[]): Promise<unknown[]>
  logs(params: unknown[]): Promise<unknown[]>
  uninstall(params: unknown[]): boolean
  close(): void
}

type Filter = { polledAtMs: number } & (
  | { kind: 'hashes'; source: 'blocks' | 'pending'; hashes: Hex[] }
  | { kind: 'logs'; query: Record<string, unknown>; nextBlock: bigint }
)

const MAX_FILTERS = 1_000
const MAX_HASHES = 10_000
const UNUSED_MS = 5 * 60_000

export function createFilters(
  chain: Pick<Chain, 'onBlock' | 'request' | 'head'>,
  pending: PendingHashes,
  now: () => number = Date.now,
): Filters {
  const filters = new Map<string, Filter>()
  const add = (source: 'blocks' | 'pending', hash: Hex) => {
    for (const filter of filters.values()) {
      if (filter.kind !== 'hashes' || filter.source !== source) continue
      filter.hashes.push(hash)
      if (filter.hashes.length > MAX_HASHES) filter.hashes.shift()
    }
  }
  const stops = [
    chain.onBlock((block) => add('blocks', block.hash)),
    pending.listen((hash) => add('pending', hash)),
  ]

  const install = (filter: Filter): string => {
    for (const [id, { polledAtMs }] of filters) if (now() - polledAtMs > UNUSED_MS) filters.delete(id)
    if (filters.size >= MAX_FILTERS) throw rpcFailure(-32005, 'too many filters')
    const id = `0x${randomBytes(16).toString('hex')}`
    filters.set(id, filter)
    return id
  }
  const find = (id: unknown): Filter => {
    const filter = typeof id === 'string' ? filters.get(id) : undefined
    if (!filter) throw rpcFailure(-32000, 'filter not found')
    filter.polledAtMs = now()
    return filter
  }

  return {
    newBlockFilter: () => install({ kind: 'hashes', source: 'blocks', hashes: [], polledAtMs: now() }),
    newPendingTransactionFilter: () =>
      install({ kind: 'hashes', source: 'pending', hashes: [], polledAtMs: now() }),
    newFilter([query]) {
      readCriteria(query)
      const nextBlock = chain.head().number + 1n
      return install({
        kind: 'logs',
        query: (query ?? {}) as Record<string, unknown>,
        nextBlock,
        polledAtMs: now(),
      })
    },
    async changes([id]) {
      const filter = find(id)
      if (filter.kind === 'hashes') return filter.hashes.splice(0)
      const head = chain.head().number
      const { fromBlock, toBlock, blockHash: _, ...criteria } = filter.query
      const from = later(filter.nextBlock, bound(fromBlock) ?? 0n)
      const to = earlier(head, bound(toBlock) ?? head)
      filter.nextBlock = head + 1n
      if (from > to) return []
      return chain.request<unknown[]>('eth_getLogs', [
        { ...criteria, fromBlock: hex(from), toBlock: hex(to) },
      ])
    },
    async logs([id]) {
      const filter = find(id)
      if (filter.kind !== 'logs') throw rpcFailure(-32000, 'filter not found')
      return chain.request<unknown[]>('eth_getLogs', [filter.query])
    },
    uninstall: ([id]) => typeof id === 'string' && filters.delete(id),
    close() {
      for (const stop of stops) stop()
      filters.clear()
    },
  }
}

const hex = (value: bigint): Hex => `0x${value.toString(16)}`
const later = (a: bigint, b: bigint) => (a > b ? a : b)
const earlier = (a: bigint, b: bigint) => (a < b ? a : b)
const bound = (block: unknown): bigint | undefined =>
  typeof block === 'string' && block.startsWith('0x') ? BigInt(block) : undefined
