import { type Address, type Crypto, delegationAddresses, type Hex, type WireOrderList } from '@pit/chain'
import type { Charge } from '@pit/http'
import type { Logger } from '@pit/platform/monitoring'
import { type Answer, type Body, type ChainProfile, fail, lower, ROUTES } from '@pit/protocol'
import {
  describeRehearsal,
  describeRevoked,
  describeTrade,
  type GrantParams,
  type ListedSession,
  limitsJson,
  listedControls,
  riskTermsJson,
  type Sessions,
  type SessionTradeParams,
  type SignedList,
  spendOf,
} from '@pit/sessions'
import { walletOf } from '@pit/trading'
import type { Caller, Handlers } from '../http/types.ts'
import { attestsNonUs } from './attestsNonUs.ts'
import { screenAdmission, traderOf } from './caller.ts'
import { describeActive, describePending } from './describeGrant.ts'
import { requestHash } from './requestHash.ts'

type Hosted = Answer<'me.sessions'>['hosted']
type SessionRow = Answer<'me.sessions'>['sessions'][number]
type StartBody = Extract<Body<'live.session.grant'>, { wallet: string }>

export interface SessionRoutes {
  sessions: Sessions
  crypto: Crypto
  profile: ChainProfile
  charge: Charge
  logger: Pick<Logger, 'warn'>
  /** The wallet's hosted agents, for the list of its sessions. */
  readHosted?(wallet: Address): Promise<Hosted>
}

export const sessionRoutes = (
  deps: SessionRoutes,
): Pick<
  Handlers,
  | 'live.session.grant'
  | 'live.session.trade'
  | 'live.session.revoke'
  | 'live.session.orders.cancel'
  | 'me.sessions'
> => ({
  'live.session.grant': async ({ body, caller }) => {
    if ('session_id' in body) {
      const session = await deps.sessions.switchOn({
        sessionId: body.session_id,
        wallet: traderOf(caller).wallet,
        ...(body.delegation_signature !== undefined && { delegation: body.delegation_signature }),
        ...(body.authorization_signature !== undefined && { authorization: body.authorization_signature }),
        ...(body.curve_root_signatures !== undefined && { curveRoots: body.curve_root_signatures }),
      })
      return describeActive(deps.crypto, session)
    }
    // If no session can be granted, nothing else about the request is reported.
    deps.sessions.refuseUnavailable()
    const granted = await deps.sessions.startGrant(grantAskOf(deps, body, caller))
    return describePending(deps.crypto, delegationAddresses(deps.profile), granted)
  },
  'live.session.trade': async ({ body, caller }) => {
    const request = tradeRequestOf(deps, body, caller)
    return body.check_only
      ? describeRehearsal(await deps.sessions.rehearseTrade(request))
      : describeTrade(await deps.sessions.tradeInSession(request))
  },
  'live.session.revoke': async ({ body, caller }) => {
    const { keyId, wallet } = traderOf(caller)
    const revoked = await deps.sessions.revokeSession({
      keyId,
      wallet,
      sessionId: body.session_id,
      ...(body.challenge !== undefined && { challenge: lower(body.challenge) }),
    })
    return describeRevoked(revoked, { resetCode: body.reset_code })
  },
  'live.session.orders.cancel': async ({ body, caller }) => ({
    session_id: body.session_id,
    receipts: await deps.sessions.cancelOrders({
      sessionId: body.session_id,
      wallet: traderOf(caller).wallet,
      ids: 'ids' in body ? body.ids.map((id) => lower(id) as Hex) : null,
      challenge: lower(body.challenge) as Hex,
    }),
  }),
  'me.sessions': async ({ caller }) => {
    const { wallet } = traderOf(caller)
    const { granted, asExecutor } = await deps.sessions.listSessions(wallet)
    const hosted = await deps.readHosted?.(wallet).catch((error) => {
      deps.logger.warn({ err: error }, 'failed to read hosted agents')
      return undefined
    })
    return {
      wallet,
      sessions: granted.map((listed) => describeListed(deps.profile, listed, 'owner')),
      as_executor: asExecutor.map((listed) => describeListed(deps.profile, listed, 'executor')),
      hosted: hosted ?? [],
      hosted_available: hosted !== undefined,
      routes: {
        revoke_session: `POST ${ROUTES['live.session.revoke'].path}`,
        pause_agent: `POST ${ROUTES['hosted.pause'].path}`,
        stop_agent: `POST ${ROUTES['hosted.stop'].path}`,
      },
    }
  },
})

