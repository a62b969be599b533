import type { Address, Hex } from '@pit/chain'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { PitRefusal } from '../errors.ts'
import { ethCall } from '../own/rpc.ts'
import { type Pins, tokenNamed } from '../pins.ts'

/** A token as the client knows it: by its pins, or its decimals by its own node. */
export interface TokenInfo {
  address: Address
  /** The pinned symbol; otherwise the address, since anyone can deploy any symbol. */
  name: string
  decimals: number
}
export type TokenInfos = ReadonlyMap<Address, TokenInfo>

/**
 * Every token of the pins.
 * @public
 */
export const pinnedTokens = ({ tokens }: Pick<Pins, 'tokens'>): TokenInfos =>
  new Map(
    [...tokens].map(([address, { symbol, decimals }]) => [address, { address, name: symbol, decimals }]),
  )

const DECIMALS: Hex = '0x313ce567'
const MAX_DECIMALS = 36n

/** The tokens with these core symbols or addresses. */
export async function readTokens(
  { pins, rpc }: Pick<ClientDeps, 'pins' | 'rpc'>,
  names: readonly string[],
  { signal }: VerbOptions,
): Promise<TokenInfos> {
  const addresses = names.map((name) => tokenNamed(pins, name) ?? unknownToken(name))
  const unpinned = [...new Set(addresses)].filter((address) => !pins.tokens.has(address))
  const calls = new Map(unpinned.map((address) => [address, ethCall(address, DECIMALS)]))
  const reading = calls.size === 0 ? null : await rpc.read([...calls.values()], signal)
  const read = new Map(
    [...calls].map(([address, call]) => [address, decimalsIn(address, reading?.returned(call) ?? null)]),
  )
  return new Map(
    addresses.map((address) => {
      const token = pins.tokens.get(address)
      const decimals = token?.decimals ?? read.get(address)!
      return [address, { address, name: token?.symbol ?? address, decimals }]
    }),
  )
}

function decimalsIn(address: Address, answer: Hex | null): number {
  const decimals = answer?.length === 66 ? BigInt(answer) : null
  if (decimals === null || decimals > MAX_DECIMALS)
    throw new PitRefusal('UNKNOWN_TOKEN', `${address} does not behave like a token on your node.`)
  return Number(decimals)
}

const unknownToken = (name: string): never => {
  throw new PitRefusal('UNKNOWN_TOKEN', `Unknown token "${name}".`)
}
