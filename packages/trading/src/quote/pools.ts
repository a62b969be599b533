import {
  findRoutes,
  type Route,
  type RouteQuote,
  type RouteRequest,
  requote,
  type SplitQuote,
  splitIdOf,
  splitRoute,
} from '@pit/chain'
import { planHopOf } from '@pit/plans'
import { lessBps } from '@pit/protocol'
import type { FailedRoute, PoolLeg } from '../types.ts'
import type { QuoterDeps } from './deps.ts'
import type { Hooks } from './hooks.ts'
import { endlessOut, impactBps, spotOf } from './impact.ts'
import type { Labels } from './labels.ts'
import { ATOMS_END } from './size.ts'
import { trapOf, trapRisk, whyTrapped } from './traps.ts'
import type { UnpricedRoute } from './unpriced.ts'
import type { Winners } from './winners.ts'

export interface PoolScan {
  routes: UnpricedRoute[]
  /** Routes that are not offered, with reasons. */
  failed: FailedRoute[]
  /** Pools that only the chain can quote. */
  byCall: Route[]
  /** Number of routes examined. */
  tried: number
}
/** A route request, with the sold token's tax, deducted before the pools. */
export type ScanRequest = RouteRequest & { sellTaxBps: number }

export interface PoolScanner {
  /** All pool routes from memory; synchronous, so from one block. */
  scan(request: ScanRequest, params: { fast: boolean; routeId?: string | undefined }): PoolScan
  /** Output atoms per input atom at current pool prices, along the best path for a small amount. */
  spotBetween(request: Pick<RouteRequest, 'tokenIn' | 'tokenOut'>): number | undefined
}

/** Maximum rows in a response. */
const MAX_ROWS = 100
/** Maximum number of unoffered routes in a response. */
const MAX_FAILED = 3

