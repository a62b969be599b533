import type { ArchivedBlock } from './archive.ts'
import { toHex } from './hex.ts'
import { rpcFailure } from './provider.ts'
import type { Hex } from './types.ts'

interface FeeHistoryQuery {
  blocks: number
  newest: number
  percentiles: number[]
}

const MAX_BLOCKS = 1024

/** eth_feeHistory from the blocks themselves; the next base fee is the newest block's, which is pinned. */
export async function feeHistory(
  blockAt: (number: number) => Promise<ArchivedBlock | null>,
  { blocks, newest, percentiles }: FeeHistoryQuery,
) {
  if (!(blocks >= 1)) throw rpcFailure(-32602, 'blockCount must be at least 1')
  const sorted = percentiles.every((p, at) => p >= 0 && p <= 100 && (at === 0 || p >= percentiles[at - 1]!))
  if (!sorted) throw rpcFailure(-32602, 'rewardPercentiles must rise from 0 to 100')
  const oldest = Math.max(0, newest - Math.min(blocks, MAX_BLOCKS) + 1)
  const entries: ArchivedBlock[] = []
  for (let number = oldest; number <= newest; number++) {
    const entry = await blockAt(number)
    if (!entry) throw rpcFailure(-32000, `block ${number} is not there yet`)
    entries.push(entry)
  }
  const baseFees = entries.map(({ block }) => block.baseFeePerGas)
  return {
    oldestBlock: toHex(oldest),
    baseFeePerGas: [...baseFees, baseFees[baseFees.length - 1] as Hex],
    gasUsedRatio: entries.map(({ block }) => Number(block['gasUsed']) / Number(block.gasLimit)),
    ...(percentiles.length > 0 ? { reward: entries.map((entry) => rewards(entry, percentiles)) } : {}),
  }
}

/** The tip at each percentile of the block's gas, cheapest first. */
function rewards({ block, receipts }: ArchivedBlock, percentiles: number[]): Hex[] {
  const baseFee = BigInt(block.baseFeePerGas)
  const tips = receipts
    .map((receipt) => ({ tip: BigInt(receipt.effectiveGasPrice) - baseFee, gas: Number(receipt.gasUsed) }))
    .sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))
  const total = tips.reduce((sum, { gas }) => sum + gas, 0)
  return percentiles.map((percentile) => {
    let seen = 0
    const at = tips.find(({ gas }) => {
      seen += gas
      return seen >= (total * percentile) / 100
    })
    return toHex(at?.tip ?? 0n)
  })
}
