import type { AnyPool } from '../src/pools/poolLogs.ts'

/** Differences between the pools in memory and those of a chain, in words. */
export function comparePools(
  inMemory: Iterable<AnyPool>,
  onChain: Iterable<{ id: string; state: string }>,
): { compared: number; differing: string[] } {
  const memory = new Map<string, AnyPool>([...inMemory].map((pool) => [pool.id, pool]))
  const differing: string[] = []
  let compared = 0
  for (const { id, state } of onChain) {
    compared += 1
    const pool = memory.get(id)
    const ours = pool ? stateOf(pool) : 'not in memory'
    if (ours !== state) differing.push(`${id}: ${ours}, the chain has ${state}`)
    memory.delete(id)
  }
  // An untouched curve has something to sell too.
  for (const pool of memory.values())
    if (pool.version !== 'curve') differing.push(`${pool.id}: only in memory`)
  return { compared, differing }
}

function stateOf(pool: AnyPool): string {
  if (pool.version === 'v2') return `${pool.reserve0} ${pool.reserve1}`
  if (pool.version === 'curve') return `${pool.x} ${pool.y}`
  const ticks = [...pool.ticks]
    .sort(([a], [b]) => a - b)
    .map(([tick, { gross, net }]) => `${tick}:${gross}:${net}`)
  return [pool.sqrtPriceX96, pool.liquidity, ...ticks].join(' ')
}
