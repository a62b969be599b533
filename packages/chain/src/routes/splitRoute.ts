import { requote } from './findRoutes.ts'
import { GAS, gasInOut } from './gas.ts'
import type { RouteQuote, RouteRequest, SplitQuote } from './types.ts'

/** A trade is divided in so many equal parts; the last one carries what does not divide. */
const PARTS = 16
/** So many routes that share no pool are considered together, three of them used at most. */
const CANDIDATES = 4
const MAX_LEGS = 3

/**
 * The best split of a trade over two or three routes, or undefined if the best single route is as good after the
 * gas of the additional legs. `routes` come from findRoutes, best first.
 */
export function splitRoute(routes: readonly RouteQuote[], request: RouteRequest): SplitQuote | undefined {
  const single = routes[0]
  const candidates = disjoint(routes)
  if (!single || candidates.length < 2) return undefined
  const tables = candidates.map((route) => outputsByParts(route, request))
  let best: SplitQuote | undefined
  for (const members of groups(candidates.length)) {
    const parts = divide(members.map((i) => tables[i]!))
    if (!parts || parts.some((count) => count === 0)) continue
    const split = assemble(
      members.map((i) => candidates[i]!),
      parts,
      request,
    )
    if (split && split.netOut > (best?.netOut ?? single.netOut)) best = split
  }
  return best
}

/**
 * Routes in order, each only if none of its pools is in one before: a pool's quote holds for one use of it.
 */
function disjoint(routes: readonly RouteQuote[]): RouteQuote[] {
  const usedPools = new Set<string>()
  const chosen: RouteQuote[] = []
  for (const route of routes) {
    if (chosen.length === CANDIDATES) break
    if (route.hops.some((hop) => usedPools.has(hop.pool.id))) continue
    for (const hop of route.hops) usedPools.add(hop.pool.id)
    chosen.push(route)
  }
  return chosen
}

/** A route's output for 0, 1 … PARTS parts; a missing entry is more than it can carry. */
function outputsByParts(route: RouteQuote, request: RouteRequest): (bigint | undefined)[] {
  const outputs: (bigint | undefined)[] = [0n]
  for (let parts = 1; parts <= PARTS; parts++) {
    const amountIn = (request.amountIn * BigInt(parts)) / BigInt(PARTS)
    const output = amountIn > 0n ? requote(route, { ...request, amountIn })?.amountOut : undefined
    if (output === undefined && parts > 1) break
    outputs.push(output)
  }
  return outputs
}

/** Greedy: each part goes to the route with the highest marginal output, optimal with diminishing returns. */
function divide(tables: readonly (bigint | undefined)[][]): number[] | undefined {
  const counts = tables.map(() => 0)
  for (let part = 0; part < PARTS; part++) {
    let winner = -1
    let most = -1n
    for (let i = 0; i < tables.length; i++) {
      const now = tables[i]![counts[i]!]
      const next = tables[i]![counts[i]! + 1]
      if (now === undefined || next === undefined || next - now <= most) continue
      most = next - now
      winner = i
    }
    if (winner < 0) return undefined
    counts[winner] = counts[winner]! + 1
  }
  return counts
}

function assemble(
  routes: readonly RouteQuote[],
  parts: readonly number[],
  request: RouteRequest,
): SplitQuote | undefined {
  const legs: RouteQuote[] = []
  let left = request.amountIn
  for (let i = 0; i < routes.length; i++) {
    const last = i === routes.length - 1
    const amountIn = last ? left : (request.amountIn * BigInt(parts[i]!)) / BigInt(PARTS)
    const leg = requote(routes[i]!, { ...request, amountIn })
    if (!leg) return undefined
    legs.push(leg)
    left -= amountIn
  }
  const amountOut = legs.reduce((sum, leg) => sum + leg.amountOut, 0n)
  // The transaction's own gas is paid once.
  const gas = legs.reduce((sum, leg) => sum + leg.gas, 0) - GAS.base * (legs.length - 1)
  return {
    legs,
    amountIn: request.amountIn,
    amountOut,
    gas,
    netOut: amountOut - gasInOut(gas, request.gasCost),
  }
}

function groups(count: number): number[][] {
  const all: number[][] = []
  for (let set = 1; set < 1 << count; set++) {
    const members = Array.from({ length: count }, (_, i) => i).filter((i) => set & (1 << i))
    if (members.length >= 2 && members.length <= MAX_LEGS) all.push(members)
  }
  return all
}
