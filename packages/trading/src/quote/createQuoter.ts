import { type Address, NATIVE } from '@pit/chain'
import { crossMid } from '@pit/market'
import { nowS } from '@pit/platform/clock'
import { type AtomPrice, fail, fractionOf, lessBps, slippageTolerance } from '@pit/protocol'
import { taxBpsOf } from '../taxes.ts'
import type { Audited, FailedRoute, TradeParams, TradeQuote, TradeToken } from '../types.ts'
import { createAggregators, isAggregator } from './aggregators.ts'
import { createCallQuoter } from './byCall.ts'
import { quoteCurves } from './curve.ts'
import type { QuoterDeps } from './deps.ts'
import { feeOfTrade, feeRecipientOf } from './fee.ts'
import { createHooks } from './hooks.ts'
import { createLabels } from './labels.ts'
import { createMeasure, gasCostOf, maxPlausible, rank, type Yardsticks } from './measure.ts'
import { createPoolScanner } from './pools.ts'
import { priceOf } from './prices.ts'
import { type ChangedTokens, createResolver, type NamedToken } from './resolve.ts'
import { risksOfTrade } from './risks.ts'
import { checkRequestedSize, notionalOf, sizeOf } from './size.ts'
import { readSnipeExempt } from './snipeExempt.ts'
import type { UnpricedRoute } from './unpriced.ts'
import { createWinners } from './winners.ts'

export interface Quoter {
  /**
   * Prices a trade at one block. Refuses unreadable or unsizable requests, never for risk and not for a missing
   * route: then `routes` is empty and `failed` has the reasons.
   */
  quoteTrade(request: TradeParams, options?: { changedTokens?: ChangedTokens }): Promise<TradeQuote>
}

/** Quotes are refused once the newest block is older than this. */
const HEAD_MAX_AGE_S = 30

