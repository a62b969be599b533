import type { Address, Hex } from '@pit/chain'
import { nameIn, namesIn, numberIn, toQuantity } from './hex.ts'
import type { Question } from './question.ts'

/** A parsed log; names in lower case. */
export interface ChainLog {
  address: Address
  topics: Hex[]
  data: Hex
  blockNumber: number
  blockHash: Hex
  transactionHash: Hex
  logIndex: number
  /** Time of its block, if the node includes it. */
  timestampS?: number
}

export interface LogFilter {
  /** Any address if absent. */
  address?: Address | readonly Address[]
  topics: readonly (Hex | readonly Hex[] | null)[]
}

/** Both ends included. */
export interface BlockRange {
  from: number
  to: number
}

/** Logs in chain order. By hash they surely belong to that block; by range the caller checks its end. */
export const askLogs = (
  filter: LogFilter,
  where: { blockHash: Hex } | { from: number; to: number | 'latest' },
): Question<ChainLog[]> => ({
  call: ['eth_getLogs', [{ ...filter, ...placeOf(where) }]],
  parse: logsIn,
})

const placeOf = (where: { blockHash: Hex } | { from: number; to: number | 'latest' }) =>
  'blockHash' in where
    ? { blockHash: where.blockHash }
    : {
        fromBlock: toQuantity(where.from),
        toBlock: where.to === 'latest' ? where.to : toQuantity(where.to),
      }

function logsIn(answer: unknown): ChainLog[] | undefined {
  if (!Array.isArray(answer)) return undefined
  const logs: ChainLog[] = []
  for (const raw of answer) {
    if (raw?.removed) continue
    const log = logIn(raw)
    if (log === undefined) return undefined
    logs.push(log)
  }
  return logs.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
}

function logIn(raw: Record<string, unknown>): ChainLog | undefined {
  const [address, blockHash] = [nameIn(raw?.['address']), nameIn(raw?.['blockHash'])]
  const [transactionHash, data] = [nameIn(raw?.['transactionHash']), nameIn(raw?.['data'])]
  const [blockNumber, logIndex] = [numberIn(raw?.['blockNumber']), numberIn(raw?.['logIndex'])]
  const topics = namesIn(raw?.['topics'])
  if (!address || !topics || !data || !blockHash || !transactionHash) return undefined
  if (blockNumber === undefined || logIndex === undefined) return undefined
  const log: ChainLog = { address, topics, data, blockNumber, blockHash, transactionHash, logIndex }
  const timestampS = numberIn(raw['blockTimestamp'])
  // Some nodes have the field and never fill it.
  if (timestampS) log.timestampS = timestampS
  return log
}
