import type { Address } from '@pit/chain'
import { TREASURY_BUCKETS, TREASURY_SPLIT_BPS } from '@pit/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RowBody, WeekMark } from '../types.ts'
import { addRow, type Books, type TokenBooks } from './books.ts'
import { composeTransfer, type Sent } from './composeTransfer.ts'
import { composeWeek } from './composeWeek.ts'
import { reconcile } from './reconcile.ts'
import { WEEK_S } from './weeks.ts'

const WEEKS = 52
const TOKENS = Array.from({ length: 6 }, (_, i) => `0x${String(i).repeat(40)}` as Address)
const DECIMALS = [18, 6, 8, 18, 0, 18]

interface Came {
  token: number
  kind: 'fee' | 'stranger' | 'short'
  atoms: bigint
}
interface Week {
  came: Came[]
  /** Dollars for a whole token, times 10^18; null: no mark that week. */
  prices: (bigint | null)[]
  /** Transfers to a bucket, as a share of what it is owed: recorded with the week or by a row after it. */
  sent: { token: number; bucket: number; percent: number; withWeek: boolean }[]
}

const atoms = fc.oneof(fc.bigInt(1n, 100n), fc.bigInt(1n, 10n ** 24n))
const week: fc.Arbitrary<Week> = fc.record({
  came: fc.array(
    fc.record({ token: fc.nat(5), kind: fc.constantFrom('fee', 'fee', 'stranger', 'short'), atoms }),
    { maxLength: 8 },
  ),
  prices: fc.array(fc.option(fc.oneof(fc.bigInt(1n, 10n ** 6n), fc.bigInt(1n, 10n ** 23n)), { freq: 3 }), {
    minLength: 6,
    maxLength: 6,
  }),
  sent: fc
    .array(fc.record({ token: fc.nat(5), bucket: fc.nat(2), percent: fc.nat(130), withWeek: fc.boolean() }), {
      maxLength: 4,
    })
    .map((sent) => sent.sort((a, b) => Number(b.withWeek) - Number(a.withWeek))),
})

const textOf = (token: Address) => {
  const i = TOKENS.indexOf(token)
  return { token, symbol: `T${i}`, decimals: DECIMALS[i]! }
}

/** The rows of a year, as the job would record them. */
function runYear(weeks: readonly Week[]): RowBody[] {
  const rows: RowBody[] = []
  const books: Books = new Map()
  const record = (parts: Omit<RowBody, 'seq' | 'status' | 'prev_hash' | 'recorded_at'>) => {
    rows.push({ ...parts, seq: rows.length + 1, status: 'booked', prev_hash: null, recorded_at: 0 })
    addRow(books, parts)
  }
  for (const [n, { came, prices, sent }] of weeks.entries()) {
    const reconciled = reconcile({
      matches: came.map(({ token, kind, atoms: amount }) => ({
        token: TOKENS[token]!,
        ledger: kind === 'stranger' ? 0n : amount,
        trades: kind === 'stranger' ? 0 : 1,
        arrived: kind === 'short' ? amount / 2n : amount,
        transfers: 1,
      })),
      eth: 'trace',
      late: 0,
    })
    const startS = n * WEEK_S
    const compose = (withIt: readonly Sent[]) =>
      composeWeek({
        interval: { startS, endS: startS + WEEK_S, label: `W${n}`, firstBlock: n, lastBlock: n },
        books,
        reconciled,
        accepted: 'a test',
        sent: withIt,
        textOf,
        markOf: (token): WeekMark | null => {
          const priceE18 = prices[TOKENS.indexOf(token)] ?? null
          return priceE18 === null ? null : { priceE18, source: 'fixed', minuteS: startS, stale: false }
        },
      })
    const owedBy = ({ token, bucket }: Week['sent'][number], parts: Pick<RowBody, 'tokens'>) => {
      const line = parts.tokens.find((one) => one.token === TOKENS[token])
      const name = TREASURY_BUCKETS[bucket]!
      return line ? BigInt(line.owed_out[name]) : (books.get(TOKENS[token]!)?.owed[name] ?? 0n)
    }
    const sentOf = (one: Week['sent'][number], owed: bigint): Sent[] => {
      const atoms = (owed * BigInt(one.percent)) / 100n
      const [bucket, tokens] = [TREASURY_BUCKETS[one.bucket]!, [{ token: TOKENS[one.token]!, atoms }]]
      return atoms > 0n ? [{ bucket, to: TOKENS[0]!, txHash: '0x', block: n, tokens }] : []
    }
    let withIt: Sent[] = []
    for (const one of sent.filter(({ withWeek }) => withWeek))
      withIt = [...withIt, ...sentOf(one, owedBy(one, compose(withIt)))]
    record(compose(withIt))
    for (const one of sent.filter(({ withWeek }) => !withWeek)) {
      const week = rows.at(-1)!.week
      for (const later of sentOf(one, owedBy(one, { tokens: [] })))
        record(composeTransfer({ sent: later, week, books, textOf }))
    }
  }
  return rows
}

