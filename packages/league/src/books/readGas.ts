import type { Rpc, RpcCall } from '@pit/platform/rpc'

const BATCH = 100
const BATCH_BOUND_MS = 5_000

/** What transactions cost their signers, by hash; null where the node has no receipt, absent where it did not say. */
export async function readGas(
  rpc: Pick<Rpc, 'batch'>,
  hashes: readonly string[],
): Promise<Map<string, bigint | null>> {
  const costs = new Map<string, bigint | null>()
  for (let at = 0; at < hashes.length; at += BATCH) {
    const part = hashes.slice(at, at + BATCH)
    const calls = part.map((hash): RpcCall => ['eth_getTransactionReceipt', [hash]])
    const answers = await rpc.batch(calls, { timeoutMs: BATCH_BOUND_MS })
    for (const [i, answer] of answers.entries()) {
      if (!answer.ok) continue
      const cost = costOf(answer.result)
      if (cost !== undefined) costs.set(part[i]!, cost)
    }
  }
  return costs
}

function costOf(receipt: unknown): bigint | null | undefined {
  if (receipt === null) return null
  if (typeof receipt !== 'object') return undefined
  const { gasUsed, effectiveGasPrice, l1Fee } = receipt as Record<string, unknown>
  if (!isHex(gasUsed) || !isHex(effectiveGasPrice)) return undefined
  // Some rollups charge for the parent chain beside the gas.
  return BigInt(gasUsed) * BigInt(effectiveGasPrice) + (isHex(l1Fee) ? BigInt(l1Fee) : 0n)
}

const isHex = (value: unknown): value is `0x${string}` =>
  typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value)
