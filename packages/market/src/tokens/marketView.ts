import { type Address, type CurvePool, isFeeTrap } from '@pit/chain'
import { type ChainProfile, lower } from '@pit/protocol'
import type { TokenMarket } from './deps.ts'
import { isAlive, pairAtomsIn, pairOf, priceInPair, spotInPair, type TradingPool } from './depth.ts'
import type { Twaps } from './twaps.ts'

export interface Venue {
  venue: 'venue_pool' | 'venue_curve'
  protocol: 'v2' | 'v3' | 'v4' | 'curve'
  address: string
  pair: Address
  fee: number | null
  hooks?: Address
  liquidity_usd: number | null
}

export interface Reference {
  source: 'oracle_feed' | 'twap' | 'median' | 'spot' | 'curve' | 'none'
  address: string | null
  price_usd: number | null
  read_at: number | null
}

/** The market's data of a token at one block. */
export interface MarketView {
  venues: Venue[]
  /** How many there are; `venues` holds the deepest. */
  venueCount: number
  liquidityUsd: number | null
  reference: Reference
  /** The v3 pool whose mean price is the reference, once it is read; null where none is deep enough. */
  twapPool: Address | null
  routable: boolean
  /** The deepest venue has a hook that is not in the profile. */
  unknownHook: boolean
  curve: Pick<CurvePool, 'launchpad' | 'creatorTaxBps' | 'curveFeeBps' | 'graduated'> | null
  markStale: boolean
}

const VENUES_SHOWN = 20
const NO_HOOK = '0x0000000000000000000000000000000000000000'
/** A pool with less liquidity counts for no price. */
const MIN_PRICING_USD = 100
const MEDIAN_OF = 3
/** A pool with a smaller share of the deepest one's liquidity gives no mean: it may be bait or abandoned. */
const TWAP_MIN_PART = 0.25

export interface ViewDeps {
  profile: ChainProfile
  market: TokenMarket
  twaps: Pick<Twaps, 'latest'>
}
export interface Viewed {
  address: Address
  decimals: number | null
}

/** A trap's liquidity is bait and its price meaningless: neither counts, and no route uses it. */
const isTrap = (pool: TradingPool): boolean => pool.version !== 'curve' && isFeeTrap(pool)

