import type { Hex } from '@pit/chain'
import { fromRlp, toRlp } from 'viem'
import type { Random } from '../fuzz/random.ts'
import type { Mutant } from './fields.ts'
import type { Good } from './validPlans.ts'

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const FIELDS = 12
const [PARITY, R, S] = [9, 10, 11]
/** Numeric fields: chain id, nonce, tip, fee cap, gas, value, parity, r, s. */
const NUMBERS = [0, 1, 2, 3, 4, 6, PARITY, R, S]

const UNREADABLE = ['SUBMIT_REJECTED']
/** The changed bytes may be another signature, type or chain, or unreadable. */
const ANY = ['SUBMIT_REJECTED', 'NOT_AS_BUILT', 'WALLET_MISMATCH', 'ROUTER_NOT_ALLOWED']

type Way = { codes: readonly string[]; change(raw: Hex, random: Random): string }

const fieldsOf = (raw: Hex): Hex[] => fromRlp(`0x${raw.slice(4)}`, 'hex') as Hex[]
const joined = (fields: readonly Hex[]): string => `0x02${toRlp(fields as Hex[]).slice(2)}`
const number = (value: bigint): Hex => {
  const digits = value.toString(16)
  return value === 0n ? '0x' : `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
}
const withField = (raw: Hex, at: number, value: Hex): string => {
  const fields = fieldsOf(raw)
  fields[at] = value
  return joined(fields)
}
/** The same list with one item encoded by hand. */
const withItem = (raw: Hex, at: number, item: (digits: string) => string): string => {
  const items = fieldsOf(raw).map((field) => toRlp(field).slice(2))
  items[at] = item(items[at]!)
  return `0x02${listOf(items.join(''))}`
}
function listOf(body: string): string {
  const length = body.length / 2
  if (length <= 55) return (0xc0 + length).toString(16) + body
  const digits = number(BigInt(length)).slice(2)
  return (0xf7 + digits.length / 2).toString(16) + digits + body
}

/** Bytes changed under the signature, or other bytes for the same transaction. */
export const BYTE_WAYS: Record<string, Way> = {
  'any byte': {
    codes: ANY,
    change(raw, random) {
      const bytes = Buffer.from(raw.slice(2), 'hex')
      const at = random.below(bytes.length)
      bytes[at] = (bytes[at]! + 1 + random.below(255)) % 256
      return `0x${bytes.toString('hex')}`
    },
  },
  'a byte of the signature': {
    codes: ANY,
    change(raw, random) {
      const bytes = Buffer.from(raw.slice(2), 'hex')
      const at = bytes.length - 1 - random.below(67)
      bytes[at] = (bytes[at]! + 1 + random.below(255)) % 256
      return `0x${bytes.toString('hex')}`
    },
  },
  'the list’s length': {
    codes: UNREADABLE,
    change(raw, random) {
      const bytes = Buffer.from(raw.slice(2), 'hex')
      const at = 1 + random.below(bytes[1]! - 0xf7 + 1)
      bytes[at] = (bytes[at]! + random.pick([1, 255])) % 256
      return `0x${bytes.toString('hex')}`
    },
  },
  'a length in a long form': {
    codes: UNREADABLE,
    change: (raw, random) =>
      random.chance(0.5)
        ? `0x02${`${(Number.parseInt(raw.slice(4, 6), 16) + 1).toString(16)}00`}${raw.slice(6)}`
        : withItem(raw, random.below(FIELDS), longer),
  },
  'a leading zero': {
    codes: UNREADABLE,
    change(raw, random) {
      const at = random.pick(NUMBERS)
      return withField(raw, at, `0x00${fieldsOf(raw)[at]!.slice(2)}`)
    },
  },
  'a small number as a string': {
    codes: UNREADABLE,
    change: (raw, random) => withItem(raw, random.pick([1, PARITY]), () => `8101`),
  },
  'a list in place of a string': {
    codes: UNREADABLE,
    change: (raw, random) =>
      withItem(raw, random.pick([0, 1, 2, 3, 4, 5, 6, 7, PARITY, R, S]), (item) => listOf(item)),
  },
  'a field less': {
    codes: [...UNREADABLE],
    change(raw, random) {
      const fields = fieldsOf(raw)
      fields.splice(random.below(FIELDS), 1)
      return joined(fields)
    },
  },
  'a field more': {
    codes: UNREADABLE,
    change(raw, random) {
      const fields = fieldsOf(raw)
      fields.splice(random.below(FIELDS + 1), 0, random.pick<Hex>(['0x', '0x01', '0x00']))
      return joined(fields)
    },
  },
  'bytes after the end': {
    codes: UNREADABLE,
    change: (raw, random) => `${raw}${random.bytes(1 + random.below(40)).toString('hex')}`,
  },
  'twice in one': { codes: UNREADABLE, change: (raw) => `${raw}${raw.slice(2)}` },
  'cut off': {
    codes: UNREADABLE,
    change: (raw, random) => raw.slice(0, 2 + 2 * random.below((raw.length - 2) / 2)),
  },
  'another type byte': {
    codes: ANY,
    change: (raw, random) =>
      `0x${random.pick(['00', '01', '03', '04', '05', '7f', '80', 'b8'])}${raw.slice(4)}`,
  },
  'no type byte': { codes: UNREADABLE, change: (raw) => `0x${raw.slice(4)}` },
  'wrapped in a string': { codes: UNREADABLE, change: (raw) => toRlp(raw) },
  'the high twin of s': {
    codes: UNREADABLE,
    change(raw) {
      const fields = fieldsOf(raw)
      fields[S] = number(ORDER - BigInt(fields[S]!))
      fields[PARITY] = fields[PARITY] === '0x' ? '0x01' : '0x'
      return joined(fields)
    },
  },
  'another parity': {
    codes: ANY,
    change(raw, random) {
      const parity = fieldsOf(raw)[PARITY]
      return withField(
        raw,
        PARITY,
        random.pick<Hex>([parity === '0x' ? '0x01' : '0x', '0x02', '0x1b', '0x1c', '0x0100']),
      )
    },
  },
  'another r or s': {
    codes: ANY,
    change(raw, random) {
      const at = random.pick([R, S])
      const fields = fieldsOf(raw)
      const was = BigInt(fields[at]!)
      const other = random.pick([
        0n,
        1n,
        ORDER,
        ORDER - 1n,
        ORDER + was,
        was + 1n,
        was - 1n,
        (1n << 256n) - 1n,
      ])
      if (random.chance(0.15)) return joined([...fields.slice(0, R), fields[S]!, fields[R]!])
      return withField(raw, at, number(other))
    },
  },
  'no hex': {
    codes: ['BAD_REQUEST', ...UNREADABLE],
    change: (raw, random) =>
      random.pick([
        raw.slice(2),
        `0X${raw.slice(2)}`,
        raw.slice(0, -1),
        `${raw}g0`,
        ` ${raw}`,
        `${raw}\n`,
        `${raw.slice(0, 40)}zz${raw.slice(42)}`,
        '0x',
        '',
        `0x0x${raw.slice(2)}`,
      ]),
  },
}

/** Short strings in the form for long ones; lists and single bytes too. */
function longer(item: string): string {
  const head = Number.parseInt(item.slice(0, 2), 16)
  if (head < 0x80) return `81${item}`
  if (head < 0xb8) return `b8${(head - 0x80).toString(16).padStart(2, '0')}${item.slice(2)}`
  if (head < 0xc0) return `${(head + 1).toString(16)}00${item.slice(2)}`
  return `f8${(head - 0xc0).toString(16).padStart(2, '0')}${item.slice(2)}`
}

/** One of the mutations above on a good transaction; null if it changed nothing. */
export function changeBytes(good: Good, name: string, random: Random): Mutant | null {
  const { codes, change } = BYTE_WAYS[name]!
  const raw = change(good.raw, random)
  if (raw.toLowerCase() === good.raw) return null
  const isHex = /^0x([0-9a-f]{2})+$/i.test(raw)
  return {
    name: `bytes: ${name}`,
    key: good.signer.key,
    body: { raw_tx: raw },
    raws: isHex ? [raw as Hex] : [],
    codes,
  }
}