export function createQuoter(deps: QuoterDeps): Quoter {
  const { market, profile, clock, tokens } = deps
  const labels = createLabels(profile)
  const hooks = createHooks(profile)
  const parts = { ...deps, labels, hooks, winners: createWinners({ clock, index: market.index }) }
  const resolver = createResolver(deps)
  const pools = createPoolScanner(parts)
  const byCall = createCallQuoter(parts)
  const aggregators = createAggregators(parts)

  /** Reads everything from the market synchronously, so that all of it is from one block. */
  function readMarket(
    request: TradeParams,
    ends: Ends,
    { fee, exempt }: { fee: TradeQuote['fee']; exempt: ReadonlySet<Address> },
  ) {
    const head = market.head() ?? fail('LIVE_UNAVAILABLE', { message: 'Market data is not loaded yet.' })
    const ageS = nowS(clock) - head.timestampS
    if (ageS > HEAD_MAX_AGE_S) fail('RPC_UNAVAILABLE', { message: `The newest block is ${ageS} s old.` })
    const tokenIn = { ...ends.tokenIn, mark: market.mark(ends.tokenIn.address) }
    const tokenOut = { ...ends.tokenOut, mark: market.mark(ends.tokenOut.address) }
    const pair = { tokenIn: tokenIn.address, tokenOut: tokenOut.address }
    const bothCore = tokenIn.core !== null && tokenOut.core !== null

    const size = sizeOf(request, tokenIn, () => priceByOutput(tokenIn, tokenOut))
    const swapIn = fee.side === 'input' ? lessBps(size.amountIn, fee.bps) : size.amountIn
    const eth = market.mark(NATIVE)
    const yard: Yardsticks = {
      tokenIn,
      tokenOut,
      amountIn: size.amountIn,
      swapIn,
      fee,
      mid: bothCore ? crossMid(deps, pair.tokenIn, pair.tokenOut) : null,
      gasPriceWei: head.baseFeeWei,
      ethUsd: eth ? Number(eth.priceE18) / 1e18 : null,
      gasCost: gasCostOf(tokenOut, eth, head.baseFeeWei),
    }
    const scanned = request.venues.includes('venue_pool')
      ? pools.scan(
          {
            ...pair,
            amountIn: swapIn,
            sellTaxBps: taxBpsOf(tokenIn, 'sell_tax_bps'),
            ...(yard.gasCost && { gasCost: yard.gasCost }),
          },
          request,
        )
      : { routes: [], failed: [], byCall: [], tried: 0 }
    const curves = request.venues.includes('venue_curve')
      ? quoteCurves(parts, { ...pair, swapIn, atS: head.timestampS, exempt })
      : { routes: [], failed: [] }
    const isNamed = request.routeId !== undefined
    const call = { ...pair, swapIn, block: head.number, knownOnly: bothCore, isNamed }
    const chosen = byCall.choose(scanned.byCall, call)
    const routes = [...scanned.routes, ...curves.routes]
    const lost = routes.length === 0 && chosen.length === 0 && request.venues.includes('venue_pool')
    const byAddress = [tokenIn, tokenOut].filter(({ core }) => lost && core === null)
    const failed = [
      ...scanned.failed,
      ...curves.failed,
      ...byAddress.flatMap(({ address }) => byCall.elsewhere(address)),
    ]
    const tried = scanned.tried + curves.routes.length + curves.failed.length + chosen.length
    return { head, size, yard, bothCore, routes, failed, call, chosen, tried }
  }

  /** Only if the input itself has no price. */
  function priceByOutput(tokenIn: TradeToken, tokenOut: TradeToken): AtomPrice | undefined {
    const price = priceOf(tokenOut)
    const spot = price && pools.spotBetween({ tokenIn: tokenIn.address, tokenOut: tokenOut.address })
    const rate = spot === undefined ? undefined : fractionOf(spot)
    return price && rate && { num: price.num * rate.num, den: price.den * rate.den }
  }

  /** With shield: audits of both ends except native ETH, which has no contract. Refuses AUDIT_UNAVAILABLE. */
  const readAudits = (request: TradeParams, ends: readonly NamedToken[]): Promise<Audited[]> =>
    Promise.all(
      ends
        .filter(({ address }) => request.shield && address !== NATIVE)
        .map(async ({ address }) => ({ token: address, ...(await tokens.readAudit(address)) })),
    )

  return {
    async quoteTrade(request, { changedTokens = 'refuse' } = {}) {
      const watch = startWatch()
      checkRequestedSize(request)
      const recipient = feeRecipientOf(profile)
      const named = resolver.readPair(request)
      // Started in parallel; each is awaited when needed.
      const tier = request.feeBps ? undefined : suppressUnhandledRejection(deps.tierBps(request.wallet))
      const audits = suppressUnhandledRejection(readAudits(request, [named.tokenIn, named.tokenOut]))
      const [recordIn, recordOut] = await Promise.all([
        resolver.readRecord(named.tokenIn, request.admit, changedTokens),
        resolver.readRecord(named.tokenOut, request.admit, changedTokens),
      ])
      const ends = {
        tokenIn: resolver.tokenOf(named.tokenIn, recordIn),
        tokenOut: resolver.tokenOf(named.tokenOut, recordOut),
      }
      const majorBps = () => tier ?? deps.tierBps(request.wallet)
      const fee = await feeOfTrade(ends, request, { recipient, majorBps })
      const audited = await audits
      watch.stage('tokens')

      const exemptions = readSnipeExempt(deps, request.wallet, [ends.tokenIn.address, ends.tokenOut.address])
      const exempt = exemptions instanceof Promise ? await exemptions : exemptions
      const read = readMarket(request, ends, { fee, exempt })
      const { head, size, yard } = read
      const { tokenIn, tokenOut } = yard
      watch.stage('scan')

      const names = request.venues.filter(isAggregator)
      const pair = { tokenIn: tokenIn.address, tokenOut: tokenOut.address }
      const outcomes =
        read.chosen.length === 0 && names.length === 0
          ? []
          : await Promise.all([
              byCall.quote(read.chosen, read.call),
              aggregators.quote(names, {
                ...pair,
                swapIn: yard.swapIn,
                maxOut: maxPlausible(yard, read.routes),
              }),
            ])
      const unpriced = [...read.routes, ...outcomes.flatMap((outcome) => outcome.routes)]
      const failed = [...read.failed, ...outcomes.flatMap((outcome) => outcome.failed)]
      watch.stage('venues')

      const routes = choose(rank(unpriced, yard.gasCost), failed, request, pair).map(createMeasure(yard))
      const best = routes.find(({ way }) => way !== null)
      const bestSwap = best && { swapIn: yard.swapIn, amountOut: best.amountOut }
      const notionalMicroUsd = notionalOf(size, yard, bestSwap)
      const slippage = slippageTolerance(fee.class, notionalMicroUsd)
      return {
        request,
        block: head.number,
        blockTimeS: head.timestampS,
        tokenIn,
        tokenOut,
        amountIn: yard.amountIn,
        notionalMicroUsd,
        swapIn: yard.swapIn,
        fee,
        slippageBps: slippageOf(request, slippage),
        slippageCapBps: slippage.capBps,
        routes,
        failed,
        candidates: read.tried + names.length,
        mid: yard.mid,
        midDue: read.bothCore,
        gasPriceWei: yard.gasPriceWei,
        ethUsd: yard.ethUsd,
        risks: risksOfTrade({ tokenIn, tokenOut, best, audits: audited }),
        audits: audited,
        timings: watch.read(),
      }
    },
  }

  /** All routes, or the requested one. */
  function choose(
    ranked: UnpricedRoute[],
    failed: readonly FailedRoute[],
    { routeId }: TradeParams,
    { tokenIn, tokenOut }: { tokenIn: Address; tokenOut: Address },
  ): UnpricedRoute[] {
    if (routeId === undefined) return ranked
    if (aggregators.isRoute(routeId, tokenIn, tokenOut)) fail('QUOTE_ONLY', { field: 'route_id' })
    const requested = ranked.filter(({ id }) => id === routeId)
    if (requested.length > 0 || failed.some(({ id }) => id === routeId)) return requested
    return fail('NO_ROUTE', {
      message: 'The route with this route_id cannot carry the trade now. Request a new quote.',
    })
  }
}

/** A signed order’s slippage is a maximum, so the cap of this size narrows it. */
const slippageOf = (
  { slippageBps, orderBounds }: TradeParams,
  { defaultBps, capBps }: ReturnType<typeof slippageTolerance>,
): number => slippageBps ?? (orderBounds ? Math.min(orderBounds.maxSlippageBps, capBps) : defaultBps)

type Ends = { tokenIn: TradeToken; tokenOut: TradeToken }

/** For a promise that is awaited later, or not at all if something else fails first. */
function suppressUnhandledRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

function startWatch() {
  const timings: Record<string, number> = {}
  const startedAt = performance.now()
  let lastAt = startedAt
  const ms = (from: number, to: number) => Math.round((to - from) * 1_000) / 1_000
  return {
    stage(name: string) {
      const now = performance.now()
      timings[name] = ms(lastAt, now)
      lastAt = now
    },
    read: () => ({ ...timings, quote: ms(startedAt, performance.now()) }),
  }
}
