import { randomUUID } from 'node:crypto'
import type { BodyInput } from '@pit/protocol'
import type { Trader } from './openTrader.ts'

const AGENT = {
  mode: 'paper',
  interval_s: 60,
  limits: { max_trade_usd: 1_000, max_day_usd: 20_000, max_position_usd: 8_000 },
} as const

/** Four agents with different brains, each with its own paper book. */
export const DEMO_AGENTS = [
  { ...AGENT, name: 'Steady buyer', brain: 'dca', params: { usd: 25 }, pairs: ['ETH/USDG'] },
  {
    ...AGENT,
    name: 'Trend follower',
    brain: 'momentum',
    params: { lookback_s: 300, threshold_bps: 30, exit_bps: 30, usd: 800, cooldown_s: 300 },
    pairs: ['ETH/USDG', 'cbBTC/USDG'],
  },
  {
    ...AGENT,
    name: 'Grid keeper',
    brain: 'grid',
    params: { range_bps: 800, levels: 16, usd: 400, start: 'filled' },
    pairs: ['ETH/USDG'],
  },
  {
    ...AGENT,
    name: 'Balanced book',
    brain: 'rebalance',
    params: { weights: { ETH: 40, cbBTC: 30 }, drift_bps: 100 },
    pairs: ['ETH/USDG', 'cbBTC/USDG'],
  },
] as const satisfies readonly BodyInput<'hosted.create'>[]

/** Creates the demo agents that the wallet does not have. */
export async function ensureAgents({ client }: Trader): Promise<void> {
  const { agents } = await client.api['hosted.list']()
  for (const body of DEMO_AGENTS) {
    if (agents.some(({ name, status }) => name === body.name && status !== 'stopped')) continue
    await client.hosted.create({ ...body, client_id: randomUUID() } as never)
  }
}
