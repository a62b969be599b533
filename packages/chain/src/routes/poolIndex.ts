import type { Address, Hex } from '../bytes/hex.ts'
import type { Pool } from '../pools/types.ts'
import { placeOf } from './gas.ts'

/**
 * Pools by the two tokens they join. Looking up a pair costs the same whatever else is in it. Tokens are lower-case;
 * ETH and WETH are one place.
 */
export type PoolIndex = {
  readonly weth: Address
  /** Tokens that routes may go through, WETH for ETH. */
  readonly hubs: readonly Address[]
  add(pool: Pool): void
  remove(id: Hex): boolean
  get(id: Hex): Pool | undefined
  between(a: Address, b: Address): readonly Pool[]
  /** Every pool a token is in. */
  of(token: Address): Pool[]
  all(): IterableIterator<Pool>
  readonly size: number
}

const NONE: readonly Pool[] = Object.freeze([])

export function createPoolIndex(options: { weth: Address; hubs: readonly Address[] }): PoolIndex {
  const { weth } = options
  const hubs = [...new Set(options.hubs.map((hub) => placeOf(hub, weth)))]
  const byId = new Map<Hex, Pool>()
  const byToken = new Map<Address, Map<Address, Pool[]>>()

  const listOf = (a: Address, b: Address): Pool[] => {
    let others = byToken.get(a)
    if (!others) {
      others = new Map()
      byToken.set(a, others)
    }
    let list = others.get(b)
    if (!list) {
      list = []
      others.set(b, list)
    }
    return list
  }

  function drop(a: Address, b: Address, pool: Pool): void {
    const others = byToken.get(a)
    const left = others?.get(b)?.filter((one) => one !== pool)
    if (!others || !left) return
    if (left.length > 0) others.set(b, left)
    else others.delete(b)
    if (others.size === 0) byToken.delete(a)
  }

  function remove(id: Hex): boolean {
    const pool = byId.get(id)
    if (!pool) return false
    const [a, b] = [placeOf(pool.token0, weth), placeOf(pool.token1, weth)]
    byId.delete(id)
    drop(a, b, pool)
    drop(b, a, pool)
    return true
  }

  return {
    weth,
    hubs,
    add(pool) {
      remove(pool.id)
      const [a, b] = [placeOf(pool.token0, weth), placeOf(pool.token1, weth)]
      byId.set(pool.id, pool)
      // A pool of ETH against WETH leads nowhere that wrapping does not.
      if (a === b) return
      listOf(a, b).push(pool)
      listOf(b, a).push(pool)
    },
    remove,
    get: (id) => byId.get(id),
    between: (a, b) => byToken.get(placeOf(a, weth))?.get(placeOf(b, weth)) ?? NONE,
    of: (token) => [...(byToken.get(placeOf(token, weth))?.values() ?? [])].flat(),
    all: () => byId.values(),
    get size() {
      return byId.size
    },
  }
}
