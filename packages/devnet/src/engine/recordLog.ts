import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'

/**
 * An append-only file of JSON records, each preceded by length and checksum. `append` returns once the
 * operating system has the bytes, so a record survives the death of the process.
 */
export interface RecordLog<T> {
  append(record: T): void
  bytes(): number
  close(): void
}

const HEADER_BYTES = 8

export function openRecordLog<T>(path: string): { log: RecordLog<T>; records: T[]; cutBytes: number } {
  const fd = openSync(path, 'a+')
  const { records, goodBytes } = readRecords<T>(readFileSync(path))
  const cutBytes = fstatSync(fd).size - goodBytes
  // A partial record of a dead process was never acknowledged.
  if (cutBytes > 0) ftruncateSync(fd, goodBytes)
  let bytes = goodBytes
  return {
    records,
    cutBytes,
    log: {
      append(record) {
        const payload = Buffer.from(JSON.stringify(record))
        const header = Buffer.alloc(HEADER_BYTES)
        header.writeUInt32LE(payload.length, 0)
        header.writeUInt32LE(crc32(payload), 4)
        writeWhole(fd, Buffer.concat([header, payload]))
        bytes += HEADER_BYTES + payload.length
      },
      bytes: () => bytes,
      close: () => closeSync(fd),
    },
  }
}

export function readRecords<T>(file: Buffer): { records: T[]; goodBytes: number } {
  const records: T[] = []
  let at = 0
  while (at + HEADER_BYTES <= file.length) {
    const end = at + HEADER_BYTES + file.readUInt32LE(at)
    if (end > file.length) break
    const payload = file.subarray(at + HEADER_BYTES, end)
    if (crc32(payload) !== file.readUInt32LE(at + 4)) break
    records.push(JSON.parse(payload.toString()))
    at = end
  }
  return { records, goodBytes: at }
}

/** write(2) may write less than requested. */
export function writeWhole(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
}
