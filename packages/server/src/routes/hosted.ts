import type { AgentLimits, ExecutorNow, Hosted, LogRow } from '@pit/agents'
import type { Hex } from '@pit/chain'
import { type Charge, networksOf } from '@pit/http'
import {
  type Answer,
  type ChainProfile,
  divUp,
  etherText,
  fail,
  grouped,
  LOG_KINDS,
  microUsdDown,
  type ShieldPolicy,
  usdOf,
} from '@pit/protocol'
import { describeRevoked, type Revoked } from '@pit/sessions'
import type { Caller, Handlers } from '../http/types.ts'
import { namedRequest, screenAdmission, traderOf } from './caller.ts'
import { describeAgent, describeDetail, describeRefund } from './describeAgent.ts'

export type HostedRoute =
  | 'hosted.create'
  | 'hosted.list'
  | 'hosted.get'
  | 'hosted.update'
  | 'hosted.session'
  | 'hosted.pause'
  | 'hosted.resume'
  | 'hosted.stop'
  | 'hosted.delete'
  | 'hosted.rotate_executor'
  | 'hosted.rotate_webhook_secret'
  | 'hosted.refund_gas'
  | 'hosted.stock_attestation'
  | 'hosted.stock_attestation.revoke'
  | 'hosted.logs'
  | 'hosted.executor'

export interface HostedRoutes {
  hosted: Hosted
  profile: Pick<ChainProfile, 'chain_id'>
  charge: Charge
}

export const hostedRoutes = ({ hosted, profile, charge }: HostedRoutes): Pick<Handlers, HostedRoute> => ({
  'hosted.create': async ({ body, caller }) => {
    const { detail, webhookSecret, ai, holds } = await hosted.create({
      by: traderOf(caller),
      name: body.name ?? null,
      brain: body.brain,
      params: body.params,
      intervalS: body.interval_s,
      pairs: body.pairs,
      limits: limitsOf(body.limits),
      terms: {
        acceptRisks: body.accept_risks,
        shield: body.shield,
        policies: policiesOf(body.policies) ?? null,
      },
      mode: body.mode,
      startMicroUsd: body.paper_book === undefined ? null : microUsdDown(body.paper_book.usdg),
      request: namedRequest(body),
      network: networksOf(caller.address)[0].id,
      admit: screenAdmission(charge, caller),
    })
    return {
      ...describeDetail(detail),
      ...(webhookSecret !== null && { webhook_secret: webhookSecret }),
      ...(ai && { ai }),
      holds,
    }
  },
  'hosted.list': async ({ caller }) => ({
    agents: (await hosted.list(traderOf(caller).wallet)).map(describeAgent),
  }),
  'hosted.get': async (call) => describeDetail(await hosted.get({ ...ownOf(call), range: call.query.range })),
  'hosted.update': async ({ params, body, caller }) => {
    const policies = policiesOf(body.policies)
    const { detail, webhookSecret, detached } = await hosted.update({
      ...ownOf({ params, caller }),
      ...(body.name !== undefined && { name: body.name }),
      ...(body.brain !== undefined && { brain: body.brain }),
      ...(body.params !== undefined && { params: body.params }),
      ...(body.interval_s !== undefined && { intervalS: body.interval_s }),
      ...(body.pairs !== undefined && { pairs: body.pairs }),
      ...(body.limits !== undefined && { limits: limitsOf(body.limits) }),
      ...(body.accept_risks !== undefined && { acceptRisks: body.accept_risks }),
      ...(body.shield !== undefined && { shield: body.shield }),
      ...(policies !== undefined && { policies }),
      ...(body.live !== undefined && { live: body.live }),
      fields: Object.keys(body),
      admit: screenAdmission(charge, caller),
    })
    return {
      ...describeDetail(detail),
      ...(webhookSecret !== null && { webhook_secret: webhookSecret }),
      detached: describeDetached(detached),
    }
  },
  'hosted.session': async ({ params, body, caller }) =>
    describeDetail(await hosted.attachSession({ ...ownOf({ params, caller }), sessionId: body.session_id })),
  'hosted.pause': async (call) => describeDetail(await hosted.pause(ownOf(call))),
  'hosted.resume': async (call) => describeDetail(await hosted.resume(ownOf(call))),
  'hosted.stop': async (call) => {
    const { detail, revoked } = await hosted.stop(ownOf(call))
    return { ...describeDetail(detail), session_revoke: describeEnded(revoked) }
  },
  'hosted.delete': async (call) => {
    const { id, executor } = await hosted.delete(ownOf(call))
    return { id, deleted: true, executor }
  },
  'hosted.rotate_executor': async (call) => {
    const { detail, retired, revoked } = await hosted.rotateExecutor(ownOf(call))
    return { ...describeDetail(detail), retired_executor: retired, session_revoke: describeEnded(revoked) }
  },
  'hosted.rotate_webhook_secret': async (call) => {
    const { secret, detached } = await hosted.rotateWebhookSecret(ownOf(call))
    return { id: call.params.id, webhook_secret: secret, detached: describeDetached(detached) }
  },
  'hosted.refund_gas': async (call) => {
    const { refund, already } = await hosted.refundGas(ownOf(call))
    return describeRefund(refund, { already })
  },
  'hosted.stock_attestation': async ({ params, body, caller }) => {
    const attested = await hosted.attestStock({
      ...ownOf({ params, caller }),
      sessionId: body.session_id,
      issuedS: body.issued,
      expiresS: body.expires,
      signature: body.signature as Hex,
    })
    const detail = describeDetail(attested)
    return { ...detail, stock_attestation: detail.stock_attestation ?? null }
  },
  'hosted.stock_attestation.revoke': async (call) => {
    const { detail, signerRevoked } = await hosted.revokeStock(ownOf(call))
    return { ...describeDetail(detail), signer_revoked: signerRevoked }
  },
  'hosted.logs': async ({ params, query, caller }) => {
    const kinds = kindsOf(query.kinds)
    const { limit, before } = query
    const { rows, nextBefore } = await hosted.logs({ ...ownOf({ params, caller }), kinds, limit, before })
    return { id: params.id, rows: rows.map(describeLog), next_before: nextBefore }
  },
  'hosted.executor': async (call) => describeExecutor(profile, await hosted.executor(ownOf(call))),
})

