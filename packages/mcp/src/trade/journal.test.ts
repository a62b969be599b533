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
  it('forgets what ended long ago, and nothing that is open', () => {
    const first = open()
    first.write({ ...reserved('ended', 1), state: 'reverted', txHash: '0x01' })
    first.write(reserved('open', 1))
    const [soon, late] = [NOW + 89 * 86_400_000, NOW + 91 * 86_400_000]
    expect(open(soon).find('ended')).toBeDefined()
    expect([open(late).find('ended'), open(late).find('open')?.state]).toEqual([undefined, 'reserved'])
    expect(readdirSync(folder)).toHaveLength(1)
  })

  it('brings every state back as it was', () => {
    const fee = { token: '0x02', recipient: '0x09', pays: { atoms: 10n ** 20n } } as const
    const bound = { receiver: '0x01', tokenOut: '0x02', leastOut: 10n ** 30n, fee, deadlineS: 5 } as const
    const kept: Entry[] = [
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
    for (const entry of kept) first.write(entry)
    const again = open()
    for (const entry of kept) expect(again.find(entry.clientId)).toEqual(entry)
    expect(again.findHash('0x03')?.clientId).toBe('c')
    for (const name of readdirSync(folder)) {
      expect(name).toMatch(/^[0-9a-f]{64}\.json$/)
      expect(statSync(join(folder, name)).mode & 0o077).toBe(0)
    }
  })

  it('knows the entry before a write that was cut off', () => {
    open().write(reserved('a', 1))
    const [name] = readdirSync(folder)
    writeFileSync(join(folder, `${name}.draft`), '{"clientId":"a","mic')
    expect(open().find('a')).toEqual(reserved('a', 1))
  })

  it('is written by its only claimant, and read by anybody', () => {
    open().write(reserved('a', 1))
    const other = openJournal(folder, () => 4711)
    expect(other.find('a')?.state).toBe('reserved')
    expect(codeOf(() => other.claim())).toBe('ANOTHER_SERVER')
    expect(() => other.write(reserved('b', 1))).toThrow(TypeError)
  })

  it('sees what another wrote until it is claimed', () => {
    const reader = openJournal(folder, () => null)
    expect(reader.find('a')).toBeUndefined()
    open().write(reserved('a', 1))
    expect(reader.find('a')?.state).toBe('reserved')
  })
})

describe('the ceilings', () => {
  const HOUR_MS = 3_600_000
  it('hold to the micro-dollar', () => {
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

  it('count 24 hours, refused ones not, and a trade that is tried again once', () => {
    const journal = open()
    journal.write(reserved('old', 10, NOW - 24 * HOUR_MS))
    journal.write(reserved('new', 20, NOW - 24 * HOUR_MS + 1))
    // A clock set back frees nothing.
    journal.write(reserved('later', 5, NOW + HOUR_MS))
    journal.write({ ...reserved('no', 40), state: 'refused', code: 'MIN_OUT' })
    expect(spentMicroUsd(journal, NOW)).toBe(25_000_000n)
    expect(spentMicroUsd(journal, NOW, 'new')).toBe(5_000_000n)
  })

  it('are never passed by any order of trades, restarts and ends', () => {
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
          const asked = { clientId: `t${i}`, usd, nowMs: NOW }
          if (codeOf(() => checkCeilings(ceilingsOf(20, 60), journal, asked)) !== 'none') continue
          const microUsd = checkCeilings(ceilingsOf(20, 60), journal, asked)
          const kept = { ...reserved(asked.clientId, 1), microUsd }
          journal.write(kept)
          expect(spentMicroUsd(journal, NOW)).toBeLessThanOrEqual(60_000_000n)
          if (end === 'refused') journal.write({ ...kept, state: 'refused', code: 'X' })
          if (end === 'reverted') journal.write({ ...kept, state: 'reverted', txHash: '0x01' })
          const before = spentMicroUsd(journal, NOW)
          if (restart) journal = openOwn()
          expect(spentMicroUsd(journal, NOW)).toBe(before)
        }
      }),
      { numRuns: 20 },
    )
  })
})
