import type { Archive } from './archive.ts'
import { createFifo } from './fifo.ts'
import { toHex } from './hex.ts'
import type { Provider } from './provider.ts'
import type { BlockJson, ReceiptJson } from './types.ts'

/** Copies blocks from the running engine into the archive, behind the head. */
export interface Archiver {
  /** Blocks exist up to this number; resolves when they are archived. */
  follow(engine: Provider, number: number): Promise<void>
}

export function createArchiver(archive: Archive, served: (block: BlockJson) => BlockJson): Archiver {
  const fifo = createFifo()
  return {
    follow: (engine, number) =>
      fifo(async () => {
        while (archive.next() <= number) {
          const tag = toHex(archive.next())
          const block = await engine.request<BlockJson>('eth_getBlockByNumber', [tag, true])
          archive.append({ block: served(block), receipts: await receiptsOf(engine, block) })
        }
      }),
  }
}

export async function receiptsOf(engine: Provider, block: BlockJson): Promise<ReceiptJson[]> {
  if (block.transactions.length === 0) return []
  const calls = block.transactions.map((tx) => ['eth_getTransactionReceipt', [tx.hash]] as const)
  return (await engine.batch(calls)) as ReceiptJson[]
}
