import { expect, it } from 'vitest'
import { matches, NO_FILTER, sideOf, type TradeFilter, type TradeRow } from './tradeFilter.ts'

const USDG = '0xusdg'
const token = (symbol: string) => ({
  // A lying server calls every token USDG.
  token: 'USDG',
  address: `0x${symbol}`,
  symbol: 'USDG',
  name: null,
  decimals: 18,
})
const trade = (fields: Partial<TradeRow> = {}) =>
  ({
    id: 1,
    time: Date.parse('2026-03-02T12:00:00Z') / 1_000,
    status: 'mined',
    token_in: token('USDG'),
    token_out: token('ETH'),
    ...fields,
  }) as TradeRow

it('buys pay USDG, sells receive it', () => {
  expect(sideOf(trade(), USDG)).toBe('buy')
  expect(sideOf(trade({ token_in: token('ETH'), token_out: token('USDG') }), USDG)).toBe('sell')
  expect(sideOf(trade({ token_in: token('ETH'), token_out: token('cbBTC') }), USDG)).toBe('swap')
})

it.each<[Partial<TradeFilter>, boolean]>([
  [{}, true],
  [{ token: '0xETH' }, true],
  [{ token: '0xcbBTC' }, false],
  [{ side: 'sell' }, false],
  [{ status: 'reverted' }, false],
  [{ from: '2026-03-02', to: '2026-03-02' }, true],
  [{ from: '2026-03-03' }, false],
  [{ to: '2026-03-01' }, false],
  [{ by: 'wallet' }, true],
  [{ by: 's_1' }, false],
])('a filter of %j matches: %s', (filter, isMatch) => {
  expect(matches(trade(), { ...NO_FILTER, ...filter }, USDG)).toBe(isMatch)
})

it('a session’s trades match by its id', () => {
  expect(matches(trade({ session_id: 's_1' }), { ...NO_FILTER, by: 's_1' }, USDG)).toBe(true)
})
