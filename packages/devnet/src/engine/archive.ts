import { setImmediate as breathe } from 'node:timers/promises'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { openArchiveFiles, ROW_BYTES, rowBloom, rowHash } from './archiveFiles.ts'
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
  append(entry: ArchivedBlock): void
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

const CACHED_BLOCKS = 64
const SCAN_ROWS = 1024

export function openArchive(dir: string): Archive {
  const files = openArchiveFiles(dir)
  const blockHashes = createHashIndex()
  const txHashes = createHashIndex()
  const cache = new Map<number, ArchivedBlock>()
  for (let from = 0; from < files.count(); from += SCAN_ROWS) {
    const rows = files.rows(from, Math.min(from + SCAN_ROWS, files.count()) - 1)
    for (let at = 0; at < rows.length; at += ROW_BYTES)
      blockHashes.set(rowHash(rows, at), from + at / ROW_BYTES)
  }
  files.eachTx(txHashes.set)

  const read = (number: number): ArchivedBlock => {
    const cached = cache.get(number)
    if (cached) return cached
    const entry = JSON.parse(inflateRawSync(files.body(number)).toString()) as ArchivedBlock
    cache.set(number, entry)
    if (cache.size > CACHED_BLOCKS) cache.delete(cache.keys().next().value as number)
    return entry
  }
  const hashOf = (number: number): Hex => `0x${rowHash(files.rows(number, number), 0).toString('hex')}`

  return {
    next: () => files.count(),
    append(entry) {
      const { block } = entry
      const number = files.count()
      if (Number(block.number) !== number)
        throw new Error(`archive is at ${number}, not ${Number(block.number)}`)
      const body = deflateRawSync(JSON.stringify(entry), { level: 1 })
      const hashes = block.transactions.map((tx) => bytesOf(tx.hash))
      files.append(body, bytesOf(block.hash), bytesOf(block.logsBloom), hashes)
      blockHashes.set(block.hash, number)
      for (const hash of hashes) txHashes.set(hash, number)
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
        const rows = files.rows(start, Math.min(start + SCAN_ROWS - 1, end))
        for (let at = 0; at < rows.length; at += ROW_BYTES) {
          if (!matcher.mayBeIn(rowBloom(rows, at))) continue
          const { receipts } = read(start + at / ROW_BYTES)
          for (const receipt of receipts) matches.push(...receipt.logs.filter(matcher.matches))
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

const bytesOf = (hex: Hex) => Buffer.from(hex.slice(2), 'hex')
