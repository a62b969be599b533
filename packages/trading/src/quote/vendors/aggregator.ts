import { type Address, NATIVE } from '@pit/chain'
import {
  fieldAt,
  type VendorAnswer,
  type VendorRate,
  VendorRefused,
  type VendorRequest,
} from '@pit/platform/http'

/** Parameters of an aggregator quote on our chain. */
export interface AggregatorParams {
  tokenIn: Address
  tokenOut: Address
  swapIn: bigint
}

export interface Offer {
  amountOut: bigint
  /** Null if not reported or invalid. */
  gas: number | null
}

/** One aggregator: its request and the parsing of its response. */
export interface Aggregator {
  key: 'none' | 'optional' | 'required'
  /** Public rate limit; `ratedByKey` if a key raises it. */
  rate: VendorRate
  ratedByKey?: VendorRate
  request(baseUrl: string, params: AggregatorParams, key: string | null): VendorRequest
  /** Throws VendorRefused for anything but an offer for this trade, as far as the response identifies it. */
  read(answer: VendorAnswer, params: AggregatorParams): Offer
}

/** Native ETH in most vendors' APIs. */
const EEEE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** Burn address for requests that require a sender, so that no wallet is disclosed. */
export const PLACEHOLDER_SENDER = '0x000000000000000000000000000000000000dead'

const GAS_RANGE = [21_000, 30_000_000] as const

export const withEeee = (token: Address): string => (token === NATIVE ? EEEE : token)

export function urlOf(baseUrl: string, path: string, query: Record<string, string>): string {
  return `${baseUrl}${path}?${new URLSearchParams(query)}`
}

/** Refuses if an echoed token differs; native ETH may be written either way. */
export function expectToken(echoed: unknown, token: Address): void {
  const echo = typeof echoed === 'string' ? echoed.toLowerCase() : undefined
  if ((echo === EEEE ? NATIVE : echo) !== token) throw new VendorRefused('OTHER')
}

export function expectAmount(echoed: unknown, { swapIn }: AggregatorParams): void {
  if (echoed !== swapIn.toString()) throw new VendorRefused('OTHER')
}

export function expectSame(echoed: unknown, expected: string | number): void {
  if (echoed !== expected) throw new VendorRefused('OTHER')
}

/** Atoms as text: a number would lose digits. */
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

/** Refuses NO_ROUTE if the response's code or text is one of the vendor's for it. */
export function refuseNoRoute(answer: VendorAnswer, field: string, words: readonly unknown[]): void {
  if (words.includes(fieldAt(answer.body, field))) throw new VendorRefused('NO_ROUTE')
}
