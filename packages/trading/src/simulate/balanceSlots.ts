import type { Address, Crypto, Hex } from '@pit/chain'
import { wordIn } from '@pit/platform/reads'

/** Storage slot of an owner's balance: a mapping, hashed in one of several ways. */
export type SlotOf = (owner: Address) => Hex

const SOLIDITY_SLOTS = 64
const VYPER_SLOTS = 32
/** Slots after the storage gaps of upgradeable base contracts. */
const FAR_SLOTS = [101, 151, 201, 251, 301]
/** ERC-7201 namespace of OpenZeppelin's ERC-20, whose first field is the mapping. */
const NAMESPACE = 'openzeppelin.storage.ERC20'
const SOLADY_SEED = '87a211a2'

export function balanceSlots(crypto: Pick<Crypto, 'keccak256' | 'keccakText'>): SlotOf[] {
  const word = (value: string): string => value.padStart(64, '0')
  const hash = (digits: string): Hex => crypto.keccak256(`0x${digits}`)
  const digits = (owner: Address): string => owner.slice(2).toLowerCase()
  const solidity =
    (at: string): SlotOf =>
    (owner) =>
      hash(word(digits(owner)) + word(at))
  const vyper =
    (at: string): SlotOf =>
    (owner) =>
      hash(word(at) + word(digits(owner)))
  const numbered = (count: number) => Array.from({ length: count }, (_, at) => at.toString(16))
  return [
    ...[...numbered(SOLIDITY_SLOTS), ...FAR_SLOTS.map((at) => at.toString(16))].map(solidity),
    solidity(namespaced(crypto, NAMESPACE).slice(2)),
    ...numbered(VYPER_SLOTS).map(vyper),
    (owner) => hash(digits(owner) + SOLADY_SEED.padStart(24, '0')),
  ]
}

/** ERC-7201: keccak256(keccak256(name) - 1), its last byte cleared. */
export function namespaced(crypto: Pick<Crypto, 'keccak256' | 'keccakText'>, name: string): Hex {
  const before = BigInt(crypto.keccakText(name)) - 1n
  return `0x${crypto.keccak256(`0x${before.toString(16).padStart(64, '0')}`).slice(2, 64)}00`
}

/**
 * Words to try. The small one fits every packed width and survives multiplication (shares of a rebasing
 * token); the large one survives division (reflection tokens). The last byte is zero, so that it reads as
 * false if it is a flag.
 */
export const TRIAL_WORDS = [1n << 56n, 1n << 240n] as const

/** The first slot gets twice the word, so that a constant result matches none of them. */
export const factorOf = (index: number): bigint => BigInt(index + 2)

export interface SlotReading {
  index: number
  /** With `word` stored the token reports `shown`; equal for plain balances. */
  word: bigint
  shown: bigint
}

/**
 * The slot a token reads, from its results with a different multiple of the word in each slot and with the same
 * word in all. A token may scale its stored values; the ratio still identifies the slot.
 */
export function slotShown(word: bigint, apart: Hex | null, alike: Hex | null): SlotReading | null {
  const [one, all] = [wordIn(apart), wordIn(alike)]
  // Too little of the word is left to distinguish a hundred slots.
  if (one === null || all === null || all < 1n << 16n) return null
  const factor = (2n * one + all) / (2n * all)
  const off = one - factor * all
  if (factor < factorOf(0) || (off < 0n ? -off : off) * 1_000n > one) return null
  return { index: Number(factor - factorOf(0)), word, shown: all }
}
