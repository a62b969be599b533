import { type Answer, canonicalJson, type Json } from '@pit/protocol'
import { sha256, stringToHex } from 'viem'

type Treasury = Answer<'treasury'>
type Row = Treasury['weeks'][number]

export interface CheckedRow {
  seq: number
  label: string
  hash: string
  ok: boolean
  why: string | null
}
export interface ChainResult {
  ok: boolean
  rows: readonly CheckedRow[]
  head: string | null
  why: string | null
}

/**
 * Verifies the record's hash chain locally: each row's hash, previous hash and number, the head reported by the
 * server, and the head this browser saw last time.
 */
export function verifyChain(treasury: Treasury, seenBefore: string | null): ChainResult {
  const recorded = treasury.weeks
    .filter((row): row is Row & { seq: number; hash: string } => row.seq !== null && row.hash !== null)
    .sort((a, b) => a.seq - b.seq)
  let before: string | null = null
  const rows = recorded.map((row, i): CheckedRow => {
    const why = faultOf(row, i + 1, before)
    before = row.hash
    return { seq: row.seq, label: row.week.label, hash: row.hash, ok: why === null, why }
  })
  const why = chainFault(treasury, rows, before, seenBefore)
  return { ok: why === null, rows, head: before, why }
}

function faultOf(row: Row, seq: number, before: string | null): string | null {
  const { hash, ...body } = row
  if (row.seq !== seq) return `row ${seq} is missing`
  if (row.prev_hash !== before) return 'its previous hash does not match the row before it'
  const own = sha256(stringToHex(canonicalJson(body as unknown as Json))).slice(2)
  return own === hash ? null : 'its content does not match its hash'
}

function chainFault(
  { integrity }: Treasury,
  rows: readonly CheckedRow[],
  head: string | null,
  seenBefore: string | null,
): string | null {
  const broken = rows.find(({ ok }) => !ok)
  if (broken) return `Row ${broken.seq} is broken: ${broken.why}.`
  if (!integrity.ok) return `The server reports that row ${integrity.broken_at} is broken: ${integrity.why}.`
  if (integrity.head !== head || integrity.rows !== rows.length)
    return 'The newest row is not the head reported by the server.'
  const isKnown = seenBefore === null || rows.some(({ hash }) => hash === seenBefore)
  return isKnown ? null : 'A row that this browser saw before is missing: the record was rewritten.'
}
