import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ceilingsOf, checkCeilings, spentMicroUsd } from './ceilings.ts'
import { type Entry, type Journal, openJournal } from './journal.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pit-journal-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const NOW = 1_800_000_000_000
const open = (nowMs = NOW): Journal => {
  const journal = openJournal(
    folder,
    () => null,
    () => nowMs,
  )
  journal.claim()
  return journal
}
const reserved = (clientId: string, usd: number, reservedAtMs = NOW): Entry => ({
  clientId,
  asked: { sell: 'ETH', buy: 'USDG', usd },
  microUsd: BigInt(usd * 1e6),
  reservedAtMs,
  state: 'reserved',
})
const codeOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    return (error as { code: string }).code
  }
  return 'none'
}

describe('the journal', () => {
  it('deletes trades that ended long ago, and never open ones', () => {
    const first = open()
    first.write({ ...reserved('ended', 1), state: 'reverted', txHash: '0x01' })
    first.write(reserved('open', 1))
    const [soon, late] = [NOW + 89 * 86_400_000, NOW + 91 * 86_400_000]
    expect(open(soon).find('ended')).toBeDefined()
    expect([open(late).find('ended'), open(late).find('open')?.state]).toEqual([undefined, 'reserved'])
    expect(readdirSync(folder)).toHaveLength(1)
  })

  it('restores every state unchanged', () => {
    const fee = { token: '0x02', recipient: '0x09', pays: { atoms: 10n ** 20n } } as const
    const bound = { receiver: '0x01', tokenOut: '0x02', leastOut: 10n ** 30n, fee, deadlineS: 5 } as const
    const entries: Entry[] = [
      reserved('a', 1),
      { ...reserved('b/../..', 2), state: 'refused', code: 'MIN_OUT' },
      {
        ...reserved('c', 3),
        state: 'signed',
        txHash: '0x03',
        signed: { ...bound, raws: ['0x04', '0x05'], hashes: ['0x06', '0x03'] },
      },
      { ...reserved('5n', 4), state: 'mined', txHash: '0x07', block: 9, tokenOut: '0x02', amountOut: 7n },
      { ...reserved('e', 5), state: 'mined', txHash: '0x08', block: 9, tokenOut: '0x02', amountOut: null },
      { ...reserved('f', 6), state: 'reverted', txHash: '0x09' },
    ]
    const first = open()
    for (const entry of entries) first.write(entry)
    const again = open()
    for (const entry of entries) expect(again.find(entry.clientId)).toEqual(entry)
    expect(again.findHash('0x03')?.clientId).toBe('c')
    for (const name of readdirSync(folder)) {
      expect(name).toMatch(/^[0-9a-f]{64}\.json$/)
      expect(statSync(join(folder, name)).mode & 0o077).toBe(0)
    }
  })

  it('restores the previous entry after an interrupted write', () => {
    open().write(reserved('a', 1))
    const [name] = readdirSync(folder)
    writeFileSync(join(folder, `${name}.draft`), '{"clientId":"a","mic')
    expect(open().find('a')).toEqual(reserved('a', 1))
  })

  it('can be written only by the process that claimed it, and read by others', () => {
    open().write(reserved('a', 1))
    const other = openJournal(folder, () => 4711)
    expect(other.find('a')?.state).toBe('reserved')
    expect(codeOf(() => other.claim())).toBe('ANOTHER_SERVER')
    expect(() => other.write(reserved('b', 1))).toThrow(TypeError)
  })

  it('reads entries of another process until it is claimed', () => {
    const reader = openJournal(folder, () => null)
    expect(reader.find('a')).toBeUndefined()
    open().write(reserved('a', 1))
    expect(reader.find('a')?.state).toBe('reserved')
  })
})

describe('the limits', () => {
  const HOUR_MS = 3_600_000
  it('are exact to the micro-dollar', () => {
    const journal = open()
    const at = (usd: number) =>
      codeOf(() => checkCeilings(ceilingsOf(20, 60), journal, { clientId: 'x', usd, nowMs: NOW }))
    expect(at(20)).toBe('none')
    expect(at(20.000001)).toBe('OVER_TRADE_CEILING')
    expect(at(20.0000001)).toBe('OVER_TRADE_CEILING')
    journal.write(reserved('a', 45))
    expect(at(15)).toBe('none')
    expect(at(15.000001)).toBe('OVER_DAY_CEILING')
  })

  it('count the last 24 hours, without refused trades and without the retried one', () => {
    const journal = open()
    journal.write(reserved('old', 10, NOW - 24 * HOUR_MS))
    journal.write(reserved('new', 20, NOW - 24 * HOUR_MS + 1))
    // Setting the clock back does not release anything.
    journal.write(reserved('later', 5, NOW + HOUR_MS))
    journal.write({ ...reserved('no', 40), state: 'refused', code: 'MIN_OUT' })
    expect(spentMicroUsd(journal, NOW)).toBe(25_000_000n)
    expect(spentMicroUsd(journal, NOW, 'new')).toBe(5_000_000n)
  })

  it('are never exceeded by any order of trades, restarts and results', () => {
    const step = fc.record({
      usd: fc.double({ min: 0.000001, max: 30, noNaN: true }),
      restart: fc.boolean(),
      end: fc.constantFrom('reserved', 'refused', 'reverted'),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const own = mkdtempSync(join(folder, 'run-'))
        const openOwn = () => {
          const journal = openJournal(own, () => null)
          journal.claim()
          return journal
        }
        let journal = openOwn()
        for (const [i, { usd, restart, end }] of steps.entries()) {
          const request = { clientId: `t${i}`, usd, nowMs: NOW }
          if (codeOf(() => checkCeilings(ceilingsOf(20, 60), journal, request)) !== 'none') continue
          const microUsd = checkCeilings(ceilingsOf(20, 60), journal, request)
          const entry = { ...reserved(request.clientId, 1), microUsd }
          journal.write(entry)
          expect(spentMicroUsd(journal, NOW)).toBeLessThanOrEqual(60_000_000n)
          if (end === 'refused') journal.write({ ...entry, state: 'refused', code: 'X' })
          if (end === 'reverted') journal.write({ ...entry, state: 'reverted', txHash: '0x01' })
          const before = spentMicroUsd(journal, NOW)
          if (restart) journal = openOwn()
          expect(spentMicroUsd(journal, NOW)).toBe(before)
        }
      }),
      { numRuns: 20 },
    )
  })
})