const tradeRequestOf = (
  { charge }: SessionRoutes,
  body: Body<'live.session.trade'>,
  caller: Caller,
): SessionTradeParams => ({
  sessionId: body.session_id,
  by: traderOf(caller),
  path: 'session',
  ...(body.client_id !== undefined && { name: nameOf(body.client_id, body) }),
  tokenIn: body.token_in,
  tokenOut: body.token_out,
  ...(body.notional_usd !== undefined && { notionalUsd: body.notional_usd }),
  ...(body.amount_in !== undefined && { amountIn: BigInt(body.amount_in) }),
  ...(body.slippage_bps !== undefined && { slippageBps: body.slippage_bps }),
  ...(body.min_amount_out !== undefined && { minAmountOut: BigInt(body.min_amount_out) }),
  ...(body.max_fee_bps !== undefined && { maxFeeBps: body.max_fee_bps }),
  ...(body.route_id !== undefined && { routeId: body.route_id }),
  ownerAttestsNonUs: attestsNonUs(body, caller),
  fund: body.fund,
  riskTerms: { accept_risks: body.accept_risks, shield: body.shield, policies: body.policies },
  ...(body.order && orderOf(body.order)),
  admit: screenAdmission(charge, caller),
})

function orderOf({
  id,
  part,
  rounds,
  list,
  signature,
}: NonNullable<Body<'live.session.trade'>['order']>): Pick<SessionTradeParams, 'order'> & {
  list?: SignedList
} {
  if ((list === undefined) !== (signature === undefined)) {
    const field = list === undefined ? 'order.list' : 'order.signature'
    fail('BAD_REQUEST', { field, message: '`order.list` and `order.signature` go together.' })
  }
  return {
    order: { id: lower(id), part, rounds },
    ...(list && { list: { list: list as WireOrderList, signature: lower(signature!) } }),
  }
}

/** Each field as sent: a number may be one without canonical JSON. */
const nameOf = (clientId: string, body: object) => ({
  clientId,
  requestHash: requestHash(
    Object.fromEntries(Object.entries(body).map(([field, value]) => [field, JSON.stringify(value)])),
  ),
})

const microUsd = (usd: number): number => Math.round(usd * 1e6)

function grantAskOf({ crypto, charge }: SessionRoutes, body: StartBody, caller: Caller): GrantParams {
  walletOf(crypto, caller, body.wallet)
  const executor =
    crypto.parseAddress(body.executor) ??
    fail('BAD_REQUEST', {
      field: 'executor',
      message: '`executor` has a wrong checksum. Send it in lower case or with its checksum.',
    })
  const { accept_risks, shield, policies, setup_budget_usd: budgetUsd } = body
  return {
    by: traderOf(caller),
    executor,
    tokens: body.tokens,
    limits: {
      max_trade_micro_usd: microUsd(body.max_trade_usd),
      max_day_micro_usd: microUsd(body.max_day_usd),
      max_trades: body.max_trades,
    },
    expiresInS: body.expires_in_s,
    ...(budgetUsd !== undefined && { budgetMicroUsd: microUsd(budgetUsd) }),
    risk: { accept_risks, shield, policies: policies === undefined || policies === false ? null : policies },
    ...(body.controls !== undefined && { controls: body.controls }),
    admit: screenAdmission(charge, caller),
  }
}

function describeListed(
  { core_tokens }: ChainProfile,
  listed: ListedSession,
  role: SessionRow['role'],
): SessionRow {
  const { session, status, used } = listed
  const { id, wallet, executor, createdAtS, expiresAtS, binding } = session
  return {
    session_id: id,
    status,
    executor,
    created: createdAtS,
    expires: expiresAtS,
    tokens: binding.tokens.map(
      (token) => core_tokens.find(({ address }) => address.toLowerCase() === token)?.symbol ?? token,
    ),
    limits: limitsJson(binding),
    controls: listedControls(listed),
    used: spendOf(session, used),
    risk_terms: riskTermsJson(binding),
    wallet,
    role,
  }
}
