import type { Address, Hex } from '../bytes/hex.ts'

/** The words of an answer; none where it is shorter than `least` words. */
export function wordsOf(answer: Hex | undefined, least: number): bigint[] | undefined {
  if (answer === undefined || answer.length < 2 + 64 * least) return undefined
  return Array.from({ length: Math.floor((answer.length - 2) / 64) }, (_, i) =>
    BigInt(`0x${answer.slice(2 + 64 * i, 66 + 64 * i)}`),
  )
}

/** One word of each answer; none where one is missing. */
export function firstWords(answers: readonly Hex[], count: number): bigint[] | undefined {
  if (answers.length < count) return undefined
  const words = answers.slice(0, count).map((answer) => wordsOf(answer, 1)?.[0])
  return words.every((word) => word !== undefined) ? (words as bigint[]) : undefined
}

export const addressOf = (word: bigint): Address => `0x${word.toString(16).padStart(40, '0').slice(-40)}`

export const addressArg = (address: Address): string => address.slice(2).toLowerCase().padStart(64, '0')
export const uintArg = (value: bigint): string => value.toString(16).padStart(64, '0')

/** A basis-point word; undefined where no fee could be that. */
export const bpsOf = (word: bigint): number | undefined => (word <= 10_000n ? Number(word) : undefined)
