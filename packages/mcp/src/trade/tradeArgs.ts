import type { Pins } from '@pit/client'
import { grouped } from '@pit/protocol'
import type { Acting } from '../tool.ts'
import { tokenAddress } from '../tools/tokenAddress.ts'
import { checkCeilings } from './ceilings.ts'
import type { TradeIntent } from './journal.ts'

/** Arguments of the tools that trade, with the API's names. */
export interface TradeArgs {
  token_in: string
  token_out: string
  notional_usd: number
  shield?: boolean
  session_id?: string
  wallet?: string
}

/** The journal's format since its first version, so that retries match older entries. */
export const intentOf = ({ token_in, token_out, notional_usd, ...others }: TradeArgs): TradeIntent => ({
  ...others,
  sell: token_in,
  buy: token_out,
  usd: notional_usd,
})

export function checkTokens(pins: Pins, { token_in, token_out }: TradeArgs): void {
  for (const name of [token_in, token_out]) tokenAddress(pins, name)
}

const SIGNED: readonly unknown[] = ['signed', 'mined', 'reverted']

/** Throws for a trade that would be refused anyway; null for the retry of a signed one. */
export function confirmTrade(
  { own, trading, nowMs }: Pick<Acting<never>, 'own' | 'trading' | 'nowMs'>,
  { client_id, ...args }: TradeArgs & { client_id: string },
): string | null {
  checkTokens(own.pins, args)
  if (SIGNED.includes(trading.journal.find(client_id)?.state)) return null
  const { token_in, token_out, notional_usd, session_id, wallet } = args
  checkCeilings(trading.ceilings, trading.journal, { clientId: client_id, usd: notional_usd, nowMs: nowMs() })
  const from = session_id === undefined ? own.address : `${wallet ?? 'the wallet'} in session ${session_id}`
  return `Sell $${grouped(notional_usd)} of ${token_in} for ${token_out}, with real funds from ${from}?`
}
