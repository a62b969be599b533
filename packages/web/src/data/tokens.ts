import type { Answer } from '@pit/protocol'
import { amount } from './format.ts'

/** What is known of tokens by address: the core ones, and those a plan or quote names. */
export interface NamedToken {
  symbol: string
  decimals: number
}
export type TokenNames = ReadonlyMap<string, NamedToken>

export const namesIn = (
  { tokens }: Answer<'config'>,
  more: readonly { address: string; symbol: string; decimals: number }[] = [],
): TokenNames =>
  new Map([
    ...Object.entries(tokens).map(
      ([symbol, { address, decimals }]) => [address.toLowerCase(), { symbol, decimals }] as const,
    ),
    ...more.map(({ address, symbol, decimals }) => [address.toLowerCase(), { symbol, decimals }] as const),
  ])

/** Atoms of a token in whole ones, with its name cut to a length that cannot pretend to be more. */
export function amountOf(names: TokenNames, atoms: string | bigint | null, token: string): string {
  const known = names.get(token.toLowerCase())
  return known ? `${amount(atoms, known.decimals)} ${known.symbol.slice(0, 16)}` : `${String(atoms)} atoms`
}
