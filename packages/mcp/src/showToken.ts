import type { Address } from '@pit/chain'
import type { Pins } from '@pit/client'
import { decimalText, visibleText } from '@pit/protocol'
import { type Static, Type } from '@sinclair/typebox'

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
    ...(names.symbol && { untrusted_symbol: visibleText(names.symbol) }),
    ...(names.name && { untrusted_name: visibleText(names.name) }),
  }
}

/** Amount in whole tokens, by decimals of the pins or this server's own node; null if they are unknown. */
export function showAmount(
  tokens: ReadonlyMap<Address, { decimals: number | null }>,
  address: string,
  atoms: bigint | string | null,
): string | null {
  const decimals = tokens.get(address.toLowerCase() as Address)?.decimals ?? null
  return atoms === null || decimals === null ? null : decimalText(BigInt(atoms), decimals)
}