/** The same year by other arithmetic: one token at a time, from what came in alone. */
function recompute(weeks: readonly Week[], token: number) {
  let [pending, inAll] = [0n, 0n]
  const booked = { operations: 0n, buybacks: 0n, treasury: 0n }
  const moved = { operations: 0n, buybacks: 0n, treasury: 0n }
  for (const { came, prices, sent } of weeks) {
    for (const one of came.filter((each) => each.token === token)) {
      const arrived = one.kind === 'short' ? one.atoms / 2n : one.atoms
      pending += arrived
      inAll += arrived
    }
    const price = prices[token] ?? null
    const cents = price === null ? null : (pending * price) / 10n ** BigInt(DECIMALS[token]! + 16)
    if (cents !== null && cents >= 1n) {
      let distributed = 0n
      for (const bucket of TREASURY_BUCKETS) {
        const share = (pending * BigInt(TREASURY_SPLIT_BPS[bucket])) / 10_000n
        booked[bucket] += share
        distributed += share
      }
      pending -= distributed
    }
    for (const one of sent.filter((each) => each.token === token)) {
      const bucket = TREASURY_BUCKETS[one.bucket]!
      const owed = booked[bucket] - moved[bucket]
      if (owed > 0n) moved[bucket] += (owed * BigInt(one.percent)) / 100n
    }
  }
  return { pending, inAll, booked, moved }
}

/** Whether a line follows from the books before it by the record's own laws. */
function faultIn(line: RowBody['tokens'][number], before: TokenBooks | undefined): string | null {
  const pool = BigInt(line.received) + BigInt(line.outside) + BigInt(line.carried_in)
  const shares = TREASURY_BUCKETS.reduce((sum, bucket) => sum + BigInt(line.booked[bucket]), 0n)
  if (BigInt(line.carried_in) !== (before?.carried ?? 0n)) return 'carried in'
  if (BigInt(line.pool) !== pool) return 'pool'
  if (shares + BigInt(line.carried_out) !== pool) return 'shares'
  if ((line.value_usd === null) !== (line.mark === null)) return 'value'
  for (const bucket of TREASURY_BUCKETS) {
    const [owedIn, owedOut] = [BigInt(line.owed_in[bucket]), BigInt(line.owed_out[bucket])]
    if (owedIn !== (before?.owed[bucket] ?? 0n)) return `owed in, ${bucket}`
    if (owedOut !== owedIn + BigInt(line.booked[bucket]) - BigInt(line.moved[bucket]))
      return `owed, ${bucket}`
  }
  return null
}

describe('a year of weeks', () => {
  it('loses no atom of any token, and comes out as recomputed', () => {
    fc.assert(
      fc.property(fc.array(week, { minLength: WEEKS, maxLength: WEEKS }), (weeks) => {
        const rows = runYear(weeks)
        const books: Books = new Map()
        for (const row of rows) {
          for (const line of row.tokens) expect(faultIn(line, books.get(line.token as Address))).toBeNull()
          addRow(books, row)
        }
        for (const [i, token] of TOKENS.entries()) {
          const own = books.get(token)
          const again = recompute(weeks, i)
          expect(own?.carried ?? 0n).toBe(again.pending)
          expect((own?.received ?? 0n) + (own?.outside ?? 0n)).toBe(again.inAll)
          for (const bucket of TREASURY_BUCKETS) {
            expect(own?.booked[bucket] ?? 0n).toBe(again.booked[bucket])
            expect(own?.moved[bucket] ?? 0n).toBe(again.moved[bucket])
            expect(own?.owed[bucket] ?? 0n).toBe(again.booked[bucket] - again.moved[bucket])
          }
          const shares = TREASURY_BUCKETS.reduce((sum, bucket) => sum + again.booked[bucket], 0n)
          expect(shares + again.pending).toBe(again.inAll)
        }
      }),
      { numRuns: 30 },
    )
  }, 120_000)
})
