import { fail, TRADE } from '@pit/protocol'
import { microUsdOf, usdOf } from '@pit/trading'
import type { AgentLimits } from '../types.ts'

export interface LimitsBody {
  max_trade_usd: number
  max_day_usd: number
  max_position_usd: number
}

/** Far past what anybody trades, and exact as a number of micro-dollars. */
const MOST_USD = 1_000_000_000

const microUsd = (usd: number): bigint => microUsdOf(Math.min(usd, Number.MAX_SAFE_INTEGER))
const LEAST = microUsd(TRADE.minNotionalUsd)

/** Dollars as they were sent, cut to millionths; refuses limits that no trade could keep. */
export function readLimits(body: LimitsBody): AgentLimits {
  const limits = {
    maxTradeMicroUsd: microUsd(body.max_trade_usd),
    maxDayMicroUsd: microUsd(body.max_day_usd),
    maxPositionMicroUsd: microUsd(body.max_position_usd),
  }
  const hold = (good: boolean, field: keyof LimitsBody, message: string) => {
    if (!good) fail('BAD_REQUEST', { field: `limits.${field}`, message: `\`limits.${field}\` ${message}.` })
  }
  const { maxTradeMicroUsd: trade, maxDayMicroUsd: day, maxPositionMicroUsd: position } = limits
  hold(
    trade >= LEAST && trade <= microUsd(TRADE.maxNotionalUsd),
    'max_trade_usd',
    `must be ${TRADE.minNotionalUsd} to ${TRADE.maxNotionalUsd}`,
  )
  hold(day >= trade && day <= microUsd(MOST_USD), 'max_day_usd', `must be from max_trade_usd to ${MOST_USD}`)
  hold(
    position >= LEAST && position <= microUsd(MOST_USD),
    'max_position_usd',
    `must be ${TRADE.minNotionalUsd} to ${MOST_USD}`,
  )
  return limits
}

export const limitsJson = (limits: AgentLimits): LimitsBody => ({
  max_trade_usd: usdOf(limits.maxTradeMicroUsd),
  max_day_usd: usdOf(limits.maxDayMicroUsd),
  max_position_usd: usdOf(limits.maxPositionMicroUsd),
})
