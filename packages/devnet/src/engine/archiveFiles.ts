import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { writeWhole } from './recordLog.ts'

/** One block of a chunk as the files need it; `bloom` is null for a block without logs. */
export interface ArchiveRow {
  hash: Buffer
  bloom: Buffer | null
  txHashes: Buffer[]
}

/** Compressed blocks from `first` on. A chunk that was cut holds more of them than are still in the archive. */
export interface ArchiveChunk {
  first: number
  body(): Buffer
}

/**
 * Five append-only files. `bodies`: compressed chunks of blocks. `hashes`: one row per block. `blooms`: one row
 * per block with logs. `txs`: one row per transaction. `chunks`: one row per chunk (first block, number of
 * blocks, place of its body), written last: its blocks exist once it does.
 */
export interface ArchiveFiles {
  count(): number
  append(body: Buffer, rows: readonly ArchiveRow[]): void
  /** The chunk that has the block. */
  chunkOf(number: number): ArchiveChunk
  /** Hashes of blocks from..to (inclusive), concatenated. */
  hashes(from: number, to: number): Buffer
  /** Blocks from..to (inclusive) that have logs, with their blooms. */
  blooms(from: number, to: number): { number: number; bloom: Buffer }[]
  eachTx(visit: (hash: Buffer, number: number) => void): void
  truncate(count: number): void
  close(): void
}

export const HASH_BYTES = 32
const BLOOM_BYTES = 260
const TX_BYTES = 36
const CHUNK_BYTES = 24

interface Place {
  first: number
  blocks: number
  at: number
  length: number
  crc: number
}

export function openArchiveFiles(dir: string): ArchiveFiles {
  const [bodies, hashes, blooms, txs, chunks] = ['bodies', 'hashes', 'blooms', 'txs', 'chunks'].map((name) =>
    openSync(join(dir, `archive.${name}`), 'a+'),
  ) as [number, number, number, number, number]
  const sizeOf = (fd: number) => fstatSync(fd).size
  const places = readPlaces(chunks)
  /** Numbers of the blocks with logs, in the order of their rows. */
  const bloomed: number[] = []

  const count = () => {
    const last = places.at(-1)
    return last ? last.first + last.blocks : 0
  }
  const isWhole = ({ at, length, crc }: Place) =>
    at + length <= sizeOf(bodies) && crc32(readAt(bodies, at, length)) === crc
  const cutRows = (fd: number, rowBytes: number, numberAt: number, keep: number) => {
    let rows = Math.floor(sizeOf(fd) / rowBytes)
    const numberOf = (row: number) => readAt(fd, row * rowBytes + numberAt, 4).readUInt32LE(0)
    while (rows > 0 && numberOf(rows - 1) >= keep) rows -= 1
    ftruncateSync(fd, rows * rowBytes)
  }
  const truncate = (keep: number) => {
    while ((places.at(-1)?.first ?? -1) >= keep) places.pop()
    const last = places.at(-1)
    ftruncateSync(bodies, last ? last.at + last.length : 0)
    ftruncateSync(hashes, Math.min(keep, count()) * HASH_BYTES)
    cutRows(txs, TX_BYTES, 32, keep)
    cutRows(blooms, BLOOM_BYTES, 0, keep)
    while ((bloomed.at(-1) ?? -1) >= keep) bloomed.pop()
    if (!last || last.first + last.blocks <= keep) return ftruncateSync(chunks, places.length * CHUNK_BYTES)
    last.blocks = keep - last.first
    ftruncateSync(chunks, (places.length - 1) * CHUNK_BYTES)
    writeWhole(chunks, chunkRow(last))
  }

  while (places.length > 0 && !isWhole(places.at(-1)!)) places.pop()
  // Hashes are written before the chunk's row; fewer of them is a damaged archive.
  const whole = Math.min(count(), Math.floor(sizeOf(hashes) / HASH_BYTES))
  truncate(whole)
  const bloomRows = readAt(blooms, 0, sizeOf(blooms))
  for (let at = 0; at < bloomRows.length; at += BLOOM_BYTES) bloomed.push(bloomRows.readUInt32LE(at))

  return {
    count,
    append(body, rows) {
      const first = count()
      const last = places.at(-1)
      const place = {
        first,
        blocks: rows.length,
        at: last ? last.at + last.length : 0,
        length: body.length,
        crc: crc32(body),
      }
      const withLogs = rows.flatMap(({ bloom }, i) => (bloom ? [{ number: first + i, bloom }] : []))
      const txRows = rows.flatMap(({ txHashes }, i) => txHashes.map((hash) => txRow(hash, first + i)))
      writeWhole(bodies, body)
      writeWhole(txs, Buffer.concat(txRows))
      writeWhole(blooms, Buffer.concat(withLogs.map(({ number, bloom }) => bloomRow(number, bloom))))
      writeWhole(hashes, Buffer.concat(rows.map(({ hash }) => hash)))
      writeWhole(chunks, chunkRow(place))
      places.push(place)
      for (const { number } of withLogs) bloomed.push(number)
    },
    chunkOf(number) {
      const { first, at, length } = places[lastAtMost(places.length, (i) => places[i]!.first, number)]!
      return { first, body: () => readAt(bodies, at, length) }
    },
    hashes: (from, to) => readAt(hashes, from * HASH_BYTES, (to - from + 1) * HASH_BYTES),
    blooms(from, to) {
      const numberAt = (i: number) => bloomed[i]!
      const start = lastAtMost(bloomed.length, numberAt, from - 1) + 1
      const end = lastAtMost(bloomed.length, numberAt, to) + 1
      const rows = readAt(blooms, start * BLOOM_BYTES, (end - start) * BLOOM_BYTES)
      return bloomed.slice(start, end).map((number, i) => ({
        number,
        bloom: rows.subarray(i * BLOOM_BYTES + 4, (i + 1) * BLOOM_BYTES),
      }))
    },
    eachTx(visit) {
      const size = sizeOf(txs)
      const step = TX_BYTES * 10_000
      for (let at = 0; at < size; at += step) {
        const part = readAt(txs, at, Math.min(step, size - at))
        for (let row = 0; row < part.length; row += TX_BYTES) {
          visit(part.subarray(row, row + 32), part.readUInt32LE(row + 32))
        }
      }
    },
    truncate,
    close() {
      for (const fd of [bodies, hashes, blooms, txs, chunks]) closeSync(fd)
    },
  }
}

