import type { Hex } from '@pit/chain'
import type { Rpc } from '@pit/platform/rpc'

export interface BlockHeader {
  number: number
  hash: Hex
  timeS: number
}

export const tagOf = (block: number): Hex => `0x${block.toString(16)}`

/** Null when the node has no such block. */
export async function headerAt(rpc: Rpc, block: number | 'latest'): Promise<BlockHeader | null> {
  const tag = block === 'latest' ? block : tagOf(block)
  const json = await rpc.request<{ number: Hex; hash: Hex; timestamp: Hex } | null>('eth_getBlockByNumber', [
    tag,
    false,
  ])
  return json && { number: Number(json.number), hash: json.hash, timeS: Number(json.timestamp) }
}

/**
 * The last block before a time, looked for between a block that is (or counts as) before it and one that is not.
 * Times never fall along a chain.
 */
export async function lastBlockBefore(
  rpc: Rpc,
  timeS: number,
  { before, notBefore }: { before: number; notBefore: number },
): Promise<number> {
  let [low, high] = [before, notBefore]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const header = await headerAt(rpc, middle)
    if (!header) throw new Error(`the node does not have block ${middle}`)
    if (header.timeS < timeS) low = middle
    else high = middle
  }
  return low
}
