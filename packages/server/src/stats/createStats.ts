import type { Crypto } from '@pit/chain'
import type { Market } from '@pit/market'
import { createCache, type SharedTexts } from '@pit/platform/cache'
import type { Clock } from '@pit/platform/clock'
import { type Answer, type ChainProfile, FEE, STATS, STATS_SYMBOLS } from '@pit/protocol'
import type { Health } from '../service/health.ts'
import { quoteAsset } from './quoteAsset.ts'

export interface StatsDeps {
  market: Pick<Market, 'head' | 'index' | 'mark'>
  crypto: Pick<Crypto, 'keccakText'>
  profile: ChainProfile
  clock: Clock
  shared: Pick<SharedTexts, 'load'>
  health: Pick<Health, 'report'>
  /** Milliseconds of the latest probe, or null. */
  latency: { rpc(): number | null; sequencer(): number | null }
  /** Tokens with a route, or null until first counted. */
  tradableTokens(): Promise<number | null>
  /** Today's AI pool, or null. */
  aiPool(): Answer<'stats'>['ai_pool']
  /** Whether submit relays here. */
  relays: boolean
}

type Snapshot = Omit<Answer<'stats'>, 'cached_s'>

interface Kept {
  /** Everything but the closing brace, so that only the age is written per response. */
  opening: string
  builtAtMs: number
  leftMs: number
}

/**
 * Text of GET stats: one snapshot for every reader of every process, rebuilt from memory at most every 5 s.
 */
export function createStats(deps: StatsDeps): () => Promise<string> {
  const { clock, shared } = deps
  const snapshot = createCache<'stats', Kept>({ max: 1, ttlMs: ({ leftMs }) => leftMs, clock })
  async function load(): Promise<Kept> {
    const { text, ageMs, leftMs } = await shared.load('stats', STATS.rebuildS * 1_000, async () =>
      JSON.stringify(await buildStats(deps)).slice(0, -1),
    )
    return { opening: text, builtAtMs: clock.nowMs() - ageMs, leftMs }
  }
  return async () => {
    const { opening, builtAtMs } = await snapshot.load('stats', load)
    return `${opening},"cached_s":${Math.max(0, Math.floor((clock.nowMs() - builtAtMs) / 1_000))}}`
  }
}

const orNull = <T>(read: () => T): T | null => {
  try {
    return read()
  } catch {
    return null
  }
}

/** An unreadable part is null. */
async function buildStats(deps: StatsDeps): Promise<Snapshot> {
  const { market, profile, latency } = deps
  // Before the rest is read, so that the rest is from one moment.
  const tradable = await deps.tradableTokens().catch(() => null)
  const nowMs = deps.clock.nowMs()
  const head = market.head()
  const ageS = head ? Math.max(0, Math.round(nowMs / 1000 - head.timestampS)) : 0
  const startedAt = performance.now()
  const usdg = profile.core_tokens.find(({ symbol }) => symbol === 'USDG')
  const assets = orNull(() =>
    head && usdg
      ? STATS_SYMBOLS.map((wanted) => profile.core_tokens.find(({ symbol }) => symbol === wanted))
          .filter((asset) => asset !== undefined)
          .map((asset) => quoteAsset(deps, asset, usdg))
      : null,
  )
  const quotesMs = Math.round((performance.now() - startedAt) * 100) / 100
  return {
    status: deps.health.report().status,
    generated_at: Math.floor(nowMs / 1000),
    block: head && { number: head.number, age_s: ageS },
    prices: assets && head && { block: head.number, age_s: ageS, ref_size_usd: STATS.refSizeUsd },
    assets,
    routes: assets === null ? null : assets.reduce((sum, { routes }) => sum + routes, 0),
    latency_ms: { ref_quotes: assets && quotesMs, rpc: latency.rpc(), sequencer: latency.sequencer() },
    relay: deps.relays,
    fee_bps: {
      major_max: FEE.majorMaxBps,
      major_min: FEE.majorMinBps,
      other: FEE.otherBps,
      shield_add: FEE.shieldAddBps,
    },
    tokens: tradable === null ? null : { tradable },
    ai_pool: orNull(deps.aiPool),
  }
}