/** The last index whose value is at most `most`; -1 if none is. Values ascend. */
function lastAtMost(length: number, valueAt: (index: number) => number, most: number): number {
  let [low, high] = [-1, length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (valueAt(middle) <= most) low = middle
    else high = middle
  }
  return low
}

function readPlaces(fd: number): Place[] {
  const rows = readAt(fd, 0, Math.floor(fstatSync(fd).size / CHUNK_BYTES) * CHUNK_BYTES)
  const places: Place[] = []
  for (let row = 0; row < rows.length; row += CHUNK_BYTES) {
    places.push({
      first: rows.readUInt32LE(row),
      blocks: rows.readUInt32LE(row + 4),
      at: rows.readDoubleLE(row + 8),
      length: rows.readUInt32LE(row + 16),
      crc: rows.readUInt32LE(row + 20),
    })
  }
  return places
}

function chunkRow({ first, blocks, at, length, crc }: Place): Buffer {
  const row = Buffer.alloc(CHUNK_BYTES)
  row.writeUInt32LE(first, 0)
  row.writeUInt32LE(blocks, 4)
  row.writeDoubleLE(at, 8)
  row.writeUInt32LE(length, 16)
  row.writeUInt32LE(crc, 20)
  return row
}

function bloomRow(number: number, bloom: Buffer): Buffer {
  const row = Buffer.alloc(BLOOM_BYTES)
  row.writeUInt32LE(number, 0)
  bloom.copy(row, 4)
  return row
}

function txRow(hash: Buffer, number: number): Buffer {
  const row = Buffer.alloc(TX_BYTES)
  hash.copy(row)
  row.writeUInt32LE(number, 32)
  return row
}

/** Exactly `length` bytes; throws if the file ends before. */
export function readAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  for (let got = 0; got < length; ) {
    const more = readSync(fd, bytes, got, length - got, at + got)
    if (more === 0) throw new Error('the archive ended early')
    got += more
  }
  return bytes
}
