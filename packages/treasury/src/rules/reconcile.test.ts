import { NATIVE_TOKEN } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { type Match, reconcile } from './reconcile.ts'

const match = (own: Partial<Match>): Match => ({
  token: NATIVE_TOKEN,
  ledger: 0n,
  trades: 0,
  arrived: 0n,
  transfers: 1,
  ...own,
})
const of = (...matches: Match[]) => reconcile({ matches, eth: 'trace', late: 0 })

describe('the ledger and the chain', () => {
  it('agree if the booked amounts arrived', () => {
    const { tokens, counts } = of(match({ ledger: 7n, trades: 3, arrived: 7n }))
    expect(tokens).toMatchObject([{ ledger: 7n, received: 7n, trades: 3, outside: 0n, outsideTrades: 0 }])
    expect(counts).toEqual({ agrees: 3, outside_ledger: 0, differences: 0 })
  })

  it('count unbooked transfers as outside, one by one', () => {
    const { tokens, counts } = of(
      match({ arrived: 9n, transfers: 4 }),
      match({ ledger: 5n, trades: 1, arrived: 6n }),
    )
    expect(tokens).toMatchObject([{ received: 5n, outside: 10n, outsideTrades: 5 }])
    expect(counts).toEqual({ agrees: 1, outside_ledger: 5, differences: 0 })
  })

  it('differ if less arrived, and the missing part is not received', () => {
    const { tokens, counts } = of(
      match({ ledger: 5n, trades: 1, arrived: 3n }),
      match({ ledger: 10n, trades: 4, arrived: 9n }),
      match({ arrived: 3n }),
    )
    // Outside money does not replace a missing fee.
    expect(tokens).toMatchObject([{ ledger: 15n, received: 12n, trades: 5, outside: 3n }])
    expect(counts).toEqual({ agrees: 3, outside_ledger: 1, differences: 2 })
  })

  it('use the ledger if the chain could not be read', () => {
    const { tokens, counts } = of(match({ ledger: 5n, trades: 2, arrived: null }))
    expect(tokens).toMatchObject([{ received: 5n, outside: 0n }])
    expect(counts).toEqual({ agrees: 2, outside_ledger: 0, differences: 0 })
  })
})
