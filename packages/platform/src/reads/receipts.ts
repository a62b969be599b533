import type { Address, Hex } from '@pit/chain'
import type { Rpc } from '../rpc/index.ts'
import { nameIn, namesIn, numberIn, quantityIn } from './hex.ts'
import { PAGED, type Question, readAll } from './question.ts'

export interface ReceiptLog {
  address: Address
  topics: readonly Hex[]
  data: Hex
}

/** The parsed part of a receipt; lower case. */
export interface Receipt {
  ok: boolean
  block: number
  blockHash: Hex
  /** The sender; null if the node does not report it. */
  from: Address | null
  logs: readonly ReceiptLog[]
  /** Gas cost paid by the sender; null if the node does not report it. */
  gasCostWei: bigint | null
}

/** Null if the chain has none, and while the transaction is not in a block. */
export const askReceipt = (hash: Hex): Question<Receipt | null> => ({
  call: ['eth_getTransactionReceipt', [hash]],
  parse: receiptIn,
})

/** Many, in order; undefined for those the node rejects. Throws if it does not answer. */
export const readReceipts = (
  rpc: Pick<Rpc, 'batch'>,
  hashes: readonly Hex[],
): Promise<(Receipt | null | undefined)[]> => readAll(rpc, hashes.map(askReceipt), PAGED)

function receiptIn(answer: unknown): Receipt | null | undefined {
  if (answer === null) return null
  if (typeof answer !== 'object') return undefined
  const raw = answer as Record<string, unknown>
  if (raw['blockHash'] === null || raw['blockNumber'] === null) return null
  const [status, block] = [quantityIn(raw['status']), numberIn(raw['blockNumber'])]
  const [blockHash, logs] = [nameIn(raw['blockHash']), logsIn(raw['logs'])]
  if (status === undefined || block === undefined || !blockHash || !logs) return undefined
  return {
    ok: status === 1n,
    block,
    blockHash,
    from: nameIn(raw['from']) ?? null,
    logs,
    gasCostWei: gasCostIn(raw),
  }
}

function gasCostIn(raw: Record<string, unknown>): bigint | null {
  const [gasUsed, priceWei] = [quantityIn(raw['gasUsed']), quantityIn(raw['effectiveGasPrice'])]
  if (gasUsed === undefined || priceWei === undefined) return null
  // Some rollups charge for the parent chain on top of gas.
  return gasUsed * priceWei + (quantityIn(raw['l1Fee']) ?? 0n)
}

function logsIn(answer: unknown): ReceiptLog[] | undefined {
  if (!Array.isArray(answer)) return undefined
  const logs: ReceiptLog[] = []
  for (const raw of answer) {
    const [address, topics, data] = [nameIn(raw?.address), namesIn(raw?.topics), nameIn(raw?.data)]
    if (!address || !topics || !data) return undefined
    logs.push({ address, topics, data })
  }
  return logs
}
