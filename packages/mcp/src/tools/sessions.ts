import { ToolRefusal } from '../refusal.ts'
import {
  Bool,
  ClientIdIn,
  IdIn,
  Input,
  Int,
  isoOf,
  List,
  Num,
  Output,
  Str,
  TokenIn,
  UsdIn,
} from '../shapes.ts'
import { acts, reads } from '../tool.ts'
import { placeTrade } from '../trade/placeTrade.ts'
import { showStanding, TradeShown } from '../trade/showStanding.ts'
import { untrusted } from '../untrusted.ts'
import { tokenAddress } from './tokenAddress.ts'

export const SESSION_TOOLS = [
  reads({
    name: 'list_sessions',
    title: 'Sessions',
    toolset: 'sessions',
    description:
      'Sessions this account owns or executes: bounded permissions to trade, with their limits in ' +
      'dollars and what is left of them. Granting one is for a person, by pit session grant.',
    input: Input({}),
    output: Output({
      sessions: List(
        Output({
          session_id: Str(),
          status: Str(),
          role: Str('owner or executor'),
          wallet: Str('whose funds trade'),
          tokens: List(Str()),
          max_usd_per_trade: Num(),
          max_usd_per_day: Num(),
          left_24h_usd: Num(),
          trades_left: Int(),
          expires: Str(),
        }),
      ),
    }),
    routes: ['me.sessions'],
    openWorld: false,
    async run({ own, signal }) {
      const { sessions } = await own.sessions({ signal })
      return {
        sessions: sessions.map((one) => ({
          session_id: one.session_id,
          status: one.status,
          role: one.role,
          wallet: one.wallet,
          tokens: one.tokens.map((token) => untrusted(token)),
          max_usd_per_trade: one.limits.max_trade_usd,
          max_usd_per_day: one.limits.max_day_usd,
          left_24h_usd: one.used.remaining_24h_usd,
          trades_left: one.used.trades_left,
          expires: isoOf(one.expires),
        })),
      }
    },
  }),
  acts({
    name: 'trade_in_session',
    title: 'Trade in a session',
    toolset: 'sessions',
    description:
      'As place_trade, with the funds of the wallet that granted a session to this account as its ' +
      'executor. Both bounds hold: the session’s and this server’s ceilings. The same rules for ' +
      'client_id and for looking first.',
    input: Input({
      session_id: IdIn('of list_sessions, role executor'),
      sell: TokenIn('what is sold'),
      buy: TokenIn('what is bought'),
      usd: UsdIn,
      client_id: ClientIdIn,
    }),
    output: TradeShown,
    routes: [],
    effect: 'commits',
    openWorld: true,
    async run({ own, trading, nowMs }, { client_id, ...asked }) {
      for (const name of [asked.sell, asked.buy]) tokenAddress(own.pins, name)
      const standing = await placeTrade(trading, client_id, asked)
      return showStanding(own.pins, { ...standing, clientId: client_id, nowMs: nowMs() })
    },
  }),
  acts({
    name: 'revoke_session',
    title: 'End a session',
    toolset: 'sessions',
    description:
      'End a session this wallet granted, at once at the service and on chain by the wallet’s own ' +
      'transaction. Final; costs gas.',
    input: Input({ session_id: IdIn('of list_sessions, role owner') }),
    output: Output({ session_id: Str(), revoked: Bool(), transactions: List(Str()) }),
    routes: [],
    effect: 'commits',
    openWorld: false,
    async run({ own, trading, signal }, { session_id }) {
      const { sessions } = await own.sessions({ signal })
      if (!sessions.some((one) => one.session_id === session_id && one.role === 'owner'))
        throw new ToolRefusal(
          'NO_SESSION',
          'This wallet granted no such session.',
          'List sessions with list_sessions.',
        )
      const { receipts } = await trading.inTurn(() => trading.client.revokeSession({ sessionId: session_id }))
      return { session_id, revoked: true, transactions: receipts.map(({ hash }) => hash) }
    },
  }),
]
