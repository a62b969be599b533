import type { Address } from '@pit/chain'
import type { Pins } from '@pit/client'
import { decimalText } from '@pit/protocol'
import { type Static, Type } from '@sinclair/typebox'

/** Control, format, private and lone surrogate characters; line and paragraph separators. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Text that strangers chose: one line of what can be seen, and no more than a name needs. */
export function untrusted(text: string, max = 64): string {
  const seen = text.replace(UNSEEN, ' ').replace(/\s+/g, ' ').trim()
  return seen.length <= max ? seen : `${seen.slice(0, max)}…`
}

const MAX_CHARS = 600

/** Every text of an answer in one line that can be seen: the service may hide something too. */
export const inSight = (answer: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(answer), (_, value: unknown) =>
    typeof value === 'string' ? untrusted(value, MAX_CHARS) : value,
  ) as Record<string, unknown>

/** A token as tools give it. Only core symbols are ours; other names are marked as strangers' text. */
export const TokenShown = Type.Object({
  token: Type.String({ description: 'what to pass to tools: core symbol or address' }),
  untrusted_symbol: Type.Optional(Type.String()),
  untrusted_name: Type.Optional(Type.String()),
})
export type TokenShown = Static<typeof TokenShown>

export function showToken(
  pins: Pins,
  address: string,
  said: { symbol?: string | null; name?: string | null } = {},
): TokenShown {
  const core = pins.tokens.get(address.toLowerCase() as Address)?.core
  if (core) return { token: core }
  return {
    token: address.toLowerCase(),
    ...(said.symbol && { untrusted_symbol: untrusted(said.symbol) }),
    ...(said.name && { untrusted_name: untrusted(said.name) }),
  }
}

/** Whole tokens as a decimal; null where nobody knows the decimals. */
export const showAmount = (
  pins: Pins,
  address: string,
  atoms: bigint | string | null,
  decimals: number | null = pins.tokens.get(address.toLowerCase() as Address)?.decimals ?? null,
): string | null => (atoms === null || decimals === null ? null : decimalText(BigInt(atoms), decimals))
