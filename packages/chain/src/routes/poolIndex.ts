import type { Address, Hex } from '../bytes/hex.ts'
import { DYNAMIC_FEE, isQuotedByCall } from '../pools/hooks.ts'
import type { Pool } from '../pools/types.ts'
import { asWeth } from './gas.ts'
import { createRanking, type Ranking } from './ranking.ts'

/**
 * Anyone can open pools: of a pair with more of them than this, only those that would give most are looked
 * at.
 */
export const CROWD = 24
/** Crowded pairs whose ranking is cached, per direction; least recently used goes first. */
const MAX_RANKED = 256

/** Source of a pool's quote: its state in memory, or the chain if its hook decides the output. */
export type QuotedBy = 'memory' | 'call'

/**
 * Pools by the two tokens they join. Looking up a pair costs the same whatever else is in it. Tokens are
 * lower-case; ETH and WETH are one place.
 */
export type PoolIndex = {
  readonly weth: Address
  /** Tokens that routes may go through, WETH for ETH. */
  readonly hubs: readonly Address[]
  add(pool: Pool): void
  remove(id: Hex): boolean
  get(id: Hex): Pool | undefined
  /** Call after changing a pool's state in place: otherwise a crowded pair notices it late. */
  touch(id: Hex): void
  between(a: Address, b: Address): readonly Pool[]
  /** Of the pools between two tokens those worth a quote for this input: all of a few, the best of many. */
  candidates(from: Address, to: Address, amountIn: bigint, quotedBy: QuotedBy): readonly Pool[]
  /** Every pool a token is in. */
  of(token: Address): Pool[]
  all(): IterableIterator<Pool>
  readonly size: number
}

const NONE: readonly Pool[] = Object.freeze([])

export function createPoolIndex(options: {
  weth: Address
  hubs: readonly Address[]
  /** Pools that are always looked at, however many others their pair has. */
  pinned?: readonly Hex[]
}): PoolIndex {
  const { weth } = options
  const hubs = [...new Set(options.hubs.map((hub) => asWeth(hub, weth)))]
  const pinned = new Set(options.pinned)
  const byId = new Map<Hex, Pool>()
  const byToken = new Map<Address, Map<Address, Pool[]>>()
  const rankings = new Map<string, Record<QuotedBy, Ranking>>()
  const placesOf = (pool: Pool) => [asWeth(pool.token0, weth), asWeth(pool.token1, weth)] as const

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

  /** The rankings a pool is in, of both directions. */
  function rankingsOf(pool: Pool): Ranking[] {
    const [a, b] = placesOf(pool)
    return [rankings.get(`${a} ${b}`), rankings.get(`${b} ${a}`)]
      .filter((pair) => pair !== undefined)
      .flatMap((pair) => waysOf(pool).map((way) => pair[way]))
  }

  function ranked(from: Address, to: Address, pools: readonly Pool[]): Record<QuotedBy, Ranking> {
    const name = `${from} ${to}`
    let pair = rankings.get(name)
    if (pair) rankings.delete(name)
    else {
      const request = {
        zeroForOne: (pool: Pool) => asWeth(pool.token0, weth) === from,
        isPinned: (id: Hex) => pinned.has(id),
      }
      pair = { memory: createRanking(request), call: createRanking(request) }
      for (const pool of pools) for (const way of waysOf(pool)) pair[way].add(pool)
    }
    rankings.set(name, pair)
    if (rankings.size > MAX_RANKED) rankings.delete(rankings.keys().next().value!)
    return pair
  }

  function between(a: Address, b: Address): readonly Pool[] {
    return byToken.get(asWeth(a, weth))?.get(asWeth(b, weth)) ?? NONE
  }

  function remove(id: Hex): boolean {
    const pool = byId.get(id)
    if (!pool) return false
    const [a, b] = placesOf(pool)
    byId.delete(id)
    drop(a, b, pool)
    drop(b, a, pool)
    for (const ranking of rankingsOf(pool)) ranking.remove(id)
    return true
  }

  return {
    weth,
    hubs,
    add(pool) {
      remove(pool.id)
      const [a, b] = placesOf(pool)
      byId.set(pool.id, pool)
      // A pool of ETH against WETH leads nowhere that wrapping does not.
      if (a === b) return
      listOf(a, b).push(pool)
      listOf(b, a).push(pool)
      for (const ranking of rankingsOf(pool)) ranking.add(pool)
    },
    remove,
    get: (id) => byId.get(id),
    touch(id) {
      const pool = byId.get(id)
      if (pool && rankings.size > 0) for (const ranking of rankingsOf(pool)) ranking.touch(id)
    },
    between,
    candidates(a, b, amountIn, by) {
      const pools = between(a, b)
      if (pools.length > CROWD) {
        const best = ranked(asWeth(a, weth), asWeth(b, weth), pools)[by].best(amountIn)
        return best.filter((pool) => quotedBy(pool) === by)
      }
      // Quoting from memory leaves the others out by itself.
      return by === 'memory' ? pools : pools.filter((pool) => quotedBy(pool) === by)
    },
    of: (token) => [...(byToken.get(asWeth(token, weth))?.values() ?? [])].flat(),
    all: () => byId.values(),
    get size() {
      return byId.size
    },
  }
}

const quotedBy = (pool: Pool): QuotedBy => (isQuotedByCall(pool) ? 'call' : 'memory')

/** A dynamic fee may be read or lost at any time: its pool is ranked both ways and quoted the one that holds. */
const waysOf = (pool: Pool): QuotedBy[] =>
  pool.version === 'v4' && pool.key.fee === DYNAMIC_FEE ? ['memory', 'call'] : [quotedBy(pool)]
