import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { RowBody } from '../types.ts'
import { checkRows, type StoredRow, sealRow } from './rowChain.ts'

const bodyOf = (seq: number, prevHash: string | null, reason = 'agrees'): RowBody => ({
  kind: 'week',
  seq,
  status: 'booked',
  week: { start: 0, end: 604_800, label: '1970-W01', first_block: 1, last_block: seq * 10 },
  tokens: [],
  transfers: [],
  reconciliation: {
    status: 'accepted',
    accepted: reason,
    ledger: { late: 0, tokens: [] },
    eth: 'trace',
    counts: { agrees: 1, outside_ledger: 0, differences: 1 },
  },
  prev_hash: prevHash,
  recorded_at: 1_700_000_000 + seq,
})
function chainOf(count: number): StoredRow[] {
  const rows: StoredRow[] = []
  for (let seq = 1; seq <= count; seq++)
    rows.push(sealRow(bodyOf(seq, rows.at(-1)?.hash ?? null, `row ${seq}: Zürich 😀`)))
  return rows
}
const rows = chainOf(4)
const head = { seq: 4, hash: rows[3]!.hash }

describe('the chain of rows', () => {
  it('is SHA-256 over sorted keys, no spaces, ASCII, without the hash', () => {
    const { body, hash } = sealRow(bodyOf(1, null, 'é'))
    expect(body).toBe(
      '{"kind":"week","prev_hash":null,"reconciliation":{"accepted":"\\u00e9","counts":{"agrees":1,' +
        '"differences":1,' +
        '"outside_ledger":0},"eth":"trace","ledger":{"late":0,"tokens":[]},"status":"accepted"},' +
        '"recorded_at":1700000001,"seq":1,"status":"booked","tokens":[],"transfers":[],' +
        '"week":{"end":604800,"first_block":1,"label":"1970-W01","last_block":10,"start":0}}',
    )
    expect(hash).toBe(createHash('sha256').update(body).digest('hex'))
  })

  it('holds as it was recorded, and serves each row with its hash', () => {
    const checked = checkRows(rows, head)
    expect(checked.integrity).toEqual({ ok: true, rows: 4, head: head.hash, broken_at: null, why: null })
    for (const [i, { served }] of checked.rows.entries()) {
      const { hash, ...rest } = JSON.parse(served)
      expect(hash).toBe(rows[i]!.hash)
      expect(sealRow(rest as RowBody).hash).toBe(hash)
    }
    expect(checkRows([], { seq: 0, hash: null }).integrity).toMatchObject({ ok: true, rows: 0, head: null })
  })

  it('finds each single changed byte of any text or hash at its row, and serves none from there on', () => {
    let tried = 0
    for (const [i, row] of rows.entries()) {
      for (const field of ['body', 'hash'] as const) {
        for (let at = 0; at < row[field].length; at++) {
          for (const bit of [1, 2, 32]) {
            const text = row[field]
            const changed =
              text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ bit) + text.slice(at + 1)
            const { rows: good, integrity } = checkRows(
              rows.map((each, n) => (n === i ? { ...each, [field]: changed } : each)),
              head,
            )
            expect([integrity.ok, integrity.broken_at, good.length]).toEqual([false, i + 1, i])
            tried++
          }
        }
      }
    }
    expect(tried).toBeGreaterThan(4_000)
  })

  it('finds a row that was removed, inserted, renumbered, or forged with a matching hash', () => {
    const integrityOf = (stored: StoredRow[], at = head) => checkRows(stored, at).integrity
    expect(integrityOf([rows[0]!, rows[2]!, rows[3]!])).toMatchObject({
      broken_at: 2,
      why: 'row 2 is missing',
    })
    expect(integrityOf(rows.slice(0, 3))).toMatchObject({ broken_at: 4, why: 'row 4 is missing' })
    expect(integrityOf([])).toMatchObject({ broken_at: 1, rows: 0 })
    expect(integrityOf(rows.slice(1))).toMatchObject({ broken_at: 1 })
    expect(integrityOf([...rows, sealRow(bodyOf(5, head.hash))])).toMatchObject({ broken_at: 5 })
    expect(integrityOf(rows.map((row) => (row.seq === 3 ? { ...row, seq: 9 } : row)))).toMatchObject({
      broken_at: 3,
    })
    const forged = sealRow(bodyOf(2, rows[0]!.hash, 'forged'))
    expect(integrityOf(rows.map((row) => (row.seq === 2 ? forged : row)))).toMatchObject({ broken_at: 3 })
    const last = sealRow(bodyOf(4, rows[2]!.hash, 'forged'))
    expect(integrityOf([...rows.slice(0, 3), last])).toMatchObject({ broken_at: 4 })
    expect(integrityOf(rows, { seq: 4, hash: 'f'.repeat(64) })).toMatchObject({ broken_at: 4 })
  })

  it('refuses another spelling of the same row, even with its own hash', () => {
    const spaced = rows[0]!.body.replace(',', ', ')
    const hash = createHash('sha256').update(spaced).digest('hex')
    const { integrity } = checkRows([{ seq: 1, body: spaced, hash }], { seq: 1, hash })
    expect(integrity).toMatchObject({ broken_at: 1, why: 'its text is not in the one spelling' })
  })
})
