import { createHash } from 'node:crypto'
import { type Answer, canonicalJson } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { verifyChain } from './treasury.ts'

type Treasury = Answer<'treasury'>
type Row = Treasury['weeks'][number]

/** Three rows, hashed as the server hashes them. */
function record(): Treasury {
  const weeks: Row[] = []
  for (const seq of [1, 2, 3]) {
    const body = { seq, week: { label: `W${seq} é` }, tokens: [], prev_hash: weeks[0]?.hash ?? null }
    const hash = createHash('sha256')
      .update(canonicalJson(body as never))
      .digest('hex')
    weeks.unshift({ ...body, hash } as unknown as Row)
  }
  const integrity = { ok: true, rows: 3, head: weeks[0]!.hash, broken_at: null, why: null }
  return { weeks, integrity } as unknown as Treasury
}

describe('the hash chain', () => {
  it('holds, with a preview beside it and the head of an earlier visit in it', () => {
    const treasury = record()
    treasury.weeks.unshift({ seq: null, hash: null, week: { label: 'W4' } } as unknown as Row)
    const result = verifyChain(treasury, treasury.weeks[2]!.hash)
    expect(result).toMatchObject({ ok: true, why: null, head: treasury.integrity.head })
    expect(result.rows.map(({ seq, ok }) => [seq, ok])).toEqual([
      [1, true],
      [2, true],
      [3, true],
    ])
  })

  it.each<[string, (treasury: Treasury) => void, RegExp]>([
    [
      'a changed text',
      ({ weeks }) => void Object.assign(weeks[1]!.week, { label: 'W9' }),
      /Row 2 is broken: its content/,
    ],
    ['a missing row', ({ weeks }) => void weeks.splice(1, 1), /Row 3 is broken: row 2 is missing/],
    [
      'a row that follows another',
      ({ weeks }) => void Object.assign(weeks[0]!, { prev_hash: 'ab' }),
      /Row 3 is broken: its previous hash/,
    ],
    ['newest rows left out', ({ weeks }) => void weeks.shift(), /not the head reported/],
    [
      'another head',
      ({ integrity }) => void Object.assign(integrity, { head: 'ab' }),
      /not the head reported/,
    ],
    [
      'a break reported by the server',
      ({ integrity }) => void Object.assign(integrity, { ok: false, broken_at: 4, why: 'row 4 is missing' }),
      /The server reports that row 4/,
    ],
  ])('is broken by %s', (_, tamper, why) => {
    const treasury = record()
    tamper(treasury)
    expect(verifyChain(treasury, null)).toMatchObject({ ok: false, why: expect.stringMatching(why) })
  })

  it('is broken if a row seen before is missing', () => {
    expect(verifyChain(record(), 'seen before').why).toMatch(/rewritten/)
  })
})
