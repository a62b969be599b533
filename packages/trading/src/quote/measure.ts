import type { GasCost } from '@pit/chain'
import { atomsDown, BPS, lessBps, rescaleDown } from '@pit/protocol'
import type { PricedRoute, TradeFee, TradeQuote, TradeToken } from '../types.ts'
import { roundBps } from './deps.ts'
import { priceOf, unitUsd } from './prices.ts'
import type { UnpricedRoute } from './unpriced.ts'

const WEI_PER_ETH = 10n ** 18n

/** What every route of one trade is compared with. */
export interface Yardsticks {
  tokenIn: TradeToken
  tokenOut: TradeToken
  amountIn: bigint
  swapIn: bigint
  fee: Pick<TradeFee, 'bps' | 'side'>
  mid: number | null
  gasPriceWei: bigint
  ethUsd: number | null
  /** Undefined if ETH or the output has no price. */
  gasCost: GasCost | undefined
}

/** Gas cost in output atoms. */
export function gasCostOf(
  tokenOut: TradeToken,
  eth: TradeToken['mark'],
  gasPriceWei: bigint,
): GasCost | undefined {
  if (tokenOut.core === 'ETH' || tokenOut.core === 'WETH') {
    return { gasPriceWei, outAtomsPerEth: WEI_PER_ETH }
  }
  const price = priceOf(tokenOut)
  if (!eth || !price) return undefined
  return { gasPriceWei, outAtomsPerEth: atomsDown(rescaleDown(eth.priceE18, 18, 6), price) }
}

/** Output less gas; routes are ranked by it. */
export const netOf = (
  { amountOut, gas }: Pick<UnpricedRoute, 'amountOut' | 'gas'>,
  cost: GasCost | undefined,
): bigint => amountOut - gasOut(gas, cost)

const gasOut = (gas: number, cost: GasCost | undefined): bigint =>
  cost ? (BigInt(gas) * cost.gasPriceWei * cost.outAtomsPerEth) / WEI_PER_ETH : 0n

/** Received by the wallet: the pools' output less an output-side fee. */
export const receivedOf = (
  { fee }: { fee: Pick<TradeQuote['fee'], 'bps' | 'side'> },
  { amountOut }: Pick<PricedRoute, 'amountOut'>,
): bigint => (fee.side === 'output' ? lessBps(amountOut, fee.bps) : amountOut)

/** Adds prices to a route for display and checks; computes no amounts. */
export function createMeasure(yard: Yardsticks): (route: UnpricedRoute) => PricedRoute {
  const { tokenIn, tokenOut, mid } = yard
  const scale = 10 ** (tokenIn.decimals - tokenOut.decimals)
  /** Whole output units per input unit. */
  const rate = (out: bigint, amountIn: bigint) => (Number(out) / Number(amountIn)) * scale
  const reference = referenceRateOf(tokenIn, tokenOut)
  const gasUsdEach = yard.ethUsd === null ? null : (Number(yard.gasPriceWei) / 1e18) * yard.ethUsd

  return (route) => {
    const { amountOut, gas } = route
    const price = rate(amountOut, yard.swapIn)
    const netOut = receivedOf(yard, route) - gasOut(gas, yard.gasCost)
    return {
      ...route,
      gasUsd: gasUsdEach === null ? null : round(gas * gasUsdEach, 6),
      vsMidBps: mid === null ? null : roundBps((price / mid - 1) * BPS),
      totalBps:
        mid === null || yard.gasCost === undefined
          ? null
          : roundBps((1 - rate(netOut, yard.amountIn) / mid) * BPS),
      guardBps: reference === null ? null : roundBps((1 - price / reference) * BPS),
    }
  }
}

/** From marks and records, if one of the two is a token by address; null if either end has no price. */
function referenceRateOf(tokenIn: TradeToken, tokenOut: TradeToken): number | null {
  if (tokenIn.core !== null && tokenOut.core !== null) return null
  const [usdIn, usdOut] = [unitUsd(tokenIn), unitUsd(tokenOut)]
  return usdIn === null || usdOut === null ? null : usdIn / usdOut
}

const round = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits

/** An aggregator's offer further above the market than this is implausible. */
const IMPLAUSIBLE_OVER_MID = 1.1
const IMPLAUSIBLE_OVER_POOLS = 2n

/** The highest plausible output for `swapIn`; null without a reference. */
export function maxPlausible(
  { mid, swapIn, tokenIn, tokenOut }: Yardsticks,
  routes: readonly UnpricedRoute[],
): bigint | null {
  if (mid !== null) {
    const atoms = Number(swapIn) * mid * IMPLAUSIBLE_OVER_MID * 10 ** (tokenOut.decimals - tokenIn.decimals)
    return Number.isFinite(atoms) ? BigInt(Math.ceil(atoms)) : null
  }
  let best = 0n
  for (const { amountOut } of routes) if (amountOut > best) best = amountOut
  return best > 0n ? best * IMPLAUSIBLE_OVER_POOLS : null
}

/** A route without severe risks ranks first unless it yields this much less. */
const WORTH_A_RISK_PERCENT = 3n

/**
 * Best first by output net of gas; at equal output, buildable routes first. A route that adds a severe risk
 * (an unreviewed hook) ranks behind every route that adds none and yields nearly as much: otherwise anyone
 * could put a pool first by offering slightly more.
 */
export function rank(routes: readonly UnpricedRoute[], cost: GasCost | undefined): UnpricedRoute[] {
  const rated = routes
    .map((route) => ({ route, net: netOf(route, cost) }))
    .sort((a, b) => compare(b.net, a.net) || order(a.route) - order(b.route) || a.route.gas - b.route.gas)
  const best = rated.find(({ route }) => route.way !== null)?.net ?? 0n
  const nearly = (net: bigint) => best <= 0n || net * 100n >= best * (100n - WORTH_A_RISK_PERCENT)
  const first = ({ route, net }: (typeof rated)[number]) => !isRisky(route) && nearly(net)
  return [...rated.filter(first), ...rated.filter((one) => !first(one))].map(({ route }) => route)
}

const isRisky = ({ risks }: UnpricedRoute) => risks.some(({ severity }) => severity === 'severe')
const order = ({ way }: UnpricedRoute) => (way === null ? 1 : 0)
const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)
