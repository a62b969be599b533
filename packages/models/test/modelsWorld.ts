import type { Address } from '@pit/chain'
import type { Db } from '@pit/platform/db'
import type { GatewayProfile } from '@pit/protocol'
import type { PoolTerms } from '../src/money/rules.ts'

export const NOW_MS = 1_800_000_000_000
export const NOW_S = NOW_MS / 1_000

export const wallet = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`

export const TERMS: PoolTerms = {
  on: true,
  dayMicroUsd: 50_000_000n,
  livePct: 0,
  liveShareMicroUsd: 2_000_000n,
  trialShareMicroUsd: 250_000n,
  trialDays: 7,
  trialsOpen: true,
  trialsPerDay: 1_000,
  trialsPerNetwork: 1_000,
  liveMinMicroUsd: 100_000_000n,
  modelMaxOutputUsd: 1,
  ownDayMicroUsd: 25_000_000n,
}

/** Test gateway; its models differ in where they report the cost. */
export const gatewayAt = (url: string): GatewayProfile => ({
  url,
  cost: { usage: true, header: 'x-litellm-response-cost' },
  priced_per: 'million_tokens',
  models: {},
})

export interface AgentSketch {
  id: string
  wallet: Address
  brain?: string
  params?: Record<string, unknown>
  intervalS?: number
  mode?: 'paper' | 'live'
  live?: boolean
  pairs?: string[]
  webhookSecret?: Uint8Array | null
  madeFrom?: string | null
}

/** Inserts an agent as the agents' package would. */
export async function insertAgent(db: Db, sketch: AgentSketch): Promise<void> {
  const pairs = sketch.pairs ?? ['ETH/USDG', 'cbBTC/USDG']
  const tokens = [...new Set(pairs.flatMap((pair) => pair.split('/')))].map((token, i) => ({
    token,
    symbol: token,
    address: wallet(0xaa00 + i),
    decimals: 18,
    stock: false,
  }))
  await db.query(
    `insert into hosted_agents (id, wallet, key_id, brain, params, interval_s, pairs, tokens,
       max_trade_micro_usd, max_day_micro_usd, max_position_micro_usd, mode, live, status, webhook_secret,
       created_at_s, made_from)
     values ($1, $2, 1, $3, $4, $5, $6, $7, 25000000, 100000000, 500000000, $8, $9, 'active', $10, $11, $12)`,
    [
      sketch.id,
      sketch.wallet,
      sketch.brain ?? 'partner_llm',
      JSON.stringify(sketch.params ?? {}),
      sketch.intervalS ?? 900,
      pairs,
      JSON.stringify(tokens),
      sketch.mode ?? 'paper',
      sketch.live ?? false,
      sketch.webhookSecret ?? null,
      NOW_S,
      sketch.madeFrom ?? null,
    ],
  )
}

/** Inserts a mined swap of a wallet with this value, with a fee by default. */
export async function addTrade(
  db: Db,
  trade: { wallet: Address; microUsd: bigint; atS: number; feeAtoms: bigint | null },
): Promise<void> {
  const [row] = await db.query<{ id: number }>(
    `insert into trades (kind, wallet, key_id, path, status, mined_at_s, volume_micro_usd, created_at_ms)
     values ('swap', $1, 1, 'agent', 'mined', $2, $3, $4) returning id`,
    [trade.wallet, trade.atS, trade.microUsd.toString(), trade.atS * 1_000],
  )
  if (trade.feeAtoms === null) return
  await db.query(
    `insert into fees (trade_id, token, atoms, side, bps, class, recipient, tx_hash, block, block_time_s,
     week_start_s)
     values ($1, $2, $3, 'input', 25, 'major', $2, $4, 1, $5, 0)`,
    [row?.id, wallet(1), trade.feeAtoms.toString(), `0x${'0'.repeat(64)}`, trade.atS],
  )
}
