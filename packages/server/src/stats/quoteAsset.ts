import { type Crypto, findRoutes, type Pool, type RouteQuote } from '@pit/chain'
import { type Market, referenceMid } from '@pit/market'
import { type Answer, type ChainProfile, type CoreToken, lower, STATS } from '@pit/protocol'

type AssetRow = NonNullable<Answer<'stats'>['assets']>[number]
type Side = AssetRow['buy']

interface QuoteDeps {
  market: Pick<Market, 'index' | 'mark'>
  crypto: Pick<Crypto, 'keccakText'>
  profile: ChainProfile
}

const BPS = 10_000

/**
 * One core asset's current market: its mark, the reference pools' mid, the best route to buy and to sell it.
 */
export function quoteAsset(
  { market, crypto, profile }: QuoteDeps,
  asset: CoreToken,
  usdg: CoreToken,
): AssetRow {
  const mark = market.mark(lower(asset.address))
  const mid = referenceMid({ market, profile }, lower(asset.address))
  // A TWAP values wallets; beside live prices, show the pinned pool's own mid.
  const fromFeed = mark?.source === 'oracle_feed'
  const markUsd = fromFeed ? Number(mark.priceE18) / 1e18 : mid
  const unit = 10 ** asset.decimals
  const dollar = 10 ** usdg.decimals

  const spend = BigInt(STATS.refSizeUsd) * 10n ** BigInt(usdg.decimals)
  const buys = routesOf(usdg, asset, spend)
  const priceToSell = markUsd ?? mid
  const offer = priceToSell ? BigInt(Math.floor((STATS.refSizeUsd / priceToSell) * unit)) : 0n
  const sells = offer > 0n ? routesOf(asset, usdg, offer) : []

  const buy = side(buys[0], (route) => STATS.refSizeUsd / (Number(route.amountOut) / unit), markUsd, 1)
  const sell = side(
    sells[0],
    (route) => Number(route.amountOut) / dollar / (Number(route.amountIn) / unit),
    markUsd,
    -1,
  )
  return {
    symbol: asset.symbol,
    kind: asset.kind === 'stock' ? 'stock' : 'crypto',
    mark: markUsd,
    mark_source: markUsd === null ? null : fromFeed ? 'oracle_feed' : 'pool_mid',
    mid,
    spread_bps: buy && sell && mid ? round(((buy.price - sell.price) / mid) * BPS) : null,
    stale: mark?.stale ?? true,
    routes: buys.length + sells.length,
    buy,
    sell,
  }

  function routesOf(from: CoreToken, to: CoreToken, amountIn: bigint): RouteQuote[] {
    const request = { tokenIn: lower(from.address), tokenOut: lower(to.address), amountIn }
    return findRoutes({ index: market.index, crypto }, request).routes
  }
}

const round = (value: number) => Math.round(value * 100) / 100

function side(
  route: RouteQuote | undefined,
  priceOf: (route: RouteQuote) => number,
  mark: number | null,
  worseWhenHigher: 1 | -1,
): Side {
  if (!route || route.amountOut === 0n) return null
  const price = priceOf(route)
  return {
    venue: 'venue_pool',
    fee: route.hops.length === 1 ? feeTierOf(route.hops[0]!.pool) : null,
    price,
    vs_mark_bps: mark ? round((price / mark - 1) * BPS * worseWhenHigher) : null,
  }
}

const feeTierOf = (pool: Pool): number =>
  pool.version === 'v2' ? pool.feeBps * 100 : pool.version === 'v3' ? pool.feePips : pool.lpFeePips
