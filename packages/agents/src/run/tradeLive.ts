import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { type FeeClass, fail, isPitError, type PitError, usdOf } from '@pit/protocol'
import type { CosignedTrade } from '@pit/sessions'
import type { SignerCheck } from '@pit/signer-wire'
import { feesOf, type Judgement, judgeQuote, type TradeQuote } from '@pit/trading'
import { writeLogs } from '../logs.ts'
import { endSigned, SESSION_ENDED } from '../signed/endSigned.ts'
import { storeWanted, type WantedSignature } from '../signed/wanted.ts'
import { pauseAgent } from '../store.ts'
import type { AgentToken } from '../types.ts'
import type { RunDeps } from './deps.ts'
import { holdOrder, type LiveRequest, type OrderOutcome } from './holdOrder.ts'
import { moveOrder } from './orders.ts'
import { relayOrder } from './relayOrder.ts'
import { signTx } from './signTx.ts'
import { holdTrade } from './tradeChecks.ts'
import { holdCodeOf } from './tradePaper.ts'
import type { SignedPart } from './types.ts'

type Deps = RunDeps

/** Upper bound of gas for redemption and swap, used before simulation. */
const GAS_LIMIT = 700_000n

/**
 * Trades an order in the agent's session: plan, co-sign, verify like a client, sign with the executor, store
 * as signed, relay. From then on it is never signed again.
 */
export async function tradeLive(deps: Deps, request: LiveRequest): Promise<OrderOutcome> {
  const hold = (code: string, message: string, data?: Record<string, unknown>) =>
    holdOrder(deps, request, { code, message, ...(data && { data }) })
  const before = await holdBefore(deps, request)
  if (before) return hold(before.code, before.message)
  try {
    const { trade, quoted } = await askSession(deps, request)
    const fault = holdTrade({
      ...(await readFacts(deps, request)),
      trade,
      quoted,
      session: request.session,
      manager: deps.manager,
      order: request.order,
      terms: request.agent.terms,
    })
    if (fault)
      return await hold(
        fault.code,
        `${fault.message} The trade was co-signed, but not signed by the executor.`,
      )
    const signed = await signTx(deps, request.session.executor, trade.tx)
    const isCurrent = await deps.db.transaction(async (sql) => {
      if (await isChanged(sql, request.agent)) throw new AgentChanged()
      const { bps, class: cls, tier } = trade.planned.request.quote.fee
      const fee = { bps, class: cls, tier }
      const { sequence } = trade.cosigned
      const end = { status: 'signed', txHash: signed.hash, fee, leafSequence: sequence } as const
      return moveOrder(sql, request.order.id, 'intended', end)
    })
    if (!isCurrent) return 'failed'
    return await relayOrder(deps, request, { ...signed, trade })
  } catch (error) {
    if (error instanceof AgentChanged) return hold('CHANGED', CHANGED)
    if (!isPitError(error)) throw error
    if (ENDED.has(error.code)) await endSession(deps, request, error)
    const control = controlCheck(error)
    if (control?.rule === 'SIGNATURE_REQUIRED') await keepWanted(deps, request, error)
    const message = control?.rule === 'ORDER_PRICE' ? priceText(control) : error.message
    return hold(control?.rule ?? holdCodeOf(error), message, refusalData(error))
  }
}

const ENDED: ReadonlySet<string> = new Set([
  'SESSION_REVOKED',
  'SESSION_EXPIRED',
  'SESSION_EXPIRY',
  'NO_SESSION',
])

/** Holds that apply before anything is planned or counted. */
async function holdBefore(
  deps: Deps,
  { agent, order, session, executorWei }: LiveRequest,
): Promise<{ code: string; message: string } | null> {
  if (!agent.live)
    return { code: 'LIVE_OFF', message: 'The agent is switched off, so it decides without trading.' }
  if (await deps.switches.killed())
    return { code: 'KILLED', message: 'The operator has stopped all hosted agents.' }
  if (!deps.submitEnabled || !(await deps.switches.liveEnabled())) {
    return { code: 'LIVE_OFF', message: 'Live trading is off on this server.' }
  }
  if (!deps.signer) return { code: 'SIGNER_REQUIRED', message: 'This server has no signer.' }
  if (await isChanged(deps.db, agent)) return { code: 'CHANGED', message: CHANGED }
  const tokenHold = await deps.findTokenHold(agent, [order.tokenIn, order.tokenOut], session)
  if (tokenHold) return tokenHold
  return findGasHold(deps, session.executor, executorWei)
}

export function findGasHold(
  { market }: Pick<Deps, 'market'>,
  executor: Address,
  executorWei: bigint,
): { code: 'EXECUTOR_GAS'; message: string } | null {
  const gasWei = GAS_LIMIT * feesOf(market.head()?.baseFeeWei ?? 0n).maxFeePerGasWei
  if (executorWei >= gasWei) return null
  return {
    code: 'EXECUTOR_GAS',
    message:
      `The executor ${executor} holds ${executorWei} wei; gas for a trade may cost ${gasWei} wei. ` +
      'Send ETH to it.',
  }
}

/** Thrown until the bytes are sent: a decision made for an older version of the agent must not trade. */
class AgentChanged extends Error {}
const CHANGED = 'The agent was changed, paused or stopped in the meantime.'

async function isChanged(sql: Sql, { id, claim, revision }: LiveRequest['agent']): Promise<boolean> {
  const rows = await sql.query(
    `select 1 from hosted_agents where id = $1 and lease_by = $2 and revision = $3 and status = 'active'
       and deleted_at_s is null`,
    [id, claim, revision],
  )
  return rows.length === 0
}

type Quoted = { expected: bigint; slippageCapBps: number }

