import type { Address, Hex } from '@pit/chain'
import type { Rpc, RpcCall } from '@pit/platform/rpc'
import type { FollowedRow, Receipt, ReceiptLog } from './types.ts'

/** Calls in one request to the node. */
export const BATCH = 100
const BATCH_BOUND_MS = 5_000

/** Many calls in requests of bounded size; a failed call is undefined. Throws when the node is silent. */
export async function readAll(rpc: Rpc, calls: readonly RpcCall[]): Promise<unknown[]> {
  const answers: unknown[] = []
  for (let at = 0; at < calls.length; at += BATCH) {
    const part = await rpc.batch(calls.slice(at, at + BATCH), { timeoutMs: BATCH_BOUND_MS })
    for (const answer of part) answers.push(answer.ok ? answer.result : undefined)
  }
  return answers
}

/** By row id; null where the chain has none, absent where the node would not say. */
export async function readReceipts(
  rpc: Rpc,
  rows: readonly FollowedRow[],
): Promise<Map<number, Receipt | null>> {
  const answers = await readAll(
    rpc,
    rows.map(({ tx_hash }): RpcCall => ['eth_getTransactionReceipt', [tx_hash]]),
  )
  const receipts = new Map<number, Receipt | null>()
  for (const [i, row] of rows.entries()) {
    const receipt = receiptOf(answers[i])
    if (receipt !== undefined) receipts.set(row.id, receipt)
  }
  return receipts
}

interface RawReceipt {
  status?: unknown
  blockNumber?: unknown
  blockHash?: unknown
  gasUsed?: unknown
  effectiveGasPrice?: unknown
  l1Fee?: unknown
  logs?: unknown
}

/** Undefined for what is no receipt; null too while the transaction is in no block. */
export function receiptOf(answer: unknown): Receipt | null | undefined {
  if (answer === null) return null
  if (typeof answer !== 'object') return undefined
  const raw = answer as RawReceipt
  if (raw.blockHash === null || raw.blockNumber === null) return null
  if (!isHex(raw.blockHash) || !isHex(raw.blockNumber) || !isHex(raw.status) || !Array.isArray(raw.logs))
    return undefined
  return {
    ok: BigInt(raw.status) === 1n,
    block: Number(raw.blockNumber),
    blockHash: raw.blockHash.toLowerCase() as Hex,
    logs: raw.logs.map(logOf),
    gasCostWei: gasCostOf(raw),
  }
}

function gasCostOf({ gasUsed, effectiveGasPrice, l1Fee }: RawReceipt): bigint | null {
  if (!isHex(gasUsed) || !isHex(effectiveGasPrice)) return null
  // Some rollups charge for the parent chain beside the gas.
  return BigInt(gasUsed) * BigInt(effectiveGasPrice) + (isHex(l1Fee) ? BigInt(l1Fee) : 0n)
}

function logOf(log: { address: string; topics: string[]; data: string }): ReceiptLog {
  return {
    address: log.address.toLowerCase() as Address,
    topics: log.topics.map((topic) => topic.toLowerCase() as Hex),
    data: log.data.toLowerCase() as Hex,
  }
}

const isHex = (value: unknown): value is Hex => typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value)
