export interface TradeChoice {
  token_in: string
  token_out: string
  notional_usd: number
}

export interface Sizes {
  minUsd: number
  maxUsd: number
}

const CASH = 'USDG'
const TOKENS = ['ETH', 'cbBTC', 'PARTNER'] as const
/** At most this part of a holding is sold at once; ETH also pays for gas. */
const MAX_PART = 0.25

/**
 * A trade of cash and one token, towards an even split of both but random: `draw` returns numbers from 0 to 1.
 * Null if neither side has enough.
 */
export function chooseTrade(
  worthUsd: ReadonlyMap<string, number>,
  { minUsd, maxUsd }: Sizes,
  draw: () => number,
): TradeChoice | null {
  const token = TOKENS[Math.min(TOKENS.length - 1, Math.floor(draw() * TOKENS.length))]!
  const [cash, held] = [worthUsd.get(CASH) ?? 0, worthUsd.get(token) ?? 0]
  const buys = draw() * (cash / TOKENS.length + held) < cash / TOKENS.length
  const [from, to, available] = buys ? [CASH, token, cash] : [token, CASH, held]
  const most = Math.min(maxUsd, Math.floor(available * MAX_PART))
  if (most < minUsd) return null
  return { token_in: from, token_out: to, notional_usd: Math.round(minUsd + draw() * (most - minUsd)) }
}
