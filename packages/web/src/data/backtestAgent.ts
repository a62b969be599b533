import type { Backtest } from '@pit/brains/backtest'
import { type Brain, FEE, microUsdDown, microUsdUp } from '@pit/protocol'
import { storedMarks } from './marks.ts'

export interface BacktestRequest {
  brain: Brain
  params: Record<string, unknown>
  pairs: readonly string[]
  intervalS: number
  limits: { max_trade_usd: number; max_day_usd: number; max_position_usd: number }
}

/** Keeps the page responsive: an agent with a 10 s interval is tested on the last hours only. */
const MAX_TICKS = 3_000
const START_USD = 1_000
const CASH = 'USDG'
/** The default assumptions of `pit backtest`. */
const ASSUMED = { feeBps: FEE.majorMaxBps, slippageBps: 10, gasMicroUsd: microUsdUp(0.02) }

/** Runs a rule brain over the server's stored prices, in this browser. */
export async function backtestAgent(request: BacktestRequest): Promise<Backtest> {
  const { backtest, endsOf, isRuleBrain, RULE_BRAINS, readRuleParams } = await import('@pit/brains/backtest')
  if (!isRuleBrain(request.brain)) throw new Error('Only rule brains can be backtested.')
  const brain = RULE_BRAINS[request.brain]
  const read = readRuleParams(brain, request.params, request.pairs)
  if (!read.ok) throw new Error(`${read.field}: ${read.message}`)
  const tokens = [...new Set(request.pairs.flatMap((pair) => Object.values(endsOf(pair))))].filter(
    (token) => token !== CASH,
  )
  const marks = new Map(
    await Promise.all(tokens.map(async (token) => [token, await storedMarks(token)] as const)),
  )
  const times = [...marks.values()].flat().map(({ atS }) => atS)
  if (times.length < 2) throw new Error('No stored prices yet. Try again in a few minutes.')
  const toS = times.reduce((last, atS) => Math.max(last, atS), 0)
  const firstS = times.reduce((first, atS) => Math.min(first, atS), toS)
  return backtest({
    ...ASSUMED,
    brain,
    params: read.params,
    pairs: request.pairs,
    marks,
    startMicroUsd: microUsdDown(START_USD),
    intervalS: request.intervalS,
    limits: {
      maxTradeMicroUsd: microUsdDown(request.limits.max_trade_usd),
      maxDayMicroUsd: microUsdDown(request.limits.max_day_usd),
      maxPositionMicroUsd: microUsdDown(request.limits.max_position_usd),
    },
    fromS: Math.max(firstS, toS - MAX_TICKS * request.intervalS),
    toS,
  })
}
