import type { Address } from '@pit/chain'
import { atomsDown, worthDown } from '@pit/protocol'
import type { Pins } from '../pins.ts'
import type { PlanReading } from '../verify/readPlan.ts'
import { smallShare } from './impact.ts'
import type { OwnMarks } from './marks.ts'
import type { FreshNode } from './node.ts'
import { type OwnPrice, type OwnPrices, poolPrice } from './ownPrice.ts'
import { larger, ownMark, PROBE_MICRO_USD, type PricedVenue, pricedVenues, probeOf } from './price.ts'
import { quoteVenues } from './quotes.ts'
import type { Venue } from './venues.ts'

/** The value of the trade by the client's own node, independent of the planned route. */
export interface OwnMarket {
  /** Prices of the input; `atSize` is that of the whole amount sold at the best venue. */
  paid: (OwnPrices & { atSize: OwnPrice }) | null
  /** Output of the swap at the best venue; null if both ends have a mark, or an end has no price. */
  bestOut: bigint | null
}

export interface MarketQuestion {
  pins: Pins
  tokenIn: Address
  tokenOut: Address
  reading: Pick<PlanReading, 'legs' | 'curve' | 'taken'>
  marks: OwnMarks
  acceptsUnknownHooks: boolean
  /** Venues read in advance, by token. */
  venues: ReadonlyMap<Address, readonly Venue[]>
}

/** Prices both ends by marks and by the venues of tokens without one: one exchange for each such token. */
export async function readMarket(
  node: FreshNode,
  question: MarketQuestion,
  signal?: AbortSignal,
): Promise<OwnMarket> {
  const { pins, tokenIn, tokenOut, reading, marks, acceptsUnknownHooks, venues } = question
  const [paidMark, boughtMark] = [ownMark(marks, tokenIn, pins), ownMark(marks, tokenOut, pins)]
  if (paidMark && boughtMark)
    return { paid: { bid: paidMark, ask: paidMark, atSize: paidMark }, bestOut: null }
  const venuesOf = async (token: Address): Promise<PricedVenue[]> =>
    pricedVenues(
      venues.get(token) ?? (await node.findVenues(token, signal)),
      marks,
      pins,
      acceptsUnknownHooks,
    )
  const swapIn = reading.curve ? reading.taken : reading.legs.reduce((sum, leg) => sum + leg.amountIn, 0n)
  const paid = paidMark
    ? { bid: paidMark, ask: paidMark, atSize: paidMark }
    : await priceSale(node, pins, await venuesOf(tokenIn), swapIn, signal)
  if (!paid) return { paid: null, bestOut: null }
  const microUsd = worthDown(swapIn, paid.atSize)
  if (boughtMark) return { paid, bestOut: aboveZero(atomsDown(microUsd, boughtMark)) }
  const purchases = (await venuesOf(tokenOut)).map(({ venue, price }) => ({
    venue,
    side: 'buy' as const,
    amount: atomsDown(microUsd, price),
  }))
  const outs = await quoteVenues(node, pins, purchases, signal)
  return { paid, bestOut: aboveZero(outs.reduce(larger, 0n)) }
}

async function priceSale(
  node: FreshNode,
  pins: Pins,
  venues: readonly PricedVenue[],
  amount: bigint,
  signal?: AbortSignal,
): Promise<OwnMarket['paid']> {
  const small = smallShare(amount)
  const sale = (atoms: bigint) => venues.map(({ venue }) => ({ venue, side: 'sell' as const, amount: atoms }))
  const quotes = [...sale(amount), ...sale(small), ...venues.map(probeOf)]
  const outs = await quoteVenues(node, pins, quotes, signal)
  const worths = (from: number) =>
    venues.map(({ price }, i) => worthDown(outs[from + i]!, price)).reduce(larger, 0n)
  const [atSize, bid] = [worths(0), worths(venues.length)]
  const bought = outs.slice(2 * venues.length).reduce(larger, 0n)
  if (atSize === 0n || bid === 0n || bought === 0n) return null
  return {
    atSize: poolPrice(atSize, amount),
    bid: poolPrice(bid, small),
    ask: poolPrice(PROBE_MICRO_USD, bought),
  }
}

const aboveZero = (amount: bigint): bigint | null => (amount > 0n ? amount : null)
