import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { PayoutRow } from '../reserve/store.ts'
import { countLedger, type LedgerRow, ledgerTexts } from '../rules/index.ts'
import { composePayouts } from './prizePayouts.ts'

const E18 = 10n ** 18n
const token = { token: `0x${'e3'.repeat(20)}`, symbol: 'PARTNER', decimals: 18 }

/** The league's record as it grows: seasons are decided, settled in order, and paid place by place. */
function openRecord() {
  const ledgers: LedgerRow[] = []
  const payouts: PayoutRow[] = []
  return {
    shown: () =>
      composePayouts({
        ledgers: ledgers.filter(({ status }) => status === 'settled').reverse(),
        seasons: ledgers.map(({ season: number }) => ({
          number,
          starts_at_s: number,
          ends_at_s: number + 1,
        })),
        payouts: payouts.filter(({ season }) => ledgers[season - 1]!.status === 'settled'),
        withdrawals: [],
        token,
      }),
    close({ gain, price, placesWon }: { gain: bigint; price: bigint; placesWon: number }) {
      const season = ledgers.length + 1
      const reserveBefore = BigInt(ledgers.at(-1)?.reserve_after ?? 0)
      const ledger = countLedger({ reserveBefore, gain, partnerPriceE18: price, placesWon })
      const mark = {
        partner_price_e18: String(price),
        mark_at_s: 0,
        mark_source: 'marks',
        mark_diverges: false,
      }
      ledgers.push({ season, status: 'provisional', why: null, ...ledgerTexts(ledger), ...mark } as LedgerRow)
      for (const [i, amount] of ledger.paid.entries()) {
        const named = { entry_id: i, agent_id: String(i), recipient: `0x${'aa'.repeat(20)}` }
        const open = { status: 'planned', tx_hash: null, sender: null, problem: null } as const
        payouts.push({ season, place: i + 1, ...named, amount: String(amount), ...open })
      }
    },
    settle() {
      const next = ledgers.find(({ status }) => status === 'provisional')
      if (next) next.status = 'settled'
    },
    pay(n: number) {
      const open = payouts.filter(
        ({ season, status }) => status === 'planned' && ledgers[season - 1]!.status === 'settled',
      )
      const one = open[n % Math.max(open.length, 1)]
      if (one) Object.assign(one, { status: 'mined', tx_hash: `0x${'ab'.repeat(32)}`, sender: '0x1' })
    },
  }
}

const step = fc.oneof(
  fc.record({
    do: fc.constant('close' as const),
    gain: fc.bigInt(-(10n ** 22n), 10n ** 24n),
    price: fc.bigInt(E18 / 1_000n, 10n * E18),
    placesWon: fc.nat(3),
  }),
  fc.record({ do: fc.constant('settle' as const) }),
  fc.record({ do: fc.constant('pay' as const), n: fc.nat(9) }),
)

it('adds up after every close, settlement and payout, in every row and from row to row', () => {
  let rowsSeen = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
      const record = openRecord()
      for (const one of steps) {
        if (one.do === 'close') record.close(one)
        else if (one.do === 'settle') record.settle()
        else record.pay(one.n)
        const rows = record.shown().reverse()
        rowsSeen += rows.length
        let left = 0n
        for (const { stake, reserve, recipients } of rows) {
          const { before, added, paid, after } = reserve
          expect(stake.to_reserve).toBe(added)
          expect(BigInt(before)).toBe(left)
          expect(BigInt(paid)).toBe(recipients.reduce((sum, { amount }) => sum + BigInt(amount), 0n))
          expect(BigInt(after)).toBe(BigInt(before) + BigInt(added) - BigInt(paid))
          expect(BigInt(after)).toBeGreaterThanOrEqual(0n)
          left = BigInt(after)
        }
      }
    }),
    { numRuns: 300 },
  )
  expect(rowsSeen).toBeGreaterThan(100)
})

it('shows no season before the first prize is paid, and then every settled one', () => {
  const record = openRecord()
  for (const placesWon of [0, 3]) {
    record.close({ gain: 1_000n * E18, price: E18, placesWon })
    record.settle()
  }
  expect(record.shown()).toEqual([])
  record.pay(0)
  const [second, first] = record.shown()
  expect(first).toMatchObject({ season: { id: 1 }, recipients: [], reserve: { paid: '0' }, note: null })
  expect(second).toMatchObject({ season: { id: 2 }, note: '2 more are planned' })
})