/**
 * The plan's only quote is checked against the agent's own terms before anything is counted, and returned.
 */
async function askSession(
  deps: Deps,
  request: LiveRequest,
): Promise<{ trade: CosignedTrade; quoted: Quoted }> {
  const { agent, order, session } = request
  let quoted: Quoted | undefined
  const trade = await deps.sessions.tradeInSession({
    path: 'hosted',
    sessionId: session.id,
    agentId: agent.id,
    by: { keyId: agent.keyId, wallet: session.wallet },
    tokenIn: order.tokenIn.token,
    tokenOut: order.tokenOut.token,
    ...(order.signed ? signedTerms(order.signed) : { notionalUsd: usdOf(order.microUsd) }),
    // The owner's attestation was checked before.
    ownerAttestsNonUs: order.tokenIn.stock || order.tokenOut.stock,
    fund: false,
    // No rate limit: the agent trades only tokens its owner chose when creating it.
    admit: async () => {},
    judge(quote) {
      const { outcome } = judgeByOwnTerms(quote, agent.terms)
      quoted = { expected: outcome.expected, slippageCapBps: quote.slippageCapBps }
    },
    async beforeCosign() {
      if (await isChanged(deps.db, agent)) throw new AgentChanged()
      await refuseSwitchedOff(deps)
    },
  })
  // Without borrowed funds a trade is either co-signed or refused.
  if (trade.kind !== 'cosigned' || !quoted) throw new Error('a hosted trade returned no transaction')
  return { trade, quoted }
}

/** Exactly the part of the signed order, within its bounds. */
const signedTerms = ({ id, part, rounds, amountIn, minAmountOut, maxSlippageBps }: SignedPart) => ({
  amountIn,
  orderBounds: { amountIn, minAmountOut, maxSlippageBps },
  order: { id, part, rounds },
})

/** The agent's terms may be stricter than its session's. */
function judgeByOwnTerms(quote: TradeQuote, terms: LiveRequest['agent']['terms']): Judgement {
  const { shield, policies, acceptRisks } = terms
  return judgeQuote(
    { ...quote, request: { ...quote.request, shield, policies } },
    { acceptRisks, attestsNonUs: true },
  )
}

/** Checks the operator's switches before every co-signature. */
async function refuseSwitchedOff({ switches }: Deps): Promise<void> {
  if (await switches.killed()) fail('KILLED')
  if (!(await switches.liveEnabled())) fail('LIVE_DISABLED')
}

/** Reads the expected values of a trade. */
async function readFacts(deps: Deps, { order: { tokenIn, tokenOut }, session }: LiveRequest) {
  const [tierBps, feeClass] = await Promise.all([
    deps.tierBps(session.wallet),
    feeClassOf(deps, [tokenIn, tokenOut]),
  ])
  const marks = { in: deps.market.mark(tokenIn.address), out: deps.market.mark(tokenOut.address) }
  return { tierBps, feeClass, marks }
}

/** Fee class by the two tokens alone; null if it is unknown whether one is a stock token. */
async function feeClassOf({ core, tokens }: Deps, ends: readonly AgentToken[]): Promise<FeeClass | null> {
  let cls: FeeClass = 'major'
  for (const { address } of ends) {
    if (core.has(address)) continue
    const beacon = (await tokens.find(address))?.record.stock_beacon
    if (beacon === undefined || beacon === null) return null
    if (!beacon) cls = 'other'
  }
  return cls
}

async function endSession(
  { db, clock }: Deps,
  { agent, tick, session }: LiveRequest,
  error: PitError,
): Promise<void> {
  await db.transaction(async (sql) => {
    const reason = { code: 'SESSION_ENDED', session_id: session.id, why: error.code } as const
    if (!(await pauseAgent(sql, agent.id, reason))) return
    await writeLogs(sql, {
      agentId: agent.id,
      tick,
      atMs: clock.nowMs(),
      kind: 'session',
      code: 'SESSION_ENDED',
      message: `The agent was paused: ${error.message}`,
      data: { session_id: session.id },
    })
    await endSigned(sql, agent.id, SESSION_ENDED, clock.nowMs())
  })
}

/** The co-signer's rules of orders and brakes; they hold an order under their own name. */
const CONTROL_RULE = /^(ORDER_[A-Z]+|BREAKER(_UNPRICED)?|SIGNATURE_REQUIRED|SESSION_NONCE)$/

function controlCheck({ extras }: PitError): SignerCheck | undefined {
  const { signer_checks: checks } = extras as { signer_checks?: readonly SignerCheck[] }
  return checks?.find(({ rule }) => CONTROL_RULE.test(rule))
}

/** In basis points, unless the check is about atoms. */
const priceText = ({ message, value, limit }: SignerCheck): string =>
  typeof value === 'number' && typeof limit === 'number'
    ? `The minimum is ${value} bps below the co-signer’s price; the order allows ${limit} bps, fee included.`
    : message

/** Keeps what the owner may sign so that the trade passes. */
async function keepWanted({ db, clock }: Deps, { agent }: LiveRequest, { extras }: PitError): Promise<void> {
  const { orders } = extras as { orders?: WantedSignature }
  if (orders) await storeWanted(db, agent.id, orders, clock.nowMs())
}

/** Failed checks of a refusal, ours and the signer's. */
function refusalData({ extras }: PitError): Record<string, unknown> {
  const { signer_checks, checks } = extras as { signer_checks?: unknown; checks?: { ok?: boolean }[] }
  return {
    ...(signer_checks !== undefined && { signer_checks }),
    ...(Array.isArray(checks) && { checks: checks.filter(({ ok }) => ok === false) }),
  }
}
