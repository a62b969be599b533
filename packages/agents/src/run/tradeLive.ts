import type { Address } from '@pit/chain'
import { type Answer, type FeeClass, isPitError, type PitError } from '@pit/protocol'
import type { Session } from '@pit/sessions'
import { feesOf, judgeQuote, usdOf } from '@pit/trading'
import { pauseAgent } from '../store.ts'
import type { AgentToken } from '../types.ts'
import { holdAnswer } from './answerChecks.ts'
import type { RunDeps } from './deps.ts'
import { holdOrder, type OrderAsk, type OrderOutcome } from './holdOrder.ts'
import { moveOrder } from './orders.ts'
import { insertLogs } from './record.ts'
import { relayOrder } from './relayOrder.ts'
import { signTx } from './signTx.ts'
import { holdCodeOf } from './tradePaper.ts'

export interface LiveAsk extends OrderAsk {
  session: Session
  /** What the executor has for gas. */
  executorWei: bigint
}
type Deps = RunDeps

/** What redeeming and swapping may take, before it was simulated. */
const GAS_LIMIT = 700_000n

/**
 * Trades an order in the agent's session: planned and co-signed, checked as a careful client would, signed by the
 * executor, written down as signed, and only then relayed. From there on nothing signs it again.
 */
export async function tradeLive(deps: Deps, ask: LiveAsk): Promise<OrderOutcome> {
  const hold = (code: string, message: string, data?: Record<string, unknown>) =>
    holdOrder(deps, ask, { code, message, ...(data && { data }) })
  const before = await holdBefore(deps, ask)
  if (before) return hold(before.code, before.message)
  try {
    await judgeByOwnTerms(deps, ask)
    const { tx, answer } = await askSession(deps, ask)
    const facts = await readFacts(deps, ask, answer)
    const fault = holdAnswer({
      ...facts,
      answer,
      tx,
      session: ask.session,
      manager: deps.manager,
      order: ask.order,
      terms: ask.agent.terms,
    })
    if (fault) return await hold(fault.code, `${fault.message} Co-signed, but not signed by the executor.`)
    const signed = await signTx(deps, ask.session.executor, tx)
    if (!(await moveOrder(deps.db, ask.order.id, 'intended', { status: 'signed', txHash: signed.hash }))) {
      return 'failed'
    }
    return await relayOrder(deps, ask, { raw: signed.raw, hash: signed.hash, answer })
  } catch (error) {
    if (!isPitError(error)) throw error
    if (ENDED.has(error.code)) await endSession(deps, ask, error)
    return hold(holdCodeOf(error), error.message, refusalData(error))
  }
}

const ENDED: ReadonlySet<string> = new Set([
  'SESSION_REVOKED',
  'SESSION_EXPIRED',
  'SESSION_EXPIRY',
  'NO_SESSION',
])

/** What stands in the way before anything is planned or counted. */
async function holdBefore(
  deps: Deps,
  { agent, order, session, executorWei }: LiveAsk,
): Promise<{ code: string; message: string } | null> {
  if (!agent.live)
    return { code: 'LIVE_OFF', message: 'The agent’s live flag is off: it decides and does not trade.' }
  if (await deps.switches.killed())
    return { code: 'KILLED', message: 'The operator has stopped all hosted agents.' }
  if (!deps.submitEnabled || !(await deps.switches.liveEnabled())) {
    return { code: 'LIVE_OFF', message: 'Live trading is off on this server.' }
  }
  if (!deps.signer) return { code: 'SIGNER_REQUIRED', message: 'This server has no signer.' }
  if (await isChanged(deps, agent)) {
    return { code: 'CHANGED', message: 'The agent was changed, paused or stopped meanwhile.' }
  }
  const held = await deps.findTokenHold(agent, [order.tokenIn, order.tokenOut], session)
  if (held) return held
  const gasWei = GAS_LIMIT * feesOf(deps.market.head()?.baseFeeWei ?? 0n).maxFeePerGasWei
  if (executorWei < gasWei) {
    return {
      code: 'EXECUTOR_GAS',
      message: `The executor ${session.executor} holds ${executorWei} wei; a trade’s gas may cost ${gasWei}. Send it some ETH.`,
    }
  }
  return null
}

