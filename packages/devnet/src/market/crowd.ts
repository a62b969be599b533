import { drawsFor } from './random.ts'
import { type Curve, type MarketWorld, NATIVE, type Pool } from './types.ts'

/** A venue. `base` is the money side: USDG, ETH or WETH if there is one. */
type Venue = { kind: 'pool'; pool: Pool; base: 0 | 1 } | { kind: 'curve'; curve: Curve }

export interface Venues {
  core: Venue[]
  tail: Venue[]
  curves: Venue[]
}

/** A wished trade, before funds are checked. */
export interface Wish {
  account: number
  venue: Venue
  side: 'buy' | 'sell'
  /** Share of the venue's depth. */
  fraction: number
}

export function venuesOf(world: MarketWorld): Venues {
  const { weth, usdg } = world.contracts
  const monies = [usdg, weth, NATIVE].map((token) => token.toLowerCase())
  const core = new Set([...world.assets.map((asset) => asset.token.toLowerCase()), ...monies])
  const venues: Venues = {
    core: [],
    tail: [],
    curves: world.curves.map((curve) => ({ kind: 'curve', curve })),
  }
  for (const pool of world.pools) {
    const sides = [pool.currency0.toLowerCase(), pool.currency1.toLowerCase()]
    const money = monies.find((token) => sides.includes(token))
    const base = money === sides[1] ? 1 : 0
    venues[sides.every((side) => core.has(side)) ? 'core' : 'tail'].push({ kind: 'pool', pool, base })
  }
  return venues
}

export interface CrowdTerms {
  seed: string
  tradesPerBlock: number
  maxPerBlock: number
  accounts: number
}

/** Shares of the kinds of venue, in percent. */
const SHARES = { core: 65, tail: 22, curves: 13 }
/** Half the trades are below this share of the depth; none is above the other. */
const MEDIAN_FRACTION = 0.0003
const MAX_FRACTION = 0.003

function pickVenue(venues: Venues, kind: number, pick: number): Venue | undefined {
  const name = kind < SHARES.core ? 'core' : kind < SHARES.core + SHARES.tail ? 'tail' : 'curves'
  const list = venues[name].length > 0 ? venues[name] : venues.core
  return list[Math.floor(pick * list.length)]
}

/** The crowd's wishes for a block, deterministic by seed and block. */
export function wishesFor(terms: CrowdTerms, venues: Venues, block: bigint): Wish[] {
  const draws = drawsFor(terms.seed, 'crowd', block)
  const count = Math.min(terms.maxPerBlock, draws.poisson(terms.tradesPerBlock))
  const wishes: Wish[] = []
  for (let i = 0; i < count; i++) {
    // Draw everything before skipping anything, so that one wish never shifts the next.
    const [account, kind, pick, coin] = [
      draws.below(terms.accounts),
      draws.below(100),
      draws.unit(),
      draws.unit(),
    ]
    const fraction = Math.min(MAX_FRACTION, MEDIAN_FRACTION * Math.exp(draws.normal()))
    const venue = pickVenue(venues, kind, pick)
    if (venue) wishes.push({ account, venue, side: coin < 0.5 ? 'buy' : 'sell', fraction })
  }
  return wishes
}
