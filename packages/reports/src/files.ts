import Papa from 'papaparse'
import { hashOf } from './rows.ts'
import { type Hex, REPORT_COLUMNS, REPORT_FORMAT, type Report, type ReportRow } from './types.ts'

/** Row that ends the CSV file; it is not part of what is hashed. */
const HASH_ROW = 'hash'

/** CSV after RFC 4180, with the hash in its last row. */
export const csvOf = ({ rows, hash }: Pick<Report, 'rows' | 'hash'>): string =>
  `${Papa.unparse({
    fields: [...REPORT_COLUMNS],
    data: [...rows, { row: HASH_ROW, note: hash }],
  })}\r\n`

/** JSON with the same rows and the same hash. */
export const reportFileText = ({ rows, hash }: Pick<Report, 'rows' | 'hash'>): string =>
  `${JSON.stringify({ format: REPORT_FORMAT, hash, rows }, null, 1)}\n`

export interface ReportFile {
  rows: ReportRow[]
  hash: Hex | null
  /** The hash of these rows, computed again. */
  computed: Hex
}

/** Reads a CSV or JSON file; null if it is neither. */
export function readReportFile(text: string): ReportFile | null {
  const file = text.trimStart().startsWith('{') ? readJson(text) : readCsv(text)
  return file && { ...file, computed: hashOf(file.rows) }
}

function readJson(text: string): Omit<ReportFile, 'computed'> | null {
  try {
    const { hash, rows } = JSON.parse(text) as { hash?: unknown; rows?: unknown }
    return Array.isArray(rows) && rows.every(isRow) ? { rows, hash: asHash(hash) } : null
  } catch {
    return null
  }
}

function readCsv(text: string): Omit<ReportFile, 'computed'> | null {
  const { data, errors } = Papa.parse<ReportRow>(text, { header: true, skipEmptyLines: true })
  if (errors.length > 0 || !data.every(isRow)) return null
  const last = data.at(-1)
  return last?.row === HASH_ROW ? { rows: data.slice(0, -1), hash: asHash(last.note) } : null
}

const isRow = (row: unknown): row is ReportRow =>
  typeof row === 'object' &&
  row !== null &&
  Object.keys(row).length === REPORT_COLUMNS.length &&
  REPORT_COLUMNS.every((name) => typeof (row as Record<string, unknown>)[name] === 'string')

const asHash = (value: unknown): Hex | null =>
  typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value) ? (value as Hex) : null