async function isChanged({ db }: Deps, { id, claim, revision }: LiveAsk['agent']): Promise<boolean> {
  const rows = await db.query(
    `select 1 from hosted_agents where id = $1 and lease_by = $2 and revision = $3 and status = 'active'
       and deleted_at_s is null`,
    [id, claim, revision],
  )
  return rows.length === 0
}

const askSession = ({ sessions }: Deps, { agent, order, session }: LiveAsk) =>
  sessions.tradeHosted({
    sessionId: session.id,
    agentId: agent.id,
    keyId: agent.keyId,
    tokenIn: order.tokenIn.token,
    tokenOut: order.tokenOut.token,
    notionalMicroUsd: order.microUsd,
    // The owner's word stands: it was looked up before.
    ownerAttestsNonUs: order.tokenIn.stock || order.tokenOut.stock,
  })

/** The agent may be held to more than its session: by its own terms it is judged before anything is counted. */
async function judgeByOwnTerms({ quoteTrade }: Deps, { agent, order }: LiveAsk): Promise<void> {
  const { terms } = agent
  const quote = await quoteTrade({
    ...tradeOf(agent.wallet, order),
    notionalUsd: usdOf(order.microUsd),
    shield: terms.shield,
    policies: terms.policies,
  })
  judgeQuote(quote, { acceptRisks: terms.acceptRisks, attestsNonUs: true })
}

const tradeOf = (wallet: Address, { tokenIn, tokenOut }: LiveAsk['order']) =>
  ({
    wallet,
    tokenIn: tokenIn.token,
    tokenOut: tokenOut.token,
    venues: ['venue_pool', 'venue_curve'],
    fast: false,
    // Nobody asks: the agent trades what its owner named when it was made.
    admit: async () => {},
  }) as const

/** The service's own reading of what the answer says. */
async function readFacts(
  deps: Deps,
  { agent, order, session }: LiveAsk,
  answer: Answer<'live.session.trade'>,
) {
  const { tokenIn, tokenOut } = order
  const [tierBps, feeClass, quote] = await Promise.all([
    deps.tierBps(session.wallet),
    feeClassOf(deps, [tokenIn, tokenOut]),
    deps.quoteTrade({
      ...tradeOf(session.wallet, order),
      amountIn: BigInt(answer.swap.amount_in),
      shield: false,
      policies: null,
      feeBps: () => answer.fee_bps,
    }),
  ])
  const { outcome } = judgeQuote(quote, { acceptRisks: agent.terms.acceptRisks, attestsNonUs: true })
  return {
    tierBps,
    feeClass,
    quoted: { expected: outcome.expected, slippageCapBps: quote.slippageCapBps },
    marks: { in: deps.market.mark(tokenIn.address), out: deps.market.mark(tokenOut.address) },
  }
}

/** By the two tokens alone; null where it cannot be read whether one is a stock token. */
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
  { agent, tick, session }: LiveAsk,
  error: PitError,
): Promise<void> {
  await db.transaction(async (sql) => {
    const reason = { code: 'SESSION_ENDED', session_id: session.id, why: error.code } as const
    if (!(await pauseAgent(sql, agent.id, reason))) return
    await insertLogs(sql, [
      {
        agentId: agent.id,
        tick,
        atMs: clock.nowMs(),
        kind: 'session',
        code: 'SESSION_ENDED',
        message: `The agent pauses: ${error.message}`,
        data: { session_id: session.id },
      },
    ])
  })
}

/** What a refusal says beyond its words: the checks that failed, here and at the signer. */
function refusalData({ extras }: PitError): Record<string, unknown> {
  const { signer_checks, checks } = extras as { signer_checks?: unknown; checks?: { ok?: boolean }[] }
  return {
    ...(signer_checks !== undefined && { signer_checks }),
    ...(Array.isArray(checks) && { checks: checks.filter(({ ok }) => ok === false) }),
  }
}
