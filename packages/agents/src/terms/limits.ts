import { MIN_ORDER_MICRO_USD } from '@pit/brains'
import { type Brain, fail, HOSTED, microUsdDown, TRADE } from '@pit/protocol'
import type { AgentLimits } from '../types.ts'

/** Far past what anybody trades, and exact as a number of micro-dollars. */
const MAX_USD = 1_000_000_000

/** Refuses limits that no trade could keep. */
export function checkLimits(limits: AgentLimits): AgentLimits {
  const hold = (good: boolean, field: string, message: string) => {
    if (!good) fail('BAD_REQUEST', { field: `limits.${field}`, message: `\`limits.${field}\` ${message}.` })
  }
  const { maxTradeMicroUsd: trade, maxDayMicroUsd: day, maxPositionMicroUsd: position } = limits
  hold(
    trade >= MIN_ORDER_MICRO_USD && trade <= microUsdDown(TRADE.maxNotionalUsd),
    'max_trade_usd',
    `must be ${TRADE.minNotionalUsd} to ${TRADE.maxNotionalUsd}`,
  )
  hold(
    day >= trade && day <= microUsdDown(MAX_USD),
    'max_day_usd',
    `must be from max_trade_usd to ${MAX_USD}`,
  )
  hold(
    position >= MIN_ORDER_MICRO_USD && position <= microUsdDown(MAX_USD),
    'max_position_usd',
    `must be ${TRADE.minNotionalUsd} to ${MAX_USD}`,
  )
  return limits
}

/** Models are asked every five minutes at most; the range of all others is the schema's. */
export function checkInterval(brain: Brain, intervalS: number): void {
  if (brain !== 'partner_llm' || intervalS >= HOSTED.aiMinIntervalS) return
  fail('BAD_REQUEST', {
    field: 'interval_s',
    message: `\`interval_s\`: an AI agent ticks every ${HOSTED.aiMinIntervalS} seconds at most.`,
  })
}