const ownOf = ({ params, caller }: { params: { id: string }; caller: Caller }) => ({
  by: traderOf(caller),
  id: params.id,
})

/** Absent stays absent; false means none: the defaults with shield. */
const policiesOf = <Named extends readonly ShieldPolicy[]>(named: false | Named | undefined) =>
  named === false ? null : named

type LimitsBody = Answer<'hosted.list'>['agents'][number]['limits']
const microUsd = (usd: number): bigint => microUsdDown(Math.min(usd, Number.MAX_SAFE_INTEGER))

/** Dollars as sent, cut to micro-dollars; absent fields stay absent. */
export function limitsOf(body: LimitsBody): AgentLimits
export function limitsOf(body: Partial<LimitsBody>): Partial<AgentLimits>
export function limitsOf(body: Partial<LimitsBody>): Partial<AgentLimits> {
  const { max_trade_usd: trade, max_day_usd: day, max_position_usd: position } = body
  return {
    ...(trade !== undefined && { maxTradeMicroUsd: microUsd(trade) }),
    ...(day !== undefined && { maxDayMicroUsd: microUsd(day) }),
    ...(position !== undefined && { maxPositionMicroUsd: microUsd(position) }),
  }
}

const describeDetached = (detached: Awaited<ReturnType<Hosted['update']>>['detached']) =>
  detached && { session_id: detached.sessionId, fields: [...detached.fields] }

type SessionRevoke = Answer<'hosted.stop'>['session_revoke']
type Step = SessionRevoke['on_chain'][number]

