import type { GasCost } from '@pit/chain'
import { atomsDown, BPS, lessBps, rescaleDown } from '@pit/protocol'
import type { PricedRoute, TradeFee, TradeQuote, TradeToken } from '../types.ts'
import { roundBps } from './deps.ts'
import type { Found } from './found.ts'
import { priceOf, unitUsd } from './prices.ts'

const WEI_PER_ETH = 10n ** 18n

/** What every route of one trade is held against. */
export interface Yardsticks {
  tokenIn: TradeToken
  tokenOut: TradeToken
  amountIn: bigint
  swapIn: bigint
  fee: Pick<TradeFee, 'bps' | 'side'>
  mid: number | null
  gasPriceWei: bigint
  ethUsd: number | null
  /** Undefined when ETH or the output has no price. */
  gasCost: GasCost | undefined
}

/** What gas costs in the output's atoms. */
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

/** Output less gas: what routes are ranked by. */
export const netOf = (
  { amountOut, gas }: Pick<Found, 'amountOut' | 'gas'>,
  cost: GasCost | undefined,
): bigint => amountOut - gasOut(gas, cost)

const gasOut = (gas: number, cost: GasCost | undefined): bigint =>
  cost ? (BigInt(gas) * cost.gasPriceWei * cost.outAtomsPerEth) / WEI_PER_ETH : 0n

/** What reaches the wallet: the pools' output less an output-side fee. */
export const receivedOf = (
  { fee }: { fee: Pick<TradeQuote['fee'], 'bps' | 'side'> },
  { amountOut }: Pick<PricedRoute, 'amountOut'>,
): bigint => (fee.side === 'output' ? lessBps(amountOut, fee.bps) : amountOut)

/** Prices a route of the trade; only figures to show and to judge by are made here, no amount. */
export function createMeasure(yard: Yardsticks): (found: Found) => PricedRoute {
  const { tokenIn, tokenOut, mid } = yard
  const scale = 10 ** (tokenIn.decimals - tokenOut.decimals)
  /** Whole units of the output for one of the input. */
  const rate = (out: bigint, given: bigint) => (Number(out) / Number(given)) * scale
  const reference = referenceRateOf(tokenIn, tokenOut)
  const gasUsdEach = yard.ethUsd === null ? null : (Number(yard.gasPriceWei) / 1e18) * yard.ethUsd

  return (found) => {
    const { amountOut, gas } = found
    const price = rate(amountOut, yard.swapIn)
    const kept = receivedOf(yard, found) - gasOut(gas, yard.gasCost)
    return {
      ...found,
      gasUsd: gasUsdEach === null ? null : round(gas * gasUsdEach, 6),
      vsMidBps: mid === null ? null : roundBps((price / mid - 1) * BPS),
      totalBps:
        mid === null || yard.gasCost === undefined
          ? null
          : roundBps((1 - rate(kept, yard.amountIn) / mid) * BPS),
      guardBps: reference === null ? null : roundBps((1 - price / reference) * BPS),
    }
  }
}

/** By marks and records, where a token by address is one of the two; null where either end has no price. */
function referenceRateOf(tokenIn: TradeToken, tokenOut: TradeToken): number | null {
  if (tokenIn.core !== null && tokenOut.core !== null) return null
  const [usdIn, usdOut] = [unitUsd(tokenIn), unitUsd(tokenOut)]
  return usdIn === null || usdOut === null ? null : usdIn / usdOut
}

const round = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits

/** An aggregator's offer further above the market than this is a mistake or a lie. */
const IMPLAUSIBLE_OVER_MID = 1.1
const IMPLAUSIBLE_OVER_POOLS = 2n

/** The most output that can be believed for `swapIn`; null when there is nothing to tell it by. */
export function maxBelievable(
  { mid, swapIn, tokenIn, tokenOut }: Yardsticks,
  found: readonly Found[],
): bigint | null {
  if (mid !== null) {
    const atoms = Number(swapIn) * mid * IMPLAUSIBLE_OVER_MID * 10 ** (tokenOut.decimals - tokenIn.decimals)
    return Number.isFinite(atoms) ? BigInt(Math.ceil(atoms)) : null
  }
  let best = 0n
  for (const { amountOut } of found) if (amountOut > best) best = amountOut
  return best > 0n ? best * IMPLAUSIBLE_OVER_POOLS : null
}

/** A route without severe risks of its own comes first unless it gives so much less. */
const WORTH_A_RISK_PERCENT = 3n

/**
 * Best first by output net of gas, what can be built before what cannot at the same output. A route that adds
 * a severe risk (a hook nobody has read) goes behind every one that adds none and gives nearly as much:
 * otherwise anyone could put his pool in front of a pair by offering a little more.
 */
export function rank(found: readonly Found[], cost: GasCost | undefined): Found[] {
  const rated = found
    .map((route) => ({ route, net: netOf(route, cost) }))
    .sort((a, b) => compare(b.net, a.net) || order(a.route) - order(b.route) || a.route.gas - b.route.gas)
  const best = rated.find(({ route }) => route.way !== null)?.net ?? 0n
  const nearly = (net: bigint) => best <= 0n || net * 100n >= best * (100n - WORTH_A_RISK_PERCENT)
  const first = ({ route, net }: (typeof rated)[number]) => !isRisky(route) && nearly(net)
  return [...rated.filter(first), ...rated.filter((one) => !first(one))].map(({ route }) => route)
}

const isRisky = ({ risks }: Found) => risks.some(({ severity }) => severity === 'severe')
const order = ({ way }: Found) => (way === null ? 1 : 0)
const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)
