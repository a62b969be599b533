import { closeSync, fstatSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, inflateRawSync } from 'node:zlib'
import type { ArchivedBlock } from './archive.ts'
import { readAt } from './archiveFiles.ts'

/** Blocks of an archive of format 1: `bodies`, and `blocks` with one row of fixed width per block. */
export interface FormatOneArchive {
  count: number
  read(number: number): ArchivedBlock
  close(): void
}

const ROW_BYTES = 304

/** Reads only: the files stay as they are. A block whose body was not written completely does not exist. */
export function openFormatOneArchive(dir: string): FormatOneArchive {
  const [bodies, blocks] = ['bodies', 'blocks'].map((name) =>
    openSync(join(dir, `archive.${name}`), 'r'),
  ) as [number, number]
  const bodiesEnd = fstatSync(bodies).size
  const bodyOf = (number: number): Buffer | null => {
    const row = readAt(blocks, number * ROW_BYTES, ROW_BYTES)
    const [at, length] = [row.readDoubleLE(0), row.readUInt32LE(8)]
    if (at + length > bodiesEnd) return null
    const body = readAt(bodies, at, length)
    return crc32(body) === row.readUInt32LE(12) ? body : null
  }
  let count = Math.floor(fstatSync(blocks).size / ROW_BYTES)
  while (count > 0 && bodyOf(count - 1) === null) count -= 1
  return {
    count,
    read(number) {
      const body = bodyOf(number)
      if (body === null) throw new Error(`block ${number} of ${dir} is damaged`)
      return JSON.parse(inflateRawSync(body).toString())
    },
    close() {
      closeSync(bodies)
      closeSync(blocks)
    },
  }
}
