import { MIN_ORDER_MICRO_USD } from '@pit/brains'
import { type Brain, fail, grouped, HOSTED, microUsdDown, TRADE } from '@pit/protocol'
import type { AgentLimits } from '../types.ts'

/** Above any realistic limit, and exact as a number of micro-dollars. */
const MAX_USD = 1_000_000_000

/** Rejects limits that no trade could satisfy. */
export function checkLimits(limits: AgentLimits): AgentLimits {
  const hold = (good: boolean, field: string, message: string) => {
    if (!good) fail('BAD_REQUEST', { field: `limits.${field}`, message: `\`limits.${field}\` ${message}.` })
  }
  const { maxTradeMicroUsd: trade, maxDayMicroUsd: day, maxPositionMicroUsd: position } = limits
  hold(
    trade >= MIN_ORDER_MICRO_USD && trade <= microUsdDown(TRADE.maxNotionalUsd),
    'max_trade_usd',
    `must be ${TRADE.minNotionalUsd} to ${grouped(TRADE.maxNotionalUsd)}`,
  )
  hold(
    day >= trade && day <= microUsdDown(MAX_USD),
    'max_day_usd',
    `must be from max_trade_usd to ${grouped(MAX_USD)}`,
  )
  hold(
    position >= MIN_ORDER_MICRO_USD && position <= microUsdDown(MAX_USD),
    'max_position_usd',
    `must be ${TRADE.minNotionalUsd} to ${grouped(MAX_USD)}`,
  )
  return limits
}

/** Models have a minimum interval of five minutes; the schema checks the others. */
export function checkInterval(brain: Brain, intervalS: number): void {
  if (brain !== 'partner_llm' || intervalS >= HOSTED.aiMinIntervalS) return
  fail('BAD_REQUEST', {
    field: 'interval_s',
    message: `\`interval_s\`: the minimum interval of an AI agent is ${HOSTED.aiMinIntervalS} s.`,
  })
}
