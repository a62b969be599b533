import { randomUUID } from 'node:crypto'
import type { Answer, BodyInput } from '@pit/protocol'
import type { Trader } from './openTrader.ts'

type Hosted = Answer<'hosted.list'>['agents'][number]

const AGENT = {
  mode: 'paper',
  /** The practice board's minimum. */
  interval_s: 300,
  limits: { max_trade_usd: 1_000, max_day_usd: 20_000, max_position_usd: 8_000 },
} as const

/** Four agents with different brains, on the pairs and at the interval that the practice board allows. */
export const DEMO_AGENTS = [
  { ...AGENT, name: 'Steady buyer', brain: 'dca', params: { usd: 150 }, pairs: ['ETH/USDG'] },
  {
    ...AGENT,
    name: 'Trend follower',
    brain: 'momentum',
    params: { lookback_s: 300, threshold_bps: 20, exit_bps: 20, usd: 800, cooldown_s: 300 },
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

/**
 * The wallet's demo agents; missing ones are created, paused, so that an entrant's first decision already
 * trades its book of the season.
 */
export async function ensureAgents({ client }: Trader): Promise<Hosted[]> {
  const { agents } = await client.api['hosted.list']()
  for (const body of DEMO_AGENTS) {
    if (agents.some(({ name, status }) => name === body.name && status !== 'stopped')) continue
    const { id } = await client.hosted.create({ ...body, client_id: randomUUID() } as never)
    await client.api['hosted.pause']({ params: { id } })
  }
  const names = new Set<string | null>(DEMO_AGENTS.map(({ name }) => name))
  const now = await client.api['hosted.list']()
  return now.agents.filter(({ name, status }) => names.has(name) && status !== 'stopped')
}

/**
 * Starts the agents that were paused when they were new, some after their first decision. One that a visitor
 * paused later stays paused.
 */
export async function startNewAgents({ client }: Trader, agents: readonly Hosted[]): Promise<void> {
  for (const { id, status, watch } of agents)
    if (status === 'paused' && (watch?.ticks ?? 0) <= 1) await client.api['hosted.resume']({ params: { id } })
}
