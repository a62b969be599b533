import type { Rpc } from '@pit/platform/rpc'
import { numberToHex } from 'viem'

/** The last block before a time, by looking at some twenty to thirty headers; null when the chain began after it. */
export async function lastBlockBefore(rpc: Pick<Rpc, 'request'>, timeS: number): Promise<number | null> {
  const head = Number(await rpc.request<string>('eth_blockNumber'))
  if ((await blockTimeS(rpc, head)) < timeS) return head
  if ((await blockTimeS(rpc, 0)) >= timeS) return null
  let [low, high] = [0, head]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if ((await blockTimeS(rpc, middle)) < timeS) low = middle
    else high = middle
  }
  return low
}

export async function blockTimeS(rpc: Pick<Rpc, 'request'>, block: number): Promise<number> {
  const header = await rpc.request<{ timestamp?: string } | null>('eth_getBlockByNumber', [
    numberToHex(block),
    false,
  ])
  if (typeof header?.timestamp !== 'string') throw new Error(`the node has no block ${block}`)
  return Number(header.timestamp)
}
