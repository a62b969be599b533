import { setImmediate as breathe } from 'node:timers/promises'
import { brotliCompressSync, brotliDecompressSync, constants, inflateRawSync } from 'node:zlib'
import { HASH_BYTES, openArchiveFiles } from './archiveFiles.ts'
import { createHashIndex } from './hashIndex.ts'
import { createLogMatcher, type LogFilter } from './logFilter.ts'
import type { BlockJson, Hex, LogJson, ReceiptJson } from './types.ts'

export interface ArchivedBlock {
  block: BlockJson
  receipts: ReceiptJson[]
}

/** Every block with its transactions and receipts, from block 0 on, on disk. */
export interface Archive {
  /** The number of the next block to append. */
  next(): number
  /** Blocks that follow each other, compressed together: a block without transactions takes 100 bytes. */
  append(entries: readonly ArchivedBlock[]): void
  read(number: number): ArchivedBlock
  hashOf(number: number): Hex
  /** Undefined if no archived block has that hash. */
  findBlock(hash: Hex): number | undefined
  /** The block that has the transaction. */
  findTx(hash: Hex): number | undefined
  logs(filter: LogFilter, from: number, to: number): Promise<LogJson[]>
  /** Removes block `number` and all after it. */
  cutFrom(number: number): void
  close(): void
}

const CACHED_CHUNKS = 4
/** A third smaller than deflate, in the same time. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
const SCAN_ROWS = 1024

export function openArchive(dir: string): Archive {
  const files = openArchiveFiles(dir)
  const blockHashes = createHashIndex()
  const txHashes = createHashIndex()
  const cache = new Map<number, ArchivedBlock[]>()
  for (let from = 0; from < files.count(); from += SCAN_ROWS) {
    const hashes = files.hashes(from, Math.min(from + SCAN_ROWS, files.count()) - 1)
    for (let at = 0; at < hashes.length; at += HASH_BYTES)
      blockHashes.set(hashes.subarray(at, at + HASH_BYTES), from + at / HASH_BYTES)
  }
  files.eachTx(txHashes.set)

  const read = (number: number): ArchivedBlock => {
    const { first, body } = files.chunkOf(number)
    const entries = cache.get(first) ?? entriesOf(body())
    cache.delete(first)
    cache.set(first, entries)
    if (cache.size > CACHED_CHUNKS) cache.delete(cache.keys().next().value as number)
    return entries[number - first]!
  }
  const hashOf = (number: number): Hex => `0x${files.hashes(number, number).toString('hex')}`

  return {
    next: () => files.count(),
    append(entries) {
      const first = files.count()
      const wrong = entries.find(({ block }, i) => Number(block.number) !== first + i)
      if (wrong) throw new Error(`archive is at ${first}, not ${Number(wrong.block.number)}`)
      if (entries.length === 0) return
      const rows = entries.map(({ block }) => ({
        hash: bytesOf(block.hash),
        bloom: EMPTY_BLOOM.test(block.logsBloom) ? null : bytesOf(block.logsBloom),
        txHashes: block.transactions.map((tx) => bytesOf(tx.hash)),
      }))
      files.append(brotliCompressSync(JSON.stringify(entries), COMPRESSION), rows)
      for (const [i, { hash, txHashes: hashes }] of rows.entries()) {
        blockHashes.set(hash, first + i)
        for (const tx of hashes) txHashes.set(tx, first + i)
      }
    },
    read,
    hashOf,
    findBlock: (hash) =>
      blockHashes
        .candidates(hash)
        .find((number) => number < files.count() && hashOf(number) === hash.toLowerCase()),
    findTx: (hash) =>
      txHashes
        .candidates(hash)
        .find(
          (number) =>
            number < files.count() &&
            read(number).block.transactions.some((tx) => tx.hash === hash.toLowerCase()),
        ),
    async logs(filter, from, to) {
      const matcher = createLogMatcher(filter)
      const matches: LogJson[] = []
      const end = Math.min(to, files.count() - 1)
      for (let start = from; start <= end; start += SCAN_ROWS) {
        for (const { number, bloom } of files.blooms(start, Math.min(start + SCAN_ROWS - 1, end))) {
          if (!matcher.mayBeIn(bloom)) continue
          for (const receipt of read(number).receipts) matches.push(...receipt.logs.filter(matcher.matches))
        }
        // A scan of the whole chain must not delay the blocks.
        await breathe()
      }
      return matches
    },
    cutFrom(number) {
      if (number >= files.count()) return
      files.truncate(number)
      cache.clear()
    },
    close: files.close,
  }
}

/** Chunks of format 2 are deflated. */
function entriesOf(body: Buffer): ArchivedBlock[] {
  try {
    return JSON.parse(brotliDecompressSync(body).toString())
  } catch {
    return JSON.parse(inflateRawSync(body).toString())
  }
}

const EMPTY_BLOOM = /^0x0*$/
const bytesOf = (hex: Hex) => Buffer.from(hex.slice(2), 'hex')
