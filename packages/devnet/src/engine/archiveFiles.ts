import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { writeWhole } from './recordLog.ts'

/**
 * Three append-only files. `bodies`: compressed blocks. `blocks`: one fixed-width row per block (offset of
 * its body, hash, bloom), row n being block n. `txs`: one fixed-width row per transaction. A block exists
 * once its row in `blocks` does, which is written last.
 */
export interface ArchiveFiles {
  count(): number
  append(body: Buffer, hash: Buffer, bloom: Buffer, txHashes: Buffer[]): void
  body(number: number): Buffer
  /** Rows of blocks from..to (inclusive), concatenated. */
  rows(from: number, to: number): Buffer
  eachTx(visit: (hash: Buffer, number: number) => void): void
  truncate(count: number): void
  close(): void
}

export const ROW_BYTES = 304
const HASH_AT = 16
const BLOOM_AT = 48
const TX_BYTES = 36

export const rowHash = (rows: Buffer, at: number) => rows.subarray(at + HASH_AT, at + HASH_AT + 32)
export const rowBloom = (rows: Buffer, at: number) => rows.subarray(at + BLOOM_AT, at + BLOOM_AT + 256)

export function openArchiveFiles(dir: string): ArchiveFiles {
  const bodies = openSync(join(dir, 'archive.bodies'), 'a+')
  const blocks = openSync(join(dir, 'archive.blocks'), 'a+')
  const txs = openSync(join(dir, 'archive.txs'), 'a+')
  let count = Math.floor(fstatSync(blocks).size / ROW_BYTES)
  let bodyEnd = 0

  const rows = (from: number, to: number) => readAt(blocks, from * ROW_BYTES, (to - from + 1) * ROW_BYTES)
  const place = (number: number) => {
    const row = rows(number, number)
    return { at: row.readDoubleLE(0), length: row.readUInt32LE(8), crc: row.readUInt32LE(12) }
  }
  const isWhole = (number: number) => {
    const { at, length, crc } = place(number)
    if (at + length > fstatSync(bodies).size) return false
    return crc32(readAt(bodies, at, length)) === crc
  }
  const truncate = (keep: number) => {
    count = keep
    const end = keep === 0 ? undefined : place(keep - 1)
    bodyEnd = end ? end.at + end.length : 0
    ftruncateSync(blocks, keep * ROW_BYTES)
    ftruncateSync(bodies, bodyEnd)
    let txCount = Math.floor(fstatSync(txs).size / TX_BYTES)
    while (txCount > 0 && readAt(txs, txCount * TX_BYTES - 4, 4).readUInt32LE(0) >= keep) txCount -= 1
    ftruncateSync(txs, txCount * TX_BYTES)
  }

  let whole = count
  while (whole > 0 && !isWhole(whole - 1)) whole -= 1
  truncate(whole)

  return {
    count: () => count,
    append(body, hash, bloom, txHashes) {
      writeWhole(bodies, body)
      if (txHashes.length > 0) writeWhole(txs, Buffer.concat(txHashes.map((tx) => txRow(tx, count))))
      const row = Buffer.alloc(ROW_BYTES)
      row.writeDoubleLE(bodyEnd, 0)
      row.writeUInt32LE(body.length, 8)
      row.writeUInt32LE(crc32(body), 12)
      hash.copy(row, HASH_AT)
      bloom.copy(row, BLOOM_AT)
      writeWhole(blocks, row)
      bodyEnd += body.length
      count += 1
    },
    body(number) {
      const { at, length } = place(number)
      return readAt(bodies, at, length)
    },
    rows,
    eachTx(visit) {
      const chunk = TX_BYTES * 10_000
      const size = fstatSync(txs).size
      for (let at = 0; at < size; at += chunk) {
        const part = readAt(txs, at, Math.min(chunk, size - at))
        for (let row = 0; row < part.length; row += TX_BYTES) {
          visit(part.subarray(row, row + 32), part.readUInt32LE(row + 32))
        }
      }
    },
    truncate,
    close() {
      for (const fd of [bodies, blocks, txs]) closeSync(fd)
    },
  }
}

function txRow(hash: Buffer, number: number): Buffer {
  const row = Buffer.alloc(TX_BYTES)
  hash.copy(row)
  row.writeUInt32LE(number, 32)
  return row
}

function readAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  for (let got = 0; got < length; ) {
    const more = readSync(fd, bytes, got, length - got, at + got)
    if (more === 0) throw new Error('the archive ended early')
    got += more
  }
  return bytes
}
