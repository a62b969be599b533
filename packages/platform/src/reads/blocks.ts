import type { Address, Hex } from '@pit/chain'
import type { Rpc } from '../rpc.ts'
import { type BlockTag, nameIn, numberIn, quantityIn, tagOf } from './hex.ts'
import { type Bound, type Question, readOne } from './question.ts'

export interface Header {
  number: number
  hash: Hex
  parentHash: Hex
  timestampS: number
  /** Zero where the chain has none. */
  baseFeeWei: bigint
}

/** A transaction as its block shows it; lower-case throughout. */
export interface Transaction {
  hash: Hex
  from: Address
  /** Null where it made a contract. */
  to: Address | null
  valueWei: bigint
}

type WhichBlock = BlockTag | { hash: Hex }
type Json = Readonly<Record<string, unknown>>

export const askBlockNumber = (): Question<number> => ({ call: ['eth_blockNumber', []], parse: numberIn })

/** Null where the node has no such block. */
export const askHeader = (block: WhichBlock): Question<Header | null> => askBlock(block, headerIn)

/** The time of a block alone, in seconds. */
export const askBlockTime = (block: WhichBlock): Question<number | null> =>
  askBlock(block, ({ timestamp }) => numberIn(timestamp))

/** The base fee of a block alone; unread where the block names none. */
export const askBaseFee = (block: WhichBlock): Question<bigint | null> =>
  askBlock(block, ({ baseFeePerGas }) => quantityIn(baseFeePerGas))

/** Everything that was sent in a block, in its order. */
export const askTransactions = (block: number): Question<Transaction[] | null> => ({
  call: ['eth_getBlockByNumber', [tagOf(block), true]],
  parse: parseOf(({ transactions }) => {
    if (!Array.isArray(transactions)) return undefined
    const read = transactions.map(transactionIn)
    return read.every((one) => one != null) ? read : undefined
  }),
})

/** Null where the node knows no such transaction, mined or waiting. */
export const askTransaction = (hash: Hex): Question<Transaction | null> => ({
  call: ['eth_getTransactionByHash', [hash]],
  parse: transactionIn,
})

/** Whether the node knows a transaction, mined or waiting. */
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

function headerIn({ number, hash, parentHash, timestamp, baseFeePerGas }: Json): Header | undefined {
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
  }
}

const transactionIn = parseOf((json): Transaction | undefined => {
  const [hash, from, valueWei] = [nameIn(json['hash']), nameIn(json['from']), quantityIn(json['value'])]
  if (!hash || !from || valueWei === undefined) return undefined
  return { hash, from, to: nameIn(json['to']) ?? null, valueWei }
})

/**
 * The last block before a time, looked for between a block that is (or counts as) before it and one that is
 * not. Times never fall along a chain.
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

/**
 * The last block before a time, by looking at some twenty to thirty headers; null when the chain began after
 * it.
 */
export async function lastBlockBefore(rpc: Pick<Rpc, 'request'>, timeS: number): Promise<number | null> {
  const head = await readOne(rpc, askBlockNumber())
  if ((await readBlockTime(rpc, head)) < timeS) return head
  if ((await readBlockTime(rpc, 0)) >= timeS) return null
  return lastBlockBetween(rpc, timeS, { before: 0, notBefore: head })
}

/** The time of a block that has to be there, in seconds. */
export async function readBlockTime(
  rpc: Pick<Rpc, 'request'>,
  block: number,
  bound: Bound = {},
): Promise<number> {
  const timeS = await readOne(rpc, askBlockTime(block), bound)
  if (timeS === null) throw new Error(`the node has no block ${block}`)
  return timeS
}
