import { type Address, type Hex, NATIVE } from '@pit/chain'
import { powerOfTen } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { type Own, own } from '../own/own.ts'
import { readTransaction, type TransactionReading } from '../own/readTransaction.ts'
import { readTokenFacts, type TokenFacts, type TokenFactsMap } from '../own/tokenFacts.ts'
import { readPoints } from '../report/readPoints.ts'

/**
 * A balance of the wallet, with its value at the client's own price.
 * @public
 */
export type OwnHolding = Own<{
  atoms: bigint
  /** Dollars of one whole token times 10^18; null without an own price. */
  priceE18: bigint | null
  /** The price is past its heartbeat, or its market is closed. */
  isStale: boolean
  microUsd: bigint | null
}> & { token: TokenFacts }
/**
 * Result of `holdings`.
 * @public
 */
export interface OwnHoldings {
  /** Above zero. */
  holdings: readonly OwnHolding[]
  /** Of every token that was read, zero too. */
  balances: ReadonlyMap<Address, Own<bigint>>
  /** Tokens whose balance cannot be read. */
  unread: readonly Address[]
}

export interface HoldingsOptions extends VerbOptions {
  holder?: Address | undefined
}

/**
 * Balances of the wallet and their value, by your own node: ETH, every pinned token and the named ones.
 * @param tokens addresses of further tokens
 * @param options `signal`; `holder` for another address than the wallet, such as an executor
 * @returns balances above zero, and what could not be read
 * @throws NODE_BEHIND, RPC_UNAVAILABLE your node is behind or does not respond
 * @example
 * ```ts
 * for (const { token, atoms } of (await client.holdings()).holdings) console.log(token.name, atoms)
 * ```
 */
export async function holdings(
  { rpc, pins, account }: ClientDeps,
  tokens: readonly string[] = [],
  { signal, holder = account.address }: HoldingsOptions = {},
): Promise<OwnHoldings> {
  const named = addressesIn(tokens)
  const all = [...new Set([NATIVE, ...pins.tokens.keys(), ...named])]
  const [facts, { head }] = await Promise.all([readTokenFacts(rpc, pins, all, signal), rpc.read([], signal)])
  const block = { block: head.number, timeS: head.timestampS }
  const [point] = await readPoints(rpc, pins, {
    wallet: holder,
    tokens: all,
    blocks: [block],
    signal,
  })
  const { balances, prices } = point!
  const held = all.filter((token) => (balances[token] ?? 0n) > 0n)
  return {
    holdings: held.map((address) => {
      const token = facts.get(address)!
      const price = prices[address] ?? null
      const atoms = balances[address]!
      const microUsd =
        price && token.decimals !== null ? (atoms * price.priceE18) / powerOfTen(token.decimals + 12) : null
      return {
        ...own({ atoms, priceE18: price?.priceE18 ?? null, isStale: price?.stale ?? false, microUsd }),
        token,
      }
    }),
    balances: own(
      new Map(
        all.flatMap((token) => {
          const atoms = balances[token]
          return atoms === undefined ? [] : [[token, atoms] as const]
        }),
      ),
    ),
    unread: all.filter((token) => balances[token] === undefined),
  }
}

/**
 * Tokens by your pins, or by your own node: names and decimals of everything typed or shown.
 * @param tokens addresses
 * @param options `signal`
 * @returns facts by address; `decimals` is null if the token does not say
 * @example
 * ```ts
 * for (const { name, decimals } of (await client.tokens([...client.pins.tokens.keys()])).values())
 *   console.log(name, decimals)
 * ```
 */
export const tokens = (
  { rpc, pins }: ClientDeps,
  addresses: readonly string[],
  { signal }: VerbOptions = {},
): Promise<TokenFactsMap> => readTokenFacts(rpc, pins, addressesIn(addresses), signal)

const addressesIn = (texts: readonly string[]): Address[] =>
  texts.flatMap((text) => (/^0x[0-9a-fA-F]{40}$/.test(text) ? [text.toLowerCase() as Address] : []))

/**
 * A transaction with its call decoded and its effects, by your own node.
 * @param hash its hash
 * @param options `signal`
 * @returns the reading; null if your node does not know it
 * @example
 * ```ts
 * const readTrade = (hash: `0x${string}`) => client.transaction(hash)
 * ```
 */
export const transaction = (
  { rpc, pins }: ClientDeps,
  hash: Hex,
  { signal }: VerbOptions = {},
): Promise<TransactionReading | null> => readTransaction(rpc, pins, hash, signal)
