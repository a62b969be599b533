import type { Address, Hex } from '@pit/chain'

/** A block number or tag. */
export type BlockTag = number | 'latest' | 'pending'

export const toQuantity = (value: bigint | number): Hex => `0x${value.toString(16)}`

export const tagOf = (block: BlockTag): string => (typeof block === 'number' ? toQuantity(block) : block)

/** Bytes, possibly empty. */
export const bytesIn = (value: unknown): Hex | undefined =>
  typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value) ? (value as Hex) : undefined

export const quantityIn = (value: unknown): bigint | undefined =>
  typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : undefined

/** A quantity within the safe integers. */
export function numberIn(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value)) return undefined
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : undefined
}

/** A hash or an address from the node, in lower case. */
export const nameIn = (value: unknown): Hex | undefined =>
  typeof value === 'string' && value.startsWith('0x') ? (value.toLowerCase() as Hex) : undefined

/** All entries of a list, or undefined if one is invalid. */
export function namesIn(values: unknown): Hex[] | undefined {
  const names = Array.isArray(values) ? values.map(nameIn) : [undefined]
  return names.every((name) => name !== undefined) ? names : undefined
}

/** An address as a 32-byte word without 0x, as in calldata and topics. */
export const addressWord = (address: Address): string => address.slice(2).toLowerCase().padStart(64, '0')

/** The address in a topic; null if there is none. */
export const addressIn = (topic: string | undefined): Address | null =>
  topic?.length === 66 ? (`0x${topic.slice(26).toLowerCase()}` as Address) : null

/** The nth word of return data, as a contract reads it; null if it is shorter. */
export function wordIn(answer: Hex | null | undefined, index = 0): bigint | null {
  const digits = answer?.slice(2 + index * 64, 66 + index * 64)
  return digits?.length === 64 ? BigInt(`0x${digits}`) : null
}

/** Exactly this many words, or null. */
export function wordsIn(answer: Hex | null | undefined, count: number): bigint[] | null {
  if (answer?.length !== 2 + 64 * count) return null
  return Array.from({ length: count }, (_, i) => BigInt(`0x${answer.slice(2 + 64 * i, 66 + 64 * i)}`))
}

/** Strictly 0 or 1. */
export function flagIn(answer: Hex | null | undefined): boolean | null {
  const word = wordIn(answer)
  return word === 0n ? false : word === 1n ? true : null
}
