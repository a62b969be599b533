import type { Address, Hex } from '@pit/chain'
import { isEth } from './deps.ts'

/**
 * Reads that are answered together, of one state, by one call of Multicall3. Written word by word: every plan
 * needs several of these, and a general encoder takes as long as the node does.
 */

export interface Reading {
  to: Address
  data: Hex
}

/** What answers of a hostile token may cost: past it they count as unread. */
export const READING_GAS = 3_000_000

const AGGREGATE3 = '82ad56cb'
const GET_ETH_BALANCE = '4d2301cc'
const BALANCE_OF = '70a08231'
const ALLOWANCE = 'dd62ed3e'
const PERMIT2_ALLOWANCE = '927da105'
const PAUSED = '5c975abb'
const IS_BLOCKED = '86c58d3e'

const addressWord = (address: Address): string => address.slice(2).toLowerCase().padStart(64, '0')
const sizeWord = (size: number): string => size.toString(16).padStart(64, '0')
const call = (selector: string, ...addresses: Address[]): Hex =>
  `0x${selector}${addresses.map(addressWord).join('')}`

/** What an account holds of a token, or of ETH. */
export const holding = (token: Address, owner: Address, multicall3: Address): Reading =>
  isEth(token)
    ? { to: multicall3, data: call(GET_ETH_BALANCE, owner) }
    : { to: token, data: balanceOf(owner) }

export const balanceOf = (owner: Address): Hex => call(BALANCE_OF, owner)

export const allowance = (token: Address, owner: Address, spender: Address): Reading => ({
  to: token,
  data: call(ALLOWANCE, owner, spender),
})

/** What a spender may take of a token by way of Permit2: amount, expiration and nonce. */
export const permitAllowance = (
  permit2: Address,
  { owner, token, spender }: { owner: Address; token: Address; spender: Address },
): Reading => ({ to: permit2, data: call(PERMIT2_ALLOWANCE, owner, token, spender) })

export const paused = (stock: Address): Reading => ({ to: stock, data: call(PAUSED) })

export const isBlocked = (registry: Address, stock: Address, wallet: Address): Reading => ({
  to: registry,
  data: call(IS_BLOCKED, stock, wallet),
})

/** `aggregate3((address target, bool allowFailure, bytes callData)[])`, every failure allowed. */
export function encodeReadings(readings: readonly Reading[]): Hex {
  let offset = readings.length * 32
  let heads = ''
  let tails = ''
  for (const { to, data } of readings) {
    const bytes = data.slice(2)
    const tail = `${addressWord(to)}${sizeWord(1)}${sizeWord(0x60)}${sizeWord(bytes.length / 2)}${bytes}`
    const padded = tail.padEnd(Math.ceil(tail.length / 64) * 64, '0')
    heads += sizeWord(offset)
    tails += padded
    offset += padded.length / 2
  }
  return `0x${AGGREGATE3}${sizeWord(0x20)}${sizeWord(readings.length)}${heads}${tails}`
}

/** In the order asked; null for one that failed. All null when this is no answer to so many. */
export function decodeReadings(answer: Hex, count: number): (Hex | null)[] {
  const list = 2 + 64
  const isAnswer = sizeAt(answer, 2) === 0x20 && sizeAt(answer, list) === count
  return Array.from({ length: count }, (_, i): Hex | null => {
    if (!isAnswer) return null
    const at = list + 64 + sizeAt(answer, list + 64 + i * 64) * 2
    const start = at + sizeAt(answer, at + 64) * 2
    const end = start + 64 + sizeAt(answer, start) * 2
    if (sizeAt(answer, at) !== 1 || !(end <= answer.length)) return null
    return `0x${answer.slice(start + 64, end)}`
  })
}

/** The word at a digit as a small number; NaN where there is none. */
function sizeAt(answer: Hex, at: number): number {
  const digits = answer.slice(at, at + 64)
  return digits.length === 64 && digits.startsWith('0'.repeat(56)) ? Number(`0x${digits}`) : Number.NaN
}

/** An answer's nth word, as a contract would read it; null when it is shorter. */
export function wordIn(answer: Hex | null | undefined, index = 0): bigint | null {
  const digits = answer?.slice(2 + index * 64, 66 + index * 64)
  return digits?.length === 64 ? BigInt(`0x${digits}`) : null
}

/** Strictly yes or no. */
export function flagIn(answer: Hex | null | undefined): boolean | null {
  const word = wordIn(answer)
  return word === 0n ? false : word === 1n ? true : null
}
