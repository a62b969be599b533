import { describe, expect, it } from 'vitest'
import { findCopies, type SeenSwap } from './copies.ts'

let id = 0
const swap = (entryId: number, atS: number, pair = 'ETH USDG'): SeenSwap => {
  const [tokenIn, tokenOut] = pair.split(' ') as [string, string]
  return { entryId, atS, block: atS * 10, id: ++id, tokenIn, tokenOut }
}

describe('copy trading', () => {
  it('is following one entrant’s trades within the window, most of the time', () => {
    const swaps = Array.from({ length: 10 }, (_, i) => [swap(1, i * 1_000), swap(2, i * 1_000 + 60)]).flat()
    expect(findCopies(swaps)).toEqual(new Map([[2, { leaderId: 1, followed: 10 }]]))
  })
  it('is not trading later, another pair, the other way, or now and then', () => {
    const each = (other: (i: number) => SeenSwap) =>
      Array.from({ length: 10 }, (_, i) => [swap(1, i * 1_000), other(i)]).flat()
    expect(findCopies(each((i) => swap(2, i * 1_000 + 61)))).toEqual(new Map())
    expect(findCopies(each((i) => swap(2, i * 1_000 + 10, 'cbBTC USDG')))).toEqual(new Map())
    expect(findCopies(each((i) => swap(2, i * 1_000 + 10, 'USDG ETH')))).toEqual(new Map())
    expect(findCopies(each((i) => swap(2, i * 1_000 + (i < 7 ? 10 : 200))))).toEqual(new Map())
  })
  it('is not chance: who trades all the time is followed by everyone', () => {
    const busy = Array.from({ length: 1_000 }, (_, i) => swap(1, i * 30))
    const calm = Array.from({ length: 10 }, (_, i) => swap(2, i * 2_900 + 7))
    expect(findCopies([...busy, ...calm])).toEqual(new Map())
  })
  it('counts a leader once for each own trade, and who came first leads', () => {
    const swaps = Array.from({ length: 6 }, (_, i) => [
      swap(1, i * 1_000),
      swap(1, i * 1_000 + 5),
      swap(2, i * 1_000 + 9),
    ]).flat()
    expect(findCopies(swaps)).toEqual(new Map([[2, { leaderId: 1, followed: 6 }]]))
  })
})
