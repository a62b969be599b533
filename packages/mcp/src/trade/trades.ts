import type { Acting } from '../tool.ts'
import { placeTrade } from './placeTrade.ts'
import { showStanding, TradeShown } from './showStanding.ts'
import { checkTokens, confirmTrade, intentOf, type TradeArgs } from './tradeArgs.ts'

/** The common part of the tools that trade, with the wallet's own funds or with a session's. */
export const TRADES = {
  output: TradeShown,
  routes: [],
  effect: 'commits',
  openWorld: true,
  confirm: confirmTrade,
  async run(
    { own, trading, nowMs }: Acting<never>,
    { client_id, ...args }: TradeArgs & { client_id: string },
  ) {
    checkTokens(own.pins, args)
    const standing = await placeTrade(trading, client_id, intentOf(args))
    return showStanding(own.pins, { ...standing, clientId: client_id, nowMs: nowMs() })
  },
} as const