/** The sessions revoked with an agent, and all on-chain steps in one sequence; both empty if none was open. */
function describeEnded(ended: readonly Revoked[]): SessionRevoke {
  const revoked = ended.map((one) => describeRevoked(one))
  return {
    on_chain: inOneLine(revoked.map(({ on_chain }) => on_chain)),
    sessions: revoked.map(({ session_id, revoked_at, effective, signer_revoked, approvals }) => ({
      session_id,
      revoked_at,
      effective,
      signer_revoked,
      approvals,
    })),
  }
}

/** Each session's steps start at the wallet's next nonce: renumber the later ones. */
export function inOneLine(groups: readonly (readonly Step[])[]): Step[] {
  let before = 0
  return groups.flatMap((steps) => {
    const moved = steps.map((step) => movedBy(step, before))
    before += steps.length
    return moved
  })
}

function movedBy(step: Step, by: number): Step {
  const { tx } = step
  return tx.nonce === null ? step : { ...step, tx: { ...tx, nonce: tx.nonce + by } }
}

function kindsOf(text: string | undefined): readonly string[] {
  if (text === undefined) return LOG_KINDS
  const kinds = [...new Set(text.split(','))]
  const unknown = kinds.find((kind) => !(LOG_KINDS as readonly string[]).includes(kind))
  if (unknown !== undefined) {
    fail('BAD_REQUEST', { field: 'kinds', message: `\`kinds\` must be among ${LOG_KINDS.join(', ')}.` })
  }
  return kinds
}

const describeLog = (row: LogRow): Answer<'hosted.logs'>['rows'][number] => ({
  id: row.id,
  ts: Math.floor(row.at_ms / 1_000),
  kind: row.kind,
  code: row.code,
  message: row.message,
  ...(row.tick !== null && { tick: row.tick }),
  fee_bps: row.fee_bps,
  fee_class: row.fee_class,
  fee_tier: row.fee_tier,
  ...(row.data !== null && { data: row.data }),
})

function describeExecutor(
  { chain_id }: HostedRoutes['profile'],
  now: ExecutorNow,
): Answer<'hosted.executor'> {
  const { agent, executor, balanceWei, minWei, topUp } = now
  return {
    executor,
    balance_wei: balanceWei.toString(),
    balance_usd: dollars(now, balanceWei),
    min_balance_wei: minWei.toString(),
    min_balance_usd: dollars(now, minWei),
    enough: balanceWei >= minWei,
    top_up: topUp && { ...topUpJson(now, topUp), chain_id, message: topUpText(now, topUp) },
    refund: {
      available: now.whyNoRefund === null,
      why_not: now.whyNoRefund,
      route: `POST /api/v1/hosted/${agent.id}/refund-gas`,
      last: now.lastRefund && describeRefund(now.lastRefund, { already: true }),
    },
    executor_attestation: agent.executorAttestation && { ...agent.executorAttestation },
    trades_left: now.tradesLeft,
    closed: now.closed,
    retired: now.retired.map((one) => ({
      executor: one.executor,
      balance_wei: one.balanceWei.toString(),
      retired_at: one.retiredAtS,
      closed: one.closedAtS !== null,
    })),
  }
}

type TopUp = NonNullable<ExecutorNow['topUp']>

const topUpJson = (now: ExecutorNow, { wei, trades }: TopUp) => ({
  to: now.executor,
  amount_wei: wei.toString(),
  amount_usd: dollars(now, wei),
  trades,
})

function topUpText(now: ExecutorNow, { wei, trades }: TopUp): string {
  const usd = dollars(now, wei)
  const worth = usd === null ? '' : ` (about ${grouped(usd.toFixed(2))} dollars)`
  return (
    `Send ${roundedEther(wei)}${worth} from any wallet to ${now.executor}: gas for about ${trades} ` +
    'trades at today’s fees. Stop the agent and use refund-gas to get back the rest.'
  )
}

const E30 = 10n ** 30n

const dollars = ({ ethPriceE18 }: ExecutorNow, wei: bigint): number | null =>
  ethPriceE18 === null ? null : usdOf((wei * ethPriceE18) / E30)

/** Rounded up to a millionth, so that the amount suffices. */
const roundedEther = (wei: bigint): string => etherText(divUp(wei, 10n ** 12n) * 10n ** 12n)
