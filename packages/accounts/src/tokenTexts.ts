import type { Address } from '@pit/chain'
import { type RegistryText, registryTexts } from '@pit/market'
import { type Answer, lower } from '@pit/protocol'
import type { AccountDeps } from './deps.ts'

/** Display data of a token. The deployer chose the texts: escape them. */
export interface TokenText {
  /** Core symbol or address. */
  token: string
  address: Address
  symbol: string | null
  name: string | null
  decimals: number | null
  kind: Answer<'me.portfolio'>['holdings'][number]['kind']
}

export interface TokenTexts {
  /** ETH, core tokens and listed stocks in the profile's order; part of every portfolio. */
  standing: readonly Address[]
  addressOf(token: string): Address | undefined
  /** One registry read for all of them; none if the profile has them all. */
  read(addresses: Iterable<Address>): Promise<(address: Address) => TokenText>
}

export function createTokenTexts({ db, profile }: Pick<AccountDeps, 'db' | 'profile'>): TokenTexts {
  const core = new Map<Address, TokenText>(
    profile.core_tokens.map(({ symbol, name, address, decimals, kind }) => [
      lower(address),
      { token: symbol, address: lower(address), symbol, name, decimals, kind },
    ]),
  )
  const listed = new Map(profile.listed_stocks.map((stock) => [lower(stock.address), stock]))
  const bySymbol = new Map([...core.values()].map(({ token, address }) => [token, address]))

  return {
    standing: [...new Set([...core.keys(), ...listed.keys()])],
    addressOf: (token) =>
      bySymbol.get(token) ?? (/^0x[0-9a-fA-F]{40}$/.test(token) ? lower(token) : undefined),
    async read(addresses) {
      const unlisted = [...new Set(addresses)].filter((address) => !core.has(address))
      const rows = unlisted.length > 0 ? await registryTexts(db, unlisted) : []
      const byAddress = new Map(rows.map((row) => [row.address, row]))
      return (address) => core.get(address) ?? textOf(address, byAddress.get(address), listed.get(address))
    },
  }
}

/** A listed stock's kind, symbol and decimals come from the profile, everything else from the registry. */
function textOf(
  address: Address,
  registered: RegistryText | undefined,
  listed: { symbol: string; decimals: number } | undefined,
): TokenText {
  return {
    token: address,
    address,
    symbol: listed?.symbol ?? (registered?.symbol || null),
    name: registered?.name || (listed?.symbol ?? null),
    decimals: listed?.decimals ?? registered?.decimals ?? null,
    kind: listed ? 'stock' : 'token',
  }
}
