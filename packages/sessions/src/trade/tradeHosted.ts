import type { Address } from '@pit/chain'
import type { Caller } from '@pit/platform/call'
import { fail } from '@pit/protocol'
import type { PlanTx } from '@pit/trading'
import type { SessionDeps } from '../deps.ts'
import { findWithUse } from '../store.ts'
import type { TradeAnswer } from './describeTrade.ts'
import { refuseSanctioned, tradeOpened } from './tradeSession.ts'

export interface HostedTradeAsk {
  sessionId: string
  agentId: string
  /** What it relays is stored under this key. */
  keyId: number
  tokenIn: string
  tokenOut: string
  notionalMicroUsd: bigint
  ownerAttestsNonUs: boolean
}

/**
 * A trade of a hosted agent in the session attached to it: every check of live/session/trade, and that the session's
 * executor is the agent's own. Throws the refusal; what it answers was co-signed, counted and stored.
 */
export async function tradeHosted(
  deps: SessionDeps,
  ask: HostedTradeAsk,
): Promise<{ tx: PlanTx; answer: TradeAnswer }> {
  const startedAt = performance.now()
  const found = await findWithUse(deps.db, ask.sessionId, deps.clock.nowMs())
  if (!found) return fail('NO_SESSION', { status: 409, field: 'session_id' })
  const { session } = found
  if (!(await deps.hosted.isExecutorOf(deps.db, { executor: session.executor, agentId: ask.agentId }))) {
    fail('NO_SESSION', { status: 409, message: 'The session is not for this agent’s executor.' })
  }
  refuseSanctioned(deps, session)
  const { tx, answer } = await tradeOpened(deps, {
    ...found,
    caller: callerOf(ask, session.wallet),
    path: 'hosted',
    startedAt,
    beforeCosign: () => refuseSwitchedOff(deps),
    body: {
      session_id: session.id,
      token_in: ask.tokenIn,
      token_out: ask.tokenOut,
      notional_usd: Number(ask.notionalMicroUsd) / 1e6,
      owner_attests_non_us: ask.ownerAttestsNonUs,
      fund: false,
    },
  })
  // Without lent funds a trade is co-signed or refused.
  if (!tx) throw new Error('a hosted trade was answered without a transaction')
  return { tx, answer }
}

/** The operator's switches count at every co-signature. */
async function refuseSwitchedOff({ switches }: Pick<SessionDeps, 'switches'>): Promise<void> {
  if (!switches) return
  if (await switches.killed()) fail('KILLED')
  if (!(await switches.liveEnabled())) fail('LIVE_DISABLED')
}

/** As if the agent's owner had called; rates that go by the client's address go by the agent. */
const callerOf = ({ agentId, keyId }: HostedTradeAsk, wallet: Address): Caller => ({
  requestId: `hosted ${agentId}`,
  address: '127.0.0.1',
  key: { keyId, accountId: 0, wallet, expiresAtS: Number.MAX_SAFE_INTEGER },
})
