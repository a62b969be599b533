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
import type { PoolLeg } from '../types.ts'
import type { QuoterDeps } from './deps.ts'
import type { Found } from './found.ts'
import type { Hooks } from './hooks.ts'
import { endlessOut, impactBps, spotOf } from './impact.ts'
import type { Labels } from './labels.ts'
import { ATOMS_END } from './size.ts'
import type { Winners } from './winners.ts'

export interface PoolScan {
  found: Found[]
  /** Pools that only the chain can quote. */
  byCall: Route[]
  /** Routes looked at. */
  tried: number
}
export interface PoolScanner {
  /** Every way through pools from memory. Nothing waits in it: all of it is of one block. */
  scan(request: RouteRequest, ask: { fast: boolean; routeId?: string | undefined }): PoolScan
  /** Output atoms for one input atom where the pools stand now, along the best way for a small amount. */
  spotBetween(request: Pick<RouteRequest, 'tokenIn' | 'tokenOut'>): number | undefined
}

/** More rows than this nobody reads; every one of them is measured and sent. */
const MAX_ROWS = 100

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
  const isClean = ({ hops }: Route) => hops.every(hooks.isKnown)
  const fits = ({ amountOut }: { amountOut: bigint }) => amountOut < ATOMS_END

  function describe(route: RouteQuote, ends: Ends): Found {
    const { id, hops, amountIn, amountOut, gas } = route
    return {
      id,
      venue: 'venue_pool',
      label: labels.ofPath(ends, hops),
      way: { kind: 'pools', legs: [legOf(route)] },
      quotedBy: 'memory',
      amountOut,
      gas,
      impactBps: impactBps(amountOut, endlessOut(hops, amountIn)),
      risks: hooks.risksOf(hops),
    }
  }

  function describeSplit({ legs, amountOut, gas }: SplitQuote, ends: Ends): Found {
    const endless = legs.reduce((sum, { hops, amountIn }) => sum + endlessOut(hops, amountIn), 0)
    return {
      id: splitIdOf(crypto, legs),
      venue: 'venue_pool',
      label: labels.ofSplit(ends, legs),
      way: { kind: 'pools', legs: legs.map(legOf) },
      quotedBy: 'memory',
      amountOut,
      gas,
      impactBps: impactBps(amountOut, endless),
      risks: hooks.risksOf(legs.flatMap(({ hops }) => hops)),
    }
  }

  /** A split through an unknown hook would carry its risk: split over the other pools where there are any. */
  function split(routes: readonly RouteQuote[], request: RouteRequest): Found | undefined {
    const clean = routes.filter(isClean)
    const found = splitRoute(clean.length > 0 ? clean : routes, request)
    if (!found || !fits(found)) return undefined
    const described = describeSplit(found, request)
    winners.keepSplit(described.id, found.legs)
    return described
  }

  function byWinners(request: RouteRequest): RouteQuote[] {
    return winners
      .of(request.tokenIn, request.tokenOut)
      .map((route) => requote(route, request))
      .filter((route) => route !== undefined)
      .filter(fits)
      .sort(byNet)
  }

  /** A split asked for again is made of the same routes, though another division may be better by now. */
  function splitAgain(routeId: string, request: RouteRequest): Found | undefined {
    const legs = winners.legsOf(routeId)?.map((route) => requote(route, request))
    if (!legs?.every((leg) => leg !== undefined)) return undefined
    const found = splitRoute(legs.sort(byNet), request)
    return found && splitIdOf(crypto, found.legs) === routeId ? describeSplit(found, request) : undefined
  }

  return {
    scan(request, { fast, routeId }) {
      const recent = fast && routeId === undefined ? byWinners(request) : []
      if (recent.length > 0) {
        const divided = split(recent, request)
        return {
          found: [...(divided ? [divided] : []), ...recent.map((route) => describe(route, request))],
          byCall: [],
          tried: recent.length,
        }
      }
      const { routes, byCall } = findRoutes({ index, crypto }, request)
      const whole = routes.filter(fits)
      const divided = split(whole, request)
      const tried = routes.length + (divided ? 1 : 0)
      if (routeId !== undefined) {
        const route = whole.find(({ id }) => id === routeId)
        const asked = route
          ? describe(route, request)
          : divided?.id === routeId
            ? divided
            : splitAgain(routeId, request)
        return { found: asked ? [asked] : [], byCall: byCall.filter(({ id }) => id === routeId), tried }
      }
      if (whole.length > 0) {
        // Whoever opens pools with hooks of his own must not be all that is remembered.
        const [clean, hooked] = [whole.filter(isClean), whole.filter((route) => !isClean(route))]
        winners.keep(request.tokenIn, request.tokenOut, [...clean, ...hooked])
      }
      const shown = whole.slice(0, MAX_ROWS).map((route) => describe(route, request))
      return { found: divided ? [divided, ...shown] : shown, byCall, tried }
    },
    spotBetween(request) {
      // The first amount that gives enough atoms to tell routes apart by.
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