/** A token's venues, liquidity and reference, from memory; synchronous, so from one block. */
export function createMarketView({ profile, market, twaps }: ViewDeps): (token: Viewed) => MarketView {
  const decimalsOf = new Map<Address, number>(
    [...profile.core_tokens, ...profile.listed_stocks].map(({ address, decimals }) => [
      lower(address),
      decimals,
    ]),
  )
  const core = new Set(profile.core_tokens.map(({ address }) => lower(address)))
  const knownHooks = new Set<string>([NO_HOOK, ...profile.known_hooks.map(({ address }) => lower(address))])
  const feeds = new Map(
    [...profile.core_tokens, ...profile.listed_stocks].map(({ address, feed }) => [lower(address), feed]),
  )
  const ethFeed = profile.core_tokens.find(({ native }) => native)?.feed ?? null
  const partnerPool = profile.pins.partner_usdg
  const weth = profile.core_tokens.find(({ symbol }) => symbol === 'WETH')

  const priceUsd = (token: Address): number | null => {
    const mark = market.mark(token)
    // Not `priceUsdOf`: the last digit of prices that clients see would change.
    return mark === undefined ? null : Number(mark.priceE18) / 1e18
  }
  const poolsOf = (token: Address): TradingPool[] => {
    // Anyone can pool a core asset; only its pools with another core asset price it.
    const pools: TradingPool[] = core.has(token)
      ? [
          ...new Set(
            [...core].flatMap((other) => (other === token ? [] : market.index.between(token, other))),
          ),
        ]
      : market.index.of(token)
    const curve = market.curveOf(token)
    return curve?.version === 'curve' ? [...pools, curve] : pools
  }
  const reaches = (pool: TradingPool, token: Address): boolean => {
    const pair = pairOf(pool, token)
    return core.has(pair) || market.index.hubs.some((hub) => market.index.between(pair, hub).some(isAlive))
  }

  return ({ address, decimals }) => {
    const rated = poolsOf(address)
      .filter((pool) => isAlive(pool) && !isTrap(pool))
      .map((pool) => rate(pool))
      .sort((a, b) => (b.venue.liquidity_usd ?? -1) - (a.venue.liquidity_usd ?? -1))
    const measured = rated.filter(({ venue }) => venue.liquidity_usd !== null)
    const curve = market.curveOf(address)
    const mark = market.mark(address)
    const deepest = rated[0]
    const averaged = mark === undefined && !feedOf(address) ? findAveraged() : undefined
    return {
      venues: rated.slice(0, VENUES_SHOWN).map(({ venue }) => venue),
      venueCount: rated.length,
      liquidityUsd:
        measured.length > 0
          ? cents(measured.reduce((sum, { venue }) => sum + venue.liquidity_usd!, 0))
          : null,
      reference: referenceOf(),
      twapPool: averaged?.pool.id ?? null,
      routable: core.has(address) || rated.some(({ pool }) => reaches(pool, address)),
      unknownHook: deepest?.venue.hooks !== undefined && !knownHooks.has(deepest.venue.hooks),
      curve:
        curve?.version === 'curve'
          ? {
              launchpad: curve.launchpad,
              creatorTaxBps: curve.creatorTaxBps,
              curveFeeBps: curve.curveFeeBps,
              graduated: curve.graduated,
            }
          : null,
      markStale: mark?.stale ?? false,
    }

    function rate(pool: TradingPool) {
      // A pool of WETH serves ETH, and vice versa.
      const side =
        pool.version !== 'curve' && pool.token0 !== address && pool.token1 !== address
          ? sideOf(pool)
          : address
      const pair = pairOf(pool, side)
      const pairUsd = priceUsd(pair)
      const scale = 10 ** (decimalsOf.get(pair) ?? 18)
      const liquidity_usd = pairUsd === null ? null : cents((2 * pairAtomsIn(pool, side) * pairUsd) / scale)
      /** Of the token, from atoms of the pair for one of its atoms. */
      const usdOf = (inPair: number) =>
        pairUsd === null ? null : (inPair * pairUsd * 10 ** (decimals ?? 0)) / scale
      return {
        pool,
        spotUsd: usdOf(spotInPair(pool, side)),
        usdAt: (mid: number) => usdOf(priceInPair(mid, pool.version !== 'curve' && pool.token0 === side)),
        venue: { ...describeVenue(pool, pair), liquidity_usd } satisfies Venue,
      }
    }

    /** The deepest v3 pool, unless it is shallow beside the deepest venue. */
    function findAveraged() {
      const leastUsd = Math.max(MIN_PRICING_USD, (deepest?.venue.liquidity_usd ?? 0) * TWAP_MIN_PART)
      const deepestV3 = rated.find(({ pool }) => pool.version === 'v3')
      if (deepestV3?.pool.version !== 'v3' || (deepestV3.venue.liquidity_usd ?? 0) < leastUsd)
        return undefined
      return { ...deepestV3, pool: deepestV3.pool }
    }

    function referenceOf(): Reference {
      const head = market.head()
      if (mark !== undefined) {
        const at = mark.source === 'twap' ? pinAddress() : (feedOf(address)?.address ?? null)
        return {
          source: mark.source === 'twap' ? 'twap' : 'oracle_feed',
          address: at,
          price_usd: priceUsd(address),
          read_at: mark.updatedAtS,
        }
      }
      if (feedOf(address)) {
        return { source: 'oracle_feed', address: feedOf(address)!.address, price_usd: null, read_at: null }
      }
      const read_at = head?.timestampS ?? null
      const twap = averaged && twaps.latest(averaged.pool.id)
      const meanUsd = twap ? averaged.usdAt(twap.mid) : null
      if (twap && meanUsd !== null && meanUsd > 0) {
        const { id } = averaged.pool
        return { source: 'twap', address: id, price_usd: figure(meanUsd), read_at: twap.readAtS }
      }
      const priced = rated.filter(
        ({ pool, spotUsd, venue }) =>
          spotUsd !== null &&
          spotUsd > 0 &&
          (pool.version === 'curve' || (venue.liquidity_usd ?? 0) >= MIN_PRICING_USD),
      )
      const best = priced[0]
      if (!best) return { source: 'none', address: null, price_usd: null, read_at: null }
      if (best.pool.version === 'curve') {
        return { source: 'curve', address: best.pool.id, price_usd: figure(best.spotUsd!), read_at }
      }
      if (priced.length < MEDIAN_OF) {
        return { source: 'spot', address: best.pool.id, price_usd: figure(best.spotUsd!), read_at }
      }
      const prices = priced.map(({ spotUsd }) => spotUsd!).sort((a, b) => a - b)
      return { source: 'median', address: null, price_usd: figure(prices[prices.length >> 1]!), read_at }
    }
  }

  function sideOf(pool: Exclude<TradingPool, { version: 'curve' }>): Address {
    return core.has(pool.token0) && (pool.token0 === NO_HOOK || pool.token0 === lower(weth?.address ?? ''))
      ? pool.token0
      : pool.token1
  }
  function feedOf(token: Address) {
    return feeds.get(token) ?? (weth && token === lower(weth.address) ? ethFeed : null)
  }
  function pinAddress(): string | null {
    return partnerPool && 'address' in partnerPool ? lower(partnerPool.address) : null
  }
}

function describeVenue(pool: TradingPool, pair: Address): Omit<Venue, 'liquidity_usd'> {
  if (pool.version === 'curve') {
    return { venue: 'venue_curve', protocol: 'curve', address: pool.id, pair, fee: pool.curveFeeBps * 100 }
  }
  const listed = { venue: 'venue_pool', protocol: pool.version, address: pool.id, pair } as const
  if (pool.version === 'v2') return { ...listed, fee: pool.feeBps * 100 }
  if (pool.version === 'v3') return { ...listed, fee: pool.feePips }
  const hooks = pool.key.hooks === NO_HOOK ? {} : { hooks: pool.key.hooks }
  return { ...listed, fee: pool.lpFeePips, ...hooks }
}

const cents = (usd: number): number => (Number.isFinite(usd) ? Math.round(usd * 100) / 100 : 0)
/** A float price has no more than twelve meaningful digits. */
const figure = (price: number): number => (Number.isFinite(price) ? Number(price.toPrecision(12)) : 0)
