import type { Rpc } from '../rpc.ts'
import type { ChainLog, Header, Hex } from './types.ts'

interface HeaderJson {
  number: Hex
  hash: Hex
  parentHash: Hex
  timestamp: Hex
  baseFeePerGas?: Hex
}
type LogJson = Omit<ChainLog, 'blockNumber' | 'logIndex'> & {
  blockNumber: Hex
  logIndex: Hex
  removed?: boolean
}

const toHex = (value: number): Hex => `0x${value.toString(16)}`

/** The header of a block, or null when the node has none there. */
export async function readHeader(
  rpc: Pick<Rpc, 'request'>,
  block: number | 'latest',
): Promise<Header | null> {
  const tag = block === 'latest' ? block : toHex(block)
  const json = await rpc.request<HeaderJson | null>('eth_getBlockByNumber', [tag, false])
  if (!json) return null
  return {
    number: Number(json.number),
    hash: json.hash,
    parentHash: json.parentHash,
    timestampS: Number(json.timestamp),
    baseFeeWei: BigInt(json.baseFeePerGas ?? 0),
  }
}

type LogRange = { blockHash: Hex } | { from: number; to: number }

/** Logs in chain order. By hash the answer belongs to that block for certain; by range the caller checks the end. */
export async function readLogs(
  rpc: Pick<Rpc, 'request'>,
  range: LogRange,
  topics: readonly Hex[],
): Promise<ChainLog[]> {
  const where =
    'blockHash' in range
      ? { blockHash: range.blockHash }
      : { fromBlock: toHex(range.from), toBlock: toHex(range.to) }
  const logs = await rpc.request<LogJson[]>('eth_getLogs', [{ ...where, topics: [topics] }])
  return logs
    .filter((log) => !log.removed)
    .map((log) => ({ ...log, blockNumber: Number(log.blockNumber), logIndex: Number(log.logIndex) }))
    .sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
}
