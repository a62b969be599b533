import { createHash } from 'node:crypto'
import { canonicalJson, type Json } from '@pit/protocol'
import type { RowBody, ServedRow } from '../types.ts'

/** A row as it is stored: the exact text that was hashed, and its hash. */
export interface StoredRow {
  seq: number
  body: string
  hash: string
}
/**
 * The last recorded row, stored separately: without it a deletion of the newest rows would not be detected.
 */
export type StoredHead = { seq: number; hash: string | null }

export interface CheckedRows {
  /** Valid rows before the first invalid one, oldest first. */
  rows: { body: RowBody; served: string }[]
  integrity: { ok: boolean; rows: number; head: string | null; broken_at: number | null; why: string | null }
}

export const hashOf = (body: string): string => createHash('sha256').update(body, 'utf8').digest('hex')

export function sealRow(body: RowBody): StoredRow {
  const text = canonicalJson(body as unknown as Json)
  return { seq: body.seq!, body: text, hash: hashOf(text) }
}

/** The recorded text with its hash beside it. */
export const servedText = ({ body, hash }: StoredRow): string => `${body.slice(0, -1)},"hash":"${hash}"}`

/** Verifies every row; `stored` is in order of seq. */
export function checkRows(stored: readonly StoredRow[], head: StoredHead): CheckedRows {
  const rows: CheckedRows['rows'] = []
  const hashAt = (count: number): string | null => stored[count - 1]?.hash ?? null
  const brokenAt = (seq: number, why: string): CheckedRows => ({
    rows: rows.slice(0, seq - 1),
    integrity: { ok: false, rows: stored.length, head: hashAt(seq - 1), broken_at: seq, why },
  })
  for (const row of stored) {
    const read = readRow(row, { seq: rows.length + 1, prevHash: hashAt(rows.length) })
    if ('why' in read) return brokenAt(rows.length + 1, read.why)
    rows.push({ body: read.body, served: servedText(row) })
  }
  const count = rows.length
  const recorded = head.seq
  if (recorded > count) return brokenAt(count + 1, `row ${count + 1} is missing`)
  if (recorded < count) return brokenAt(recorded + 1, 'it was not recorded as the others were')
  if (head.hash !== hashAt(count)) return brokenAt(count, 'it is not the row that was recorded last')
  return { rows, integrity: { ok: true, rows: count, head: hashAt(count), broken_at: null, why: null } }
}

function readRow(
  { seq, body, hash }: StoredRow,
  expected: { seq: number; prevHash: string | null },
): { body: RowBody } | { why: string } {
  if (seq !== expected.seq) return { why: `row ${expected.seq} is missing` }
  if (hashOf(body) !== hash) return { why: 'its text does not have the hash it was recorded under' }
  let row: RowBody & Partial<Pick<ServedRow, 'hash'>>
  try {
    row = JSON.parse(body)
    if (canonicalJson(row as unknown as Json) !== body) return { why: 'its text is not in the one spelling' }
  } catch {
    return { why: 'its text is not JSON' }
  }
  if (row.seq !== seq) return { why: `its text says it is row ${row.seq}` }
  if (row.prev_hash !== expected.prevHash) return { why: 'it does not follow the row before it' }
  if (row.hash !== undefined) return { why: 'its text carries a hash' }
  return { body: row }
}
