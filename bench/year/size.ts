import { type ChainProfile, DAY_S } from '@pit/protocol'

/** Size of the year; scale 1 is the full size. */
export interface YearSize {
  scale: number
  accounts: number
  keys: number
  /** Wallets that trade at all; the first thousand trade most. */
  traders: number
  trades: number
  agents: number
  logs: number
  fills: number
  spends: number
  tokens: number
  markMinutes: number
  seasons: number
  entrants: number
  practice: number
  /** Full hours of a season at which wallets were looked at. */
  samples: number
  nowS: number
  startS: number
  /** Monday 00:00 UTC: weeks before it are recorded by the treasury, and the last season began then. */
  weekS: number
}

export const YEAR_S = 365 * DAY_S
export const WEEK_S = 7 * DAY_S
export const SEASON_S = 14 * DAY_S
export const SEASONS = 26

/** The two requesting accounts: one with a hundredth of all trades and 20 agents, one with a few of each. */
export const BUSY = 1
export const ORDINARY = 1_007
/**
 * Of the busy account: a live agent that trades most, a paper one that ticks every minute, one with a
 * model.
 */
export const AGENTS = { live: 1, paper: 4, model: 5, ordinaryLive: 21, ordinaryPaper: 24 } as const
export const agentId = (n: number): string => `agt_${String(n).padStart(32, '0')}`

export function sizeOf(scale: number, nowS: number): YearSize {
  const part = (whole: number, least: number) => Math.max(least, Math.round(whole * scale))
  // Products of two counts: each factor shrinks by the root of the scale.
  const side = (whole: number, least: number) => Math.max(least, Math.round(whole * Math.sqrt(scale)))
  const weekS = nowS - ((((nowS - 4 * DAY_S) % WEEK_S) + WEEK_S) % WEEK_S)
  return {
    scale,
    accounts: part(800_000, 8_000),
    keys: part(1_000_000, 10_000),
    traders: part(200_000, 2_000),
    trades: part(10_000_000, 20_000),
    agents: part(100_000, 1_000),
    logs: part(26_500_000, 50_000),
    fills: part(1_400_000, 2_000),
    spends: part(1_000_000, 2_000),
    tokens: part(100_000, 1_000),
    markMinutes: part(525_600, 5_000),
    seasons: SEASONS,
    entrants: side(500, 20),
    practice: side(1_000, 20),
    samples: side(336, 8),
    nowS,
    startS: nowS - YEAR_S,
    weekS,
  }
}

/** Sources of the rows: the devnet's own tokens and wallets. */
export interface YearWorld {
  size: YearSize
  profile: ChainProfile
  usdg: string
  eth: string
  weth: string
  /** Every token that has marks. */
  marked: readonly string[]
  feeRecipient: string
}

export const lower = (text: string): string => text.toLowerCase()
