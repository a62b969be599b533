import type { RecordedSession } from '@pit/client'
import { ToolRefusal } from '../refusal.ts'
import {
  AddressIn,
  Bool,
  ClientIdIn,
  IdIn,
  Input,
  Int,
  isoOf,
  List,
  Maybe,
  Num,
  OrNull,
  Output,
  Str,
  TokenIn,
  UsdIn,
} from '../shapes.ts'
import { acts, type Reading, reads } from '../tool.ts'
import { TRADES } from '../trade/trades.ts'

export const SESSION_TOOLS = [
  reads({
    name: 'list_sessions',
    title: 'Sessions',
    toolset: 'sessions',
    description:
      'Sessions that this account owns or executes: permissions to trade within limits, in USD, with what ' +
      'is left of them. Only a person can grant a session (pit session grant).',
    input: Input({}),
    output: Output({
      sessions: List(
        Output({
          session_id: Str(),
          status: Str('status at the service; not_listed if the service omits the session'),
          on_chain: OrNull(
            Str('alive, ended or expired, from this server’s own node; null if signed elsewhere'),
          ),
          role: Str('owner or executor'),
          wallet: Str('wallet whose funds are traded'),
          tokens: List(Str()),
          max_usd_per_trade: Num(),
          max_usd_per_day: Num(),
          left_24h_usd: OrNull(Num('by the service')),
          trades_left: OrNull(Int({ description: 'by the service' })),
          expires: Str(),
        }),
      ),
    }),
    routes: ['me.sessions'],
    openWorld: false,
    async run({ own, signal }) {
      const [{ sessions: granted, as_executor }, { sessions: recorded }] = await Promise.all([
        own.sessions({ signal }),
        own.recordedSessions({ signal }),
      ])
      const signed = new Map(recorded.map((one) => [one.session_id, signedRow(one)]))
      const listed = [...granted, ...as_executor].map((one) => ({
        session_id: one.session_id,
        on_chain: null,
        wallet: one.wallet,
        tokens: one.tokens,
        max_usd_per_trade: one.limits.max_trade_usd,
        max_usd_per_day: one.limits.max_day_usd,
        expires: isoOf(one.expires),
        // The signed binding decides, not the service's list.
        ...signed.get(one.session_id),
        status: one.status as string,
        role: one.role as string,
        left_24h_usd: one.used.remaining_24h_usd as number | null,
        trades_left: one.used.trades_left as number | null,
      }))
      const ids = new Set(listed.map(({ session_id }) => session_id))
      const hidden = [...signed.values()].filter(({ session_id }) => !ids.has(session_id))
      const unlisted = { status: 'not_listed', role: 'owner', left_24h_usd: null, trades_left: null }
      return { sessions: [...listed, ...hidden.map((one) => ({ ...one, ...unlisted }))] }
    },
  }),
  acts({
    name: 'trade_in_session',
    title: 'Trade in a session',
    toolset: 'sessions',
    description:
      'Like place_trade, with the funds of the wallet that granted this account a session as its ' +
      'executor. The limits of both the session and this server apply. The same rules for ' +
      'client_id and look_up_trade.',
    input: Input({
      session_id: IdIn('from list_sessions, role executor'),
      wallet: Maybe(AddressIn('the wallet whose funds trade, as its owner named it; not from list_sessions')),
      token_in: TokenIn('token to sell'),
      token_out: TokenIn('token to buy'),
      notional_usd: UsdIn,
      client_id: ClientIdIn,
    }),
    ...TRADES,
  }),
  acts({
    name: 'revoke_session',
    title: 'Revoke a session',
    toolset: 'sessions',
    description:
      'Revoke a session that this wallet granted, at the service and on chain with the wallet’s own ' +
      'transactions, built from this server’s records and checked on its own node. Permanent; costs gas.',
    input: Input({ session_id: IdIn('from list_sessions, role owner') }),
    output: Output({
      session_id: Str(),
      revoked: Bool('this server’s own node shows that every known root has ended'),
      proven: Bool('this server recorded the roots when they were signed, so none is missing'),
      roots: List(Output({ root_hash: Str(), on_chain: Str('alive, ended or expired') })),
      transactions: List(Str()),
    }),
    routes: [],
    effect: 'commits',
    openWorld: false,
    confirm: ({ own }, { session_id }) => `Revoke session ${session_id} of ${own.address} permanently?`,
    async run({ own, trading, signal }, { session_id }) {
      const { sessions: recorded } = await own.recordedSessions({ signal })
      if (!recorded.some((one) => one.session_id === session_id)) await mustBeOwned(own, session_id, signal)
      const { roots, complete, receipts } = await trading.inTurn(() =>
        trading.client.revokeSession({ sessionId: session_id }),
      )
      return {
        session_id,
        revoked: complete,
        proven: complete,
        roots: roots.map(({ hash, state }) => ({ root_hash: hash, on_chain: state })),
        transactions: receipts.map(({ hash }) => hash),
      }
    },
  }),
]

type Own = Reading<never>['own']

async function mustBeOwned(own: Own, sessionId: string, signal: AbortSignal): Promise<void> {
  const { sessions } = await own.sessions({ signal })
  if (sessions.some((one) => one.session_id === sessionId)) return
  throw new ToolRefusal(
    'NO_SESSION',
    'This wallet did not grant that session.',
    'List sessions with list_sessions.',
  )
}

/** A session by its binding that was signed on this machine, and its state on chain. */
const signedRow = ({ session_id, state, wallet, binding }: RecordedSession) => ({
  session_id,
  on_chain: state,
  wallet: wallet as string,
  tokens: [...binding.tokens] as string[],
  max_usd_per_trade: binding.limits.max_trade_micro_usd / 1e6,
  max_usd_per_day: binding.limits.max_day_micro_usd / 1e6,
  expires: isoOf(binding.expires_at),
})
