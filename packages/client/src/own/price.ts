import { type Address, NATIVE } from '@pit/chain'
import { atomsDown, markPrice, worthDown } from '@pit/protocol'
import type { Pins } from '../pins.ts'
import { markOf, marksRequest, type OwnMarks } from './marks.ts'
import type { FreshNode } from './node.ts'
import { type OwnPrice, type OwnPrices, poolPrice } from './ownPrice.ts'
import { quoteVenues } from './quotes.ts'
import { payersOf, type Venue } from './venues.ts'

/** Small, so that thin pools show their price. */
export const PROBE_MICRO_USD = 1_000_000n

/** The prices of a token, by its mark or by every venue that the client finds; null if there is none. */
export async function readPrices(
  node: FreshNode,
  pins: Pins,
  token: Address,
  {
    nowMs,
    acceptsUnknownHooks = false,
    signal,
  }: { nowMs: number; acceptsUnknownHooks?: boolean; signal?: AbortSignal | undefined },
): Promise<OwnPrices | null> {
  const question = marksRequest(pins, [token, ...payersOf(pins)], nowMs)
  const [reading, early] = await Promise.all([
    node.read([question.call], signal),
    pins.marks.has(token) ? null : node.findVenues(token, signal),
  ])
  const marks = question.read(reading)
  const own = ownMark(marks, token, pins)
  if (own) return { bid: own, ask: own }
  const venues = pricedVenues(
    early ?? (await node.findVenues(token, signal)),
    marks,
    pins,
    acceptsUnknownHooks,
  )
  const bought = await quoteVenues(node, pins, venues.map(probeOf), signal)
  const atoms = bought.reduce(larger, 0n)
  if (atoms === 0n) return null
  const sales = venues.map(({ venue }) => ({ venue, side: 'sell' as const, amount: atoms }))
  const proceeds = await quoteVenues(node, pins, sales, signal)
  const microUsd = proceeds.map((out, i) => worthDown(out, venues[i]!.price)).reduce(larger, 0n)
  if (microUsd === 0n) return null
  return { bid: poolPrice(microUsd, atoms), ask: poolPrice(PROBE_MICRO_USD, atoms) }
}

export function ownMark(marks: OwnMarks, token: Address, { weth }: Pins): OwnPrice | undefined {
  const mark = markOf(marks, token, weth)
  return mark && markPrice(mark.priceE18, mark.decimals)
}

export interface PricedVenue {
  venue: Venue
  /** Of its payer. */
  price: OwnPrice
}

/**
 * Venues whose payer has a mark. An unknown hook can promise any amount in a quote, so its pools count
 * only for an owner who accepts such hooks.
 */
export function pricedVenues(
  venues: readonly Venue[],
  marks: OwnMarks,
  pins: Pins,
  acceptsUnknownHooks = false,
): PricedVenue[] {
  return venues.flatMap((venue) => {
    const price = ownMark(marks, venue.payer, pins)
    if (!price) return []
    const hooks = venue.kind === 'pool' && venue.hop.version === 'v4' ? venue.hop.key.hooks : NATIVE
    const isRead = hooks === NATIVE || pins.knownHooks.has(hooks)
    return isRead || acceptsUnknownHooks ? [{ venue, price }] : []
  })
}

export const probeOf = ({ venue, price }: PricedVenue) => ({
  venue,
  side: 'buy' as const,
  amount: atomsDown(PROBE_MICRO_USD, price),
})

export const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other)
