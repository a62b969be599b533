import { type Address, NATIVE } from '@pit/chain'
import {
  fieldAt,
  type VendorAnswer,
  type VendorRate,
  VendorRefused,
  type VendorRequest,
} from '@pit/platform/vendor'

/** What an aggregator is asked: so much of one token for the other, on our chain. */
export interface AggregatorParams {
  tokenIn: Address
  tokenOut: Address
  amountIn: bigint
}

export interface Offer {
  amountOut: bigint
  /** Null when it does not say, or says nonsense. */
  gas: number | null
}

/** One aggregator: how it is asked, and how its answer is read. */
export interface Aggregator {
  key: 'none' | 'optional' | 'required'
  /** What it allows anybody; with a key where it then allows more. */
  rate: VendorRate
  ratedByKey?: VendorRate
  request(baseUrl: string, params: AggregatorParams, key: string | null): VendorRequest
  /** Throws VendorRefused for anything but an offer for exactly this trade, as far as it says what it is for. */
  read(answer: VendorAnswer, params: AggregatorParams): Offer
}

/** How most of them write native ETH. */
const EEEE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** Who asks, where an address must be given: nobody's, so that no wallet is told of. */
export const ASKING = '0x000000000000000000000000000000000000dead'

const GAS_RANGE = [21_000, 30_000_000] as const

export const withEeee = (token: Address): string => (token === NATIVE ? EEEE : token)

export function urlOf(baseUrl: string, path: string, query: Record<string, string>): string {
  return `${baseUrl}${path}?${new URLSearchParams(query)}`
}

/** Refuses where an echoed token is another; native ETH may be written in either way. */
export function expectToken(echoed: unknown, token: Address): void {
  const said = typeof echoed === 'string' ? echoed.toLowerCase() : undefined
  if ((said === EEEE ? NATIVE : said) !== token) throw new VendorRefused('OTHER')
}

export function expectAmount(echoed: unknown, { amountIn }: AggregatorParams): void {
  if (echoed !== amountIn.toString()) throw new VendorRefused('OTHER')
}

export function expectSame(echoed: unknown, expected: string | number): void {
  if (echoed !== expected) throw new VendorRefused('OTHER')
}

/** Atoms as text: a number would have lost digits. */
export function atomsOf(value: unknown): bigint {
  if (typeof value !== 'string' || !/^[1-9][0-9]{0,77}$/.test(value)) throw new VendorRefused('NO_AMOUNT')
  return BigInt(value)
}

/** A number or digits. */
export function gasOf(value: unknown): number | null {
  const gas = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
  if (typeof gas !== 'number' || !Number.isInteger(gas)) return null
  return gas >= GAS_RANGE[0] && gas <= GAS_RANGE[1] ? gas : null
}

/** Refuses NO_ROUTE where a refusal's own code or words are one of those the vendor has for it. */
export function refuseNoRoute(answer: VendorAnswer, field: string, words: readonly unknown[]): void {
  if (words.includes(fieldAt(answer.body, field))) throw new VendorRefused('NO_ROUTE')
}
