import type { Db } from '@pit/platform/db'
import type { Answer, Body } from '@pit/protocol'
import type { Session } from '@pit/sessions'
import { findSession } from '@pit/sessions/internal/store'
import {
  crypto,
  GRANT,
  openSessionWorld as openWorld,
  PROFILE,
  type Role,
  WHO,
} from '@pit/sessions/test/sessionWorld'
import { sessionRoutes } from '../src/routes/sessions.ts'

export * from '@pit/sessions/test/sessionWorld'

export type TradeRequest = Partial<Body<'live.session.trade'>>
export type SessionWorld = ReturnType<typeof openSessionWorld>
type Pending = Extract<Answer<'live.session.grant'>, { status: 'pending' }>

/** The session test world, called by its routes. */
export function openSessionWorld(db: Db, options: { withSigner?: boolean } = {}) {
  const world = openWorld(db, options)
  const { sessions } = world
  const { logger } = world.options
  const handlers = sessionRoutes({ sessions, crypto, profile: PROFILE, logger, charge: async () => {} })
  const post = async <Id extends keyof typeof handlers>(
    id: Id,
    role: Role,
    body: object = {},
  ): Promise<Answer<Id>> => {
    const handler = handlers[id] as (call: object) => Promise<Answer<Id>>
    const key = { ...world.traderOf(role), accountId: 1, expiresAtS: 2 ** 40 }
    return handler({ params: {}, query: {}, body, caller: { requestId: 'r', address: '127.0.0.1', key } })
  }
  const api = Object.assign(world, {
    post,
    start: (over: object = {}, role: Role = 'owner') =>
      post('live.session.grant', role, {
        ...GRANT,
        wallet: WHO.owner,
        executor: WHO.executor,
        ...over,
      }) as Promise<Pending>,
    async grant(over: object = {}, curves: { curves?: boolean } = {}): Promise<Session> {
      const { session_id } = await api.start(over)
      await post('live.session.grant', 'owner', await world.signatures(session_id, 'owner', curves))
      return (await findSession(db, session_id))!
    },
    trade: (session: Pick<Session, 'id'>, over: TradeRequest = {}, role: Role = 'executor') =>
      post('live.session.trade', role, {
        session_id: session.id,
        token_in: 'ETH',
        token_out: 'USDG',
        owner_attests_non_us: false,
        fund: 'auto',
        ...(over.amount_in === undefined && { notional_usd: 5 }),
        ...over,
      }),
  })
  return api
}
