import type { Address } from '@pit/chain'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { PitRefusal } from '../errors.ts'
import type { Own } from '../own/own.ts'
import { pinnedFacts, readTokenFacts, type TokenFacts, type TokenFactsMap } from '../own/tokenFacts.ts'
import { type Pins, tokenNamed } from '../pins.ts'

/** A token that amounts can be typed and confirmed in. */
export type TokenInfo = Omit<TokenFacts, 'decimals'> & { decimals: Own<number> }
export type TokenInfos = ReadonlyMap<Address, TokenInfo>

/**
 * Every token of the pins.
 * @public
 */
export const pinnedTokens = (pins: Pick<Pins, 'tokens'>): TokenInfos => withDecimals(pinnedFacts(pins))

/** The tokens with these core symbols or addresses. */
export async function readTokens(
  { pins, rpc }: Pick<ClientDeps, 'pins' | 'rpc'>,
  names: readonly string[],
  { signal }: VerbOptions,
): Promise<TokenInfos> {
  const addresses = names.map((name) => tokenNamed(pins, name) ?? unknownToken(name))
  return withDecimals(await readTokenFacts(rpc, pins, addresses, signal))
}

const withDecimals = (facts: TokenFactsMap): TokenInfos =>
  new Map(
    [...facts].map(([address, { decimals, ...rest }]) => [
      address,
      { ...rest, decimals: decimals ?? notAToken(address) },
    ]),
  )

const notAToken = (address: Address): never => {
  throw new PitRefusal('UNKNOWN_TOKEN', `${address} does not behave like a token on your node.`)
}

const unknownToken = (name: string): never => {
  throw new PitRefusal('UNKNOWN_TOKEN', `Unknown token "${name}".`)
}