export function createPoolScanner({
  market,
  crypto,
  winners,
  hooks,
  labels,
}: Pick<QuoterDeps, 'market' | 'crypto'> & {
  winners: Winners
  hooks: Hooks
  labels: Labels
}): PoolScanner {
  const { index } = market
  /** The stock's issuer blocks the address that holds the pool's tokens: it cannot trade. */
  const isBarred = ({ hops }: Route) => hops.some(({ pool }) => market.stocks.isBarred(pool))
  const isClean = ({ hops }: Route) => hops.every(hooks.isKnown)
  const fits = ({ amountOut }: { amountOut: bigint }) => amountOut < ATOMS_END

  /** Output of the legs after the sell tax; nothing without a tax, or if a leg cannot carry it. */
  function afterSellTax(legs: readonly RouteQuote[], request: ScanRequest): { outAfterSellTax?: bigint } {
    if (request.sellTaxBps === 0) return {}
    let outAfterSellTax = 0n
    for (const leg of legs) {
      const requoted = requote(leg, { ...request, amountIn: lessBps(leg.amountIn, request.sellTaxBps) })
      if (!requoted) return {}
      outAfterSellTax += requoted.amountOut
    }
    return { outAfterSellTax }
  }

  function describe(route: RouteQuote, request: ScanRequest): UnpricedRoute {
    const { id, hops, amountIn, amountOut, gas } = route
    return {
      id,
      venue: 'venue_pool',
      label: labels.ofPath(request, hops),
      way: { kind: 'pools', legs: [legOf(route)] },
      quotedBy: 'memory',
      amountOut,
      ...afterSellTax([route], request),
      gas,
      impactBps: impactBps(amountOut, endlessOut(hops, amountIn)),
      risks: risksOf(hops),
    }
  }

  function risksOf(hops: Route['hops']) {
    const trap = trapOf(hops)
    return [...hooks.risksOf(hops), ...(trap === null ? [] : [trapRisk(trap)])]
  }

  /** Routes that are never offered; listed only if there are no others. */
  function describeFailed(routes: readonly Route[], ends: Ends): FailedRoute[] {
    return routes.slice(0, MAX_FAILED).map((route) => ({
      id: route.id,
      venue: 'venue_pool',
      label: labels.ofPath(ends, route.hops),
      why: isBarred(route)
        ? 'The issuer of the stock blocks this pool.'
        : whyTrapped(trapOf(route.hops) ?? 0, route.id),
    }))
  }

  function describeSplit({ legs, amountOut, gas }: SplitQuote, request: ScanRequest): UnpricedRoute {
    const endless = legs.reduce((sum, { hops, amountIn }) => sum + endlessOut(hops, amountIn), 0)
    return {
      id: splitIdOf(crypto, legs),
      venue: 'venue_pool',
      label: labels.ofSplit(request, legs),
      way: { kind: 'pools', legs: legs.map(legOf) },
      quotedBy: 'memory',
      amountOut,
      ...afterSellTax(legs, request),
      gas,
      impactBps: impactBps(amountOut, endless),
      risks: hooks.risksOf(legs.flatMap(({ hops }) => hops)),
    }
  }

  /** Prefers a split over pools without unreviewed hooks, which would add their risk. */
  function split(routes: readonly RouteQuote[], request: ScanRequest): UnpricedRoute | undefined {
    const clean = routes.filter(isClean)
    const best = splitRoute(clean.length > 0 ? clean : routes, request)
    if (!best || !fits(best)) return undefined
    const described = describeSplit(best, request)
    winners.keepSplit(described.id, best.legs)
    return described
  }

  const isOffered = (route: Route) => !isBarred(route) && trapOf(route.hops) === null

  function byWinners(request: RouteRequest): RouteQuote[] {
    return winners
      .of(request.tokenIn, request.tokenOut)
      .filter((route) => isOffered(route))
      .map((route) => requote(route, request))
      .filter((route) => route !== undefined)
      .filter(fits)
      .sort(byNet)
  }

  /** A split requested again uses the same routes, even if another division is better by now. */
  function splitAgain(routeId: string, request: ScanRequest): UnpricedRoute | undefined {
    const legs = winners.legsOf(routeId)?.map((route) => requote(route, request))
    if (!legs?.every((leg) => leg !== undefined)) return undefined
    const best = splitRoute(legs.sort(byNet), request)
    return best && splitIdOf(crypto, best.legs) === routeId ? describeSplit(best, request) : undefined
  }

  return {
    scan(request, { fast, routeId }) {
      const recent = fast && routeId === undefined ? byWinners(request) : []
      if (recent.length > 0) {
        const divided = split(recent, request)
        return {
          routes: [...(divided ? [divided] : []), ...recent.map((route) => describe(route, request))],
          failed: [],
          byCall: [],
          tried: recent.length,
        }
      }
      const all = findRoutes({ index, crypto }, request)
      const byCall = all.byCall.filter((route) => !isBarred(route))
      const routes = all.routes.filter((route) => !isBarred(route))
      const whole = routes.filter((route) => fits(route) && isOffered(route))
      const divided = split(whole, request)
      const tried = routes.length + (divided ? 1 : 0)
      if (routeId !== undefined) {
        const route = routes.filter(fits).find(({ id }) => id === routeId)
        const requested = route
          ? describe(route, request)
          : divided?.id === routeId
            ? divided
            : splitAgain(routeId, request)
        const named = byCall.filter(({ id }) => id === routeId)
        return { routes: requested ? [requested] : [], failed: [], byCall: named, tried }
      }
      if (whole.length > 0) {
        // Remembered separately, so that pools with unreviewed hooks cannot displace all others.
        const [clean, hooked] = [whole.filter(isClean), whole.filter((route) => !isClean(route))]
        winners.keep(request.tokenIn, request.tokenOut, [...clean, ...hooked])
      }
      const shown = whole.slice(0, MAX_ROWS).map((route) => describe(route, request))
      const isAnyOffered = shown.length > 0 || byCall.length > 0
      const unoffered = isAnyOffered
        ? []
        : [...all.routes, ...all.byCall].filter((route) => !isOffered(route))
      const failed = describeFailed(unoffered, request)
      return { routes: divided ? [divided, ...shown] : shown, failed, byCall, tried }
    },
    spotBetween(request) {
      // The smallest amount whose output has enough atoms to compare routes.
      for (let amountIn = 1n; amountIn < ATOMS_END; amountIn *= 1_000n) {
        const [route] = findRoutes({ index, crypto }, { ...request, amountIn }).routes
        if (route && route.amountOut >= 1_000n) {
          return route.hops.reduce((price, hop) => price * spotOf(hop), 1)
        }
      }
      return undefined
    },
  }
}

const byNet = (a: RouteQuote, b: RouteQuote) =>
  a.netOut < b.netOut ? 1 : a.netOut > b.netOut ? -1 : a.gas - b.gas
type Ends = Pick<RouteRequest, 'tokenIn' | 'tokenOut'>
const legOf = ({ hops, amountIn }: RouteQuote): PoolLeg => ({ hops: hops.map(planHopOf), amountIn })
