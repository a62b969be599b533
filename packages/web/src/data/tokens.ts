import type { Answer } from '@pit/protocol'
import { amount } from '@pit/ui'

/** Token records by address: core tokens and those of a plan or quote. */
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

interface ListedToken {
  token: string
  symbol: string | null
}
/** The symbol, cut because symbols are untrusted; the address of a token without one. */
export const symbolOf = ({ symbol, token }: ListedToken): string => (symbol ?? token).slice(0, 16)

/** `0.5 ETH`, of a token as the server lists it. */
export const listedAmount = (
  atoms: string | null,
  token: ListedToken & { decimals: number | null },
): string => `${amount(atoms, token.decimals)} ${symbolOf(token)}`

/** A token amount with its symbol, cut because symbols are untrusted. */
export function amountOf(names: TokenNames, atoms: string | bigint | null, token: string): string {
  const record = names.get(token.toLowerCase())
  return record ? `${amount(atoms, record.decimals)} ${record.symbol.slice(0, 16)}` : `${String(atoms)} atoms`
}
