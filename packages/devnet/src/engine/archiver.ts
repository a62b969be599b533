import type { Archive, ArchivedBlock } from './archive.ts'
import { createFifo } from './fifo.ts'
import { toHex } from './hex.ts'
import type { Provider } from './provider.ts'
import type { BlockJson, ReceiptJson } from './types.ts'

/**
 * Copies blocks from the running engine into the archive. Only blocks before the running engine's first are
 * read from there, and the log restores all others, so the archive may be behind.
 */
export interface Archiver {
  /** Blocks exist up to this number; archives them once they fill a chunk. */
  follow(engine: Provider, number: number): Promise<void>
  /** Resolves when every block up to this number is archived. */
  complete(engine: Provider, number: number): Promise<void>
}

const CHUNK_BLOCKS = 128
/** Blocks read in one call to the engine, which answers nothing else meanwhile. */
const READ_AT_ONCE = 16

export function createArchiver(archive: Archive, served: (block: BlockJson) => BlockJson): Archiver {
  const fifo = createFifo()
  const archiveTo = async (engine: Provider, number: number, atLeast: number) => {
    while (number - archive.next() + 1 >= atLeast) {
      const entries: ArchivedBlock[] = []
      const end = Math.min(number, archive.next() + CHUNK_BLOCKS - 1)
      for (let from = archive.next(); from <= end; from += READ_AT_ONCE)
        entries.push(...(await readBlocks(engine, from, Math.min(end, from + READ_AT_ONCE - 1))))
      archive.append(entries.map(({ block, receipts }) => ({ block: served(block), receipts })))
    }
  }
  return {
    follow: async (engine, number) => {
      if (number - archive.next() + 1 < CHUNK_BLOCKS) return
      await fifo(() => archiveTo(engine, number, CHUNK_BLOCKS))
    },
    complete: (engine, number) => fifo(() => archiveTo(engine, number, 1)),
  }
}

async function readBlocks(engine: Provider, from: number, to: number): Promise<ArchivedBlock[]> {
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i)
  const calls = numbers.map((number) => ['eth_getBlockByNumber', [toHex(number), true]] as const)
  const blocks = (await engine.batch(calls)) as BlockJson[]
  const receipts = await receiptsOf(engine, ...blocks)
  return blocks.map((block) => ({ block, receipts: receipts.splice(0, block.transactions.length) }))
}

export async function receiptsOf(engine: Provider, ...blocks: BlockJson[]): Promise<ReceiptJson[]> {
  const hashes = blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash))
  if (hashes.length === 0) return []
  const calls = hashes.map((hash) => ['eth_getTransactionReceipt', [hash]] as const)
  return (await engine.batch(calls)) as ReceiptJson[]
}
