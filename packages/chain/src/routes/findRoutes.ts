import type { Address } from '../bytes/hex.ts'
import type { Crypto } from '../crypto/createCrypto.ts'
import { quoteExactIn } from '../pools/quote.ts'
import type { Pool } from '../pools/types.ts'
import { asWeth, frameGas, gasInOut, hopGas } from './gas.ts'
import type { PoolIndex } from './poolIndex.ts'
import { routeIdOf } from './routeId.ts'
import type { Hop, Route, RouteQuote, RouteRequest } from './types.ts'

/** More steps than this (three million gas) are not offered; it also bounds the cost of quoting huge amounts. */
export const MAX_STEPS_OF_HOP = 400
/**
 * Of several ways to reach a place, so many go on; more input never gives less, so the best of them stays the
 * best.
 */
const BEAM = 3

export type FoundRoutes = {
  /** Best first, by output net of gas. */
  routes: RouteQuote[]
  /** Direct pools whose hook has the last word: only the chain can quote them. */
  byCall: Route[]
}

type Draft = { hops: Hop[]; amountsOut: bigint[]; gas: number }

/** Every way from one token to another over at most three pools, by way of the hubs, quoted exactly. */
export function findRoutes(
  { index, crypto }: { index: PoolIndex; crypto: Pick<Crypto, 'keccakText'> },
  request: RouteRequest,
): FoundRoutes {
  const { amountIn, maxHops = 3 } = request
  const from = asWeth(request.tokenIn, index.weth)
  const to = asWeth(request.tokenOut, index.weth)
  if (from === to || amountIn <= 0n) return { routes: [], byCall: [] }
  const hubs = index.hubs.filter((hub) => hub !== from && hub !== to)
  const start: Draft[] = [{ hops: [], amountsOut: [amountIn], gas: 0 }]
  const whole = extend(index, start, from, to)

  if (maxHops >= 2) {
    for (const hub of hubs) {
      const atHub = best(extend(index, start, from, hub))
      whole.push(...extend(index, atHub, hub, to))
      if (maxHops < 3) continue
      for (const second of hubs) {
        if (second !== hub) whole.push(...extend(index, best(extend(index, atHub, hub, second)), second, to))
      }
    }
  }
  const routes = whole.map((draft) =>
    measure({ id: routeIdOf(crypto, draft.hops), hops: draft.hops }, draft, request),
  )
  routes.sort((a, b) => compare(b.netOut, a.netOut) || a.gas - b.gas)
  return { routes, byCall: directByCall(index, crypto, { from, to, amountIn }) }
}

/** The same route for another amount; undefined when it cannot carry it. */
export function requote(
  route: Route,
  request: Pick<RouteRequest, 'tokenIn' | 'tokenOut' | 'amountIn' | 'gasCost'>,
): RouteQuote | undefined {
  let draft: Draft | undefined = { hops: [], amountsOut: [request.amountIn], gas: 0 }
  for (const hop of route.hops) {
    draft = step(draft, hop)
    if (!draft) return undefined
  }
  return measure(route, draft, request)
}

function extend(index: PoolIndex, drafts: readonly Draft[], from: Address, to: Address): Draft[] {
  // The best draft selects the pools, which also suit drafts with slightly less output.
  const amountIn = drafts[0]?.amountsOut.at(-1)
  if (amountIn === undefined) return []
  const nextDrafts: Draft[] = []
  for (const pool of index.candidates(from, to, amountIn, 'memory')) {
    const hop = hopOf(index, pool, from)
    for (const draft of drafts) {
      const next = step(draft, hop)
      if (next) nextDrafts.push(next)
    }
  }
  return nextDrafts
}

function hopOf(index: PoolIndex, pool: Pool, from: Address): Hop {
  const zeroForOne = asWeth(pool.token0, index.weth) === from
  return zeroForOne
    ? { pool, zeroForOne, tokenIn: pool.token0, tokenOut: pool.token1 }
    : { pool, zeroForOne, tokenIn: pool.token1, tokenOut: pool.token0 }
}

function step(draft: Draft, hop: Hop): Draft | undefined {
  const amountIn = draft.amountsOut[draft.amountsOut.length - 1]!
  const swap = quoteExactIn(hop.pool, hop.zeroForOne, amountIn, MAX_STEPS_OF_HOP)
  // A pool that runs out, or would need too many steps, leaves part of the input unspent: a different trade.
  if (!swap?.filled || swap.amountOut === 0n) return undefined
  return {
    hops: [...draft.hops, hop],
    amountsOut: [...draft.amountsOut, swap.amountOut],
    gas: draft.gas + hopGas(hop, swap),
  }
}

function best(drafts: Draft[]): Draft[] {
  drafts.sort((a, b) =>
    compare(b.amountsOut[b.amountsOut.length - 1]!, a.amountsOut[a.amountsOut.length - 1]!),
  )
  return drafts.slice(0, BEAM)
}

function measure(
  route: Route,
  draft: Draft,
  request: Pick<RouteRequest, 'tokenIn' | 'tokenOut' | 'gasCost'>,
): RouteQuote {
  const [amountIn, ...hopAmountsOut] = draft.amountsOut as [bigint, ...bigint[]]
  const amountOut = hopAmountsOut[hopAmountsOut.length - 1]!
  const gas = draft.gas + frameGas(route.hops, request.tokenIn, request.tokenOut)
  const netOut = amountOut - gasInOut(gas, request.gasCost)
  return { id: route.id, hops: route.hops, amountIn, amountOut, hopAmountsOut, gas, netOut }
}

function directByCall(
  index: PoolIndex,
  crypto: Pick<Crypto, 'keccakText'>,
  { from, to, amountIn }: { from: Address; to: Address; amountIn: bigint },
): Route[] {
  return index.candidates(from, to, amountIn, 'call').map((pool) => {
    const hops = [hopOf(index, pool, from)]
    return { id: routeIdOf(crypto, hops), hops }
  })
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
