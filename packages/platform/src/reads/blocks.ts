import type { Address, Hex } from '@pit/chain'
import type { Rpc } from '../rpc/index.ts'
import { type BlockTag, nameIn, numberIn, quantityIn, tagOf } from './hex.ts'
import { type Bound, type Question, readOne } from './question.ts'

export interface Header {
  number: number
  hash: Hex
  parentHash: Hex
  timestampS: number
  /** Zero if the chain has none. */
  baseFeeWei: bigint
  /** No gas was used and nothing logged: the block changed no account's state. */
  isEmpty?: true
}

/** A transaction as listed in its block; lower case. */
export interface Transaction {
  hash: Hex
  from: Address
  /** Null for a contract creation. */
  to: Address | null
  valueWei: bigint
}

type WhichBlock = BlockTag | { hash: Hex }
type Json = Readonly<Record<string, unknown>>

export const askBlockNumber = (): Question<number> => ({ call: ['eth_blockNumber', []], parse: numberIn })

/** Null if the node does not have the block. */
export const askHeader = (block: WhichBlock): Question<Header | null> => askBlock(block, headerIn)

/** Time of a block in seconds. */
export const askBlockTime = (block: WhichBlock): Question<number | null> =>
  askBlock(block, ({ timestamp }) => numberIn(timestamp))

/** Base fee of a block; unread if it has none. */
export const askBaseFee = (block: WhichBlock): Question<bigint | null> =>
  askBlock(block, ({ baseFeePerGas }) => quantityIn(baseFeePerGas))

/** All transactions of a block, in order. */
export const askTransactions = (block: number): Question<Transaction[] | null> => ({
  call: ['eth_getBlockByNumber', [tagOf(block), true]],
  parse: parseOf(({ transactions }) => {
    if (!Array.isArray(transactions)) return undefined
    const read = transactions.map(transactionIn)
    return read.every((one) => one != null) ? read : undefined
  }),
})

/** Null if the node does not know the transaction, mined or pending. */
export const askTransaction = (hash: Hex): Question<Transaction | null> => ({
  call: ['eth_getTransactionByHash', [hash]],
  parse: transactionIn,
})

/** Whether the node knows a transaction, mined or pending. */
export const askIsKnown = (hash: Hex): Question<boolean> => ({
  call: ['eth_getTransactionByHash', [hash]],
  parse: (json) => (typeof json === 'object' ? json !== null : undefined),
})

const askBlock = <T>(block: WhichBlock, read: (json: Json) => T | undefined): Question<T | null> => ({
  call:
    typeof block === 'object'
      ? ['eth_getBlockByHash', [block.hash, false]]
      : ['eth_getBlockByNumber', [tagOf(block), false]],
  parse: parseOf(read),
})

const parseOf =
  <T>(read: (json: Json) => T | undefined) =>
  (json: unknown): T | null | undefined => {
    if (json === null) return null
    return typeof json === 'object' ? read(json as Json) : undefined
  }

/** The header in a block's JSON; undefined if it has none. */
export function headerIn(json: Json): Header | undefined {
  const { number, hash, parentHash, timestamp, baseFeePerGas, gasUsed, logsBloom } = json
  const read = { number: numberIn(number), timestampS: numberIn(timestamp) }
  const names = { hash: nameIn(hash), parentHash: nameIn(parentHash) }
  if (read.number === undefined || read.timestampS === undefined || !names.hash || !names.parentHash)
    return undefined
  return {
    number: read.number,
    hash: names.hash,
    parentHash: names.parentHash,
    timestampS: read.timestampS,
    baseFeeWei: quantityIn(baseFeePerGas) ?? 0n,
    ...(gasUsed === '0x0' && EMPTY_BLOOM.test(String(logsBloom)) && { isEmpty: true as const }),
  }
}

const EMPTY_BLOOM = /^0x0{512}$/

const transactionIn = parseOf((json): Transaction | undefined => {
  const [hash, from, valueWei] = [nameIn(json['hash']), nameIn(json['from']), quantityIn(json['value'])]
  if (!hash || !from || valueWei === undefined) return undefined
  return { hash, from, to: nameIn(json['to']) ?? null, valueWei }
})

/**
 * The last block before a time, searched between a block that is (or counts as) before it and one that is
 * not. Block times never decrease.
 */
export async function lastBlockBetween(
  rpc: Pick<Rpc, 'request'>,
  timeS: number,
  { before, notBefore }: { before: number; notBefore: number },
): Promise<number> {
  let [low, high] = [before, notBefore]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if ((await readBlockTime(rpc, middle)) < timeS) low = middle
    else high = middle
  }
  return low
}

/** Time of a block that must exist, in seconds. */
export async function readBlockTime(
  rpc: Pick<Rpc, 'request'>,
  block: number,
  bound: Bound = {},
): Promise<number> {
  const timeS = await readOne(rpc, askBlockTime(block), bound)
  if (timeS === null) throw new Error(`the node has no block ${block}`)
  return timeS
}
