import { type Pins, tokenNamed } from '@pit/client'
import type { Answer } from '@pit/protocol'

export type TradeRow = Answer<'me.trades'>['trades'][number]
export type Side = 'buy' | 'sell' | 'swap'

export interface TradeFilter {
  /** Address of a token on either side; empty for all. */
  token: string
  side: Side | ''
  status: TradeRow['status'] | ''
  /** Days as `2026-01-31`, both included; empty for no bound. */
  from: string
  to: string
  /** A session's id, `wallet` for trades without one; empty for all. */
  by: string
}
export const NO_FILTER: TradeFilter = { token: '', side: '', status: '', from: '', to: '', by: '' }
export const isFiltered = (filter: TradeFilter): boolean =>
  Object.values(filter).some((value) => value !== '')

/** Buys pay USDG, sells receive it; everything else is a swap. */
export const SIDES = { buy: 'Buy', sell: 'Sell', swap: 'Swap' } as const

export const usdgOf = (pins: Pins | null): string => (pins && tokenNamed(pins, 'USDG')) ?? ''

type Ends = { token_in: { address: string }; token_out: { address: string } }
export function sideOf({ token_in, token_out }: Ends, usdg: string): Side {
  if (token_in.address.toLowerCase() === usdg) return 'buy'
  return token_out.address.toLowerCase() === usdg ? 'sell' : 'swap'
}

export const WALLET = 'wallet'
export const traderOf = ({ session_id }: TradeRow): string => session_id ?? WALLET

const DAY_S = 86_400
const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1_000

export function matches(
  trade: TradeRow,
  { token, side, status, from, to, by }: TradeFilter,
  usdg: string,
): boolean {
  return (
    (token === '' || [trade.token_in, trade.token_out].some(({ address }) => address === token)) &&
    (side === '' || sideOf(trade, usdg) === side) &&
    (status === '' || trade.status === status) &&
    (from === '' || trade.time >= startOf(from)) &&
    (to === '' || trade.time < startOf(to) + DAY_S) &&
    (by === '' || traderOf(trade) === by)
  )
}
