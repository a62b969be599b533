import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rank } from './measure.ts'
import { risk } from './test/fakeWorld.ts'
import type { UnpricedRoute } from './unpriced.ts'

const route = (id: string, amountOut: bigint, over: Partial<UnpricedRoute> = {}): UnpricedRoute => ({
  id,
  venue: 'venue_pool',
  label: id,
  way: { kind: 'pools', legs: [] },
  quotedBy: 'memory',
  amountOut,
  gas: 100_000,
  impactBps: 0,
  risks: [],
  ...over,
})
const vendor = { way: null, venue: 'aggregator_1', quotedBy: 'vendor' } as const
const hooked = { risks: [risk('UNKNOWN_HOOK', 'severe')] }
const ids = (routes: UnpricedRoute[], cost?: Parameters<typeof rank>[1]) =>
  rank(routes, cost).map(({ id }) => id)

describe('routes', () => {
  it('are ordered by output, net of gas if gas has a price', () => {
    const routes = [route('a', 1_000n, { gas: 300_000 }), route('b', 999n), route('c', 998n)]
    expect(ids(routes)).toEqual(['a', 'b', 'c'])
    expect(ids(routes, { gasPriceWei: 10n ** 13n, outAtomsPerEth: 10n })).toEqual(['b', 'c', 'a'])
  })

  it('that can be built precede an aggregator of the same output, whatever its gas', () => {
    expect(ids([route('x', 100n, { ...vendor, gas: 1 }), route('a', 100n)])).toEqual(['a', 'x'])
    expect(ids([route('x', 101n, vendor), route('a', 100n)])).toEqual(['x', 'a'])
  })

  it('with an unreviewed hook rank behind those that yield nearly as much', () => {
    expect(ids([route('h', 1_000n, hooked), route('a', 971n), route('b', 970n)])).toEqual(['a', 'b', 'h'])
    expect(ids([route('h', 1_000n, hooked), route('a', 969n)])).toEqual(['h', 'a'])
    expect(ids([route('h', 1_000n, hooked), route('g', 990n, hooked)])).toEqual(['h', 'g'])
  })

  it('that cost more gas than they yield still have an order', () => {
    const cost = { gasPriceWei: 10n ** 15n, outAtomsPerEth: 1_000n }
    expect(ids([route('h', 5n, hooked), route('a', 4n), route('b', 3n)], cost)).toEqual(['a', 'b', 'h'])
  })

  it('are all present once, with clean ones in order', () => {
    const any = fc.record({ out: fc.bigInt({ min: 1n, max: 2_000n }), kind: fc.nat(2) })
    fc.assert(
      fc.property(fc.array(any, { maxLength: 30 }), (drafts) => {
        const routes = drafts.map(({ out, kind }, i) => route(`${i}`, out, [{}, hooked, vendor][kind]))
        const ranked = rank(routes, undefined)
        expect(new Set(ranked)).toEqual(new Set(routes))
        for (const like of [
          (one: UnpricedRoute) => one.risks.length === 0,
          (one: UnpricedRoute) => one.risks.length > 0,
        ]) {
          const outs = ranked.filter(like).map(({ amountOut }) => amountOut)
          expect(outs).toEqual([...outs].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0)))
        }
      }),
    )
  })
})
