import type { Address } from '@pit/chain'
import type { Pins } from '@pit/client'
import { decimalText } from '@pit/protocol'
import { type Static, Type } from '@sinclair/typebox'

/** Control, format, private and lone surrogate characters; line and paragraph separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Makes third-party text safe to show: one line of visible characters, cut to `max`. */
export function untrusted(text: string, max = 64): string {
  const visible = text.replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim()
  return visible.length <= max ? visible : `${visible.slice(0, max)}…`
}

const MAX_CHARS = 600

/** Applies `untrusted` to every text of a result, because the service itself may hide something. */
export const visibleOnly = (answer: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(answer), (_, value: unknown) =>
    typeof value === 'string' ? untrusted(value, MAX_CHARS) : value,
  ) as Record<string, unknown>

/** A token in a tool's result. Only core symbols are trusted; other names are marked as untrusted. */
export const TokenShown = Type.Object({
  token: Type.String({ description: 'core symbol or address, to pass to tools' }),
  untrusted_symbol: Type.Optional(Type.String()),
  untrusted_name: Type.Optional(Type.String()),
})
export type TokenShown = Static<typeof TokenShown>

export function showToken(
  pins: Pins,
  address: string,
  names: { symbol?: string | null; name?: string | null } = {},
): TokenShown {
  const core = pins.tokens.get(address.toLowerCase() as Address)?.core
  if (core) return { token: core }
  return {
    token: address.toLowerCase(),
    ...(names.symbol && { untrusted_symbol: untrusted(names.symbol) }),
    ...(names.name && { untrusted_name: untrusted(names.name) }),
  }
}

/** Amount in whole tokens; null if the decimals are unknown. */
export const showAmount = (
  pins: Pins,
  address: string,
  atoms: bigint | string | null,
  decimals: number | null = pins.tokens.get(address.toLowerCase() as Address)?.decimals ?? null,
): string | null => (atoms === null || decimals === null ? null : decimalText(BigInt(atoms), decimals))
