import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import type { DevnetProcess } from '../../e2e/devnetProcess.ts'

const LOOK_EVERY_MS = 25
const GIVE_UP_MS = 30_000

export interface MinedTrades {
  /** Waits until each of them is in a block. Returns how many are, and when the last one was seen. */
  untilMined(hashes: readonly Hex[]): Promise<{ mined: number; lastAt: number }>
  /** Of those, how many failed in their block. */
  countReverted(hashes: readonly Hex[]): Promise<number>
  stop(): Promise<void>
}

/** Reads each block as it arrives: a request per trade would burden the measured chain. */
export async function followBlocks({ rpc }: DevnetProcess): Promise<MinedTrades> {
  const seen = new Map<Hex, { at: number; block: number }>()
  let next = Number(await rpc<Hex>('eth_blockNumber')) + 1
  let isStopped = false
  // If the chain cannot be read, the trades count as not mined.
  const running = follow().catch((error: Error) => console.error(`reading blocks: ${error.message}`))
  return {
    async untilMined(hashes) {
      const endMs = performance.now() + GIVE_UP_MS
      while (performance.now() < endMs && !hashes.every((hash) => seen.has(hash))) await sleep(LOOK_EVERY_MS)
      const times = hashes.flatMap((hash) => seen.get(hash)?.at ?? [])
      return { mined: times.length, lastAt: times.reduce((a, b) => Math.max(a, b), 0) }
    },
    async countReverted(hashes) {
      const mine = new Set(hashes)
      let reverted = 0
      for (const block of new Set(hashes.flatMap((hash) => seen.get(hash)?.block ?? []))) {
        const receipts = await rpc<{ transactionHash: Hex; status: Hex }[]>('eth_getBlockReceipts', [
          `0x${block.toString(16)}`,
        ])
        reverted += receipts.filter(
          ({ transactionHash, status }) => mine.has(transactionHash) && status !== '0x1',
        ).length
      }
      return reverted
    },
    async stop() {
      isStopped = true
      await running
    },
  }

  async function follow(): Promise<void> {
    while (!isStopped) {
      const block = await rpc<{ transactions: Hex[] } | null>('eth_getBlockByNumber', [
        `0x${next.toString(16)}`,
        false,
      ])
      if (block === null) {
        await sleep(LOOK_EVERY_MS)
        continue
      }
      for (const hash of block.transactions) seen.set(hash, { at: performance.now(), block: next })
      next += 1
    }
  }
}
