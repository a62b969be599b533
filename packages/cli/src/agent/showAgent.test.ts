import { expect, it } from 'vitest'
import { agentRows, sayHolds } from './showAgent.ts'

const ETH = `0x${'0'.repeat(40)}`
const USDG = `0x${'a'.repeat(40)}`
const PINS = {
  client: {
    pins: {
      tokens: new Map([
        [ETH, { symbol: 'ETH', decimals: 18 }],
        [USDG, { symbol: 'USDG', decimals: 6 }],
      ]),
    },
  },
} as unknown as Parameters<typeof agentRows>[1]
const HOLD = { code: 'POSITION_LIMIT', message: 'It holds $120 of ETH, over its limit of $100.' }
const agent = (more: object) =>
  ({
    id: 'agt_1',
    name: null,
    brain: 'grid',
    params: { levels: 8, start: 'filled' },
    interval_s: 300,
    pairs: ['ETH/USDG'],
    limits: { max_trade_usd: 25, max_day_usd: 100, max_position_usd: 100 },
    mode: 'paper',
    status: 'active',
    pause_reason: null,
    executor: null,
    session_id: null,
    live_stats: null,
    tokens: [
      { address: ETH, symbol: 'ETH', decimals: 18 },
      // Another scale than the pins': it must not count.
      { address: USDG, symbol: 'USDG', decimals: 8 },
    ],
    watch: { holds: [HOLD] },
    ...more,
  }) as unknown as Parameters<typeof agentRows>[0]

const PAPER = {
  basis: 'paper_book',
  start_usd: 1_000,
  equity_usd: 990,
  profit_usd: -10,
  return_pct: -1,
  positions: [
    { token: ETH, symbol: 'ETH', amount_atoms: '50000000000000000', value_usd: 125 },
    { token: USDG, symbol: 'USDG', amount_atoms: '865000000', value_usd: null },
  ],
}

it('shows interval, params, book, profit and what blocks a paper agent', () => {
  const rows = agentRows(agent({ pnl: PAPER }), PINS)
  for (const row of [
    ['params', 'levels=8 start=filled'],
    ['interval', 'every 300 s'],
    ['max position', '$100 of one asset'],
    ['equity', '$990 from $1,000'],
    ['profit', '-$10'],
    ['return', '-1 %'],
    ['book', '0.05 ETH ($125)'],
    ['', '865 USDG (no price)'],
    ['blocked by', `POSITION_LIMIT: “${HOLD.message}”`],
  ])
    expect(rows).toContainEqual(row)
})

it('shows what a live agent has made of its trades', () => {
  const flows = [{ token: USDG, amount_atoms: '-2500000' }]
  const rows = agentRows(
    agent({
      mode: 'live',
      pnl: { basis: 'mined_trades', profit_usd: 1.5, equity_usd: null, flows },
      live_stats: { mined: 2, pending: 0, reverted: 1, volume_usd: 50 },
      watch: { holds: [] },
    }),
    PINS,
  )
  for (const row of [
    ['profit', '$1.5'],
    ['trades', '2 mined, 0 pending, 1 reverted'],
    ['book since start', '-2.5 USDG'],
    ['blocked by', null],
  ])
    expect(rows).toContainEqual(row)
})

it('warns about holds before an agent goes live', () => {
  const said: string[] = []
  sayHolds({ terminal: { say: (text: string) => void said.push(text) } as never }, agent({ pnl: null }))
  expect(said).toEqual([`The agent would not trade now. POSITION_LIMIT: “${HOLD.message}”`])
})
