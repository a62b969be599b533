import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { boundControls, countedMicroUsd, fail, markPrice, microUsdDown } from '@pit/protocol'
import type { TradeQuote } from '@pit/trading'
import type { SessionDeps } from '../deps.ts'
import { findOpenPart, type OpenPart, usedBesides } from '../orderParts.ts'
import { findWithUse } from '../store.ts'
import type { Session, Used } from '../types.ts'
import { namedTokens } from './planTrade.ts'
import { whyUnbound } from './readRoots.ts'
import type { TradeFacts } from './rules.ts'
import type { SessionTradeParams } from './types.ts'

export interface OpenedSession {
  session: Session
  /** Usage besides the open part. */
  used: Used
  /** The trade of the same part of the order whose leaf may still be sent. */
  openPart: OpenPart | null
}

/** Accessible to the wallet, the executor and the agent with this executor; unknown to all others. */
export async function openFor(deps: SessionDeps, request: SessionTradeParams): Promise<OpenedSession> {
  const opened = await findWithUse(deps.db, request.sessionId, deps.clock.nowMs())
  const isHosted = request.path === 'hosted'
  const isOpen =
    opened &&
    (isHosted || opened.session.wallet === request.by.wallet || opened.session.executor === request.by.wallet)
  if (!isOpen) return fail('NO_SESSION', { ...(isHosted && { status: 409 }), field: 'session_id' })
  const { executor, wallet, binding } = opened.session
  if (isHosted && !(await deps.hosted.isExecutorOf(deps.db, { executor, agentId: request.agentId }))) {
    fail('NO_SESSION', { status: 409, message: 'The session is not for this agent’s executor.' })
  }
  const parties: [string, Address][] = [
    ['session_wallet', wallet],
    ['executor', executor],
  ]
  for (const [field, address] of parties) if (deps.isSanctioned(address)) fail('SANCTIONED', { field })
  const { session, used } = opened
  const { order } = request
  if (!order) return { session, used, openPart: null }
  if (!boundControls(binding)) {
    fail('BAD_REQUEST', {
      field: 'order',
      message: 'Signed orders need a session with controls. Grant one with `controls`.',
    })
  }
  const nowMs = deps.clock.nowMs()
  const openPart = await findOpenPart(deps.db, { sessionId: session.id, order, nowMs })
  return { session, used: usedBesides(used, openPart), openPart }
}

/** Facts that are known before a plan. */
export function openingFactsOf(
  deps: SessionDeps,
  { session, used, ...request }: SessionTradeParams & OpenedSession,
): TradeFacts {
  const { clock, market, crypto } = deps
  return {
    session,
    nowS: Math.max(nowS(clock), market.head()?.timestampS ?? 0),
    unbound: session.status === 'pending' ? null : whyUnbound(crypto, deps.addresses(), session),
    requestedTerms: request.riskTerms ?? {},
    tokens: namedTokens(deps, request),
    used,
    ...(request.notionalUsd !== undefined && { microUsd: microUsdDown(request.notionalUsd) }),
  }
}

/** The counted value of a trade: the requested dollars, or its input at the mark as the co-signer counts it. */
export function countOf(
  { microUsd }: Pick<TradeFacts, 'microUsd'>,
  { amountIn, tokenIn: { mark, decimals }, notionalMicroUsd }: TradeQuote,
): bigint {
  if (microUsd !== undefined) return microUsd
  if (mark) return countedMicroUsd(amountIn, markPrice(mark.priceE18, decimals))
  return notionalMicroUsd ?? fail('NO_MARK')
}
