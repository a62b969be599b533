import { bytesToHex, fromWireOrders, orderFault } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { type Answer, fail, isPitError } from '@pit/protocol'
import type { Planned, PlanTx, TradePlan, TradeQuote } from '@pit/trading'
import { limitFromUse } from '@pit/trading'
import type { SessionDeps } from '../deps.ts'
import { addOrders } from '../orderParts.ts'
import {
  type ClientRequest,
  type Draft,
  findByClientId,
  markShared,
  readDraft,
  storeAnswer,
  writeDraft,
} from './clientIdTrades.ts'
import { describeTrade } from './describeTrade.ts'
import { type Executor, executorTx, readExecutor, redeemData, wholeLeaf } from './executor.ts'
import { countOf, type OpenedSession, openFor, openingFactsOf } from './openFor.ts'
import { findUnverified, planSession } from './planTrade.ts'
import { readCall } from './readCall.ts'
import { repeatLeaf, requestLeaf, type SignedLeaf } from './requestLeaf.ts'
import { refuseBySession } from './rules.ts'
import { lacking, simulateCall, simulateExact, tryFirst } from './simulateTrade.ts'
import type { CosignedTrade, SessionTrade, SessionTradeParams, SignedList } from './types.ts'
import { withWantedSignature } from './wantedSignature.ts'

/** Plans a trade within the session's limits and has it co-signed for its executor. Records refusals. */
export async function tradeInSession(deps: SessionDeps, request: SessionTradeParams): Promise<SessionTrade> {
  const startedAt = performance.now()
  const opened = await openFor(deps, request)
  const { session } = opened
  const seen: Seen = { isQuoting: false }
  try {
    return await tradeOnce(deps, { ...request, ...opened, startedAt }, seen)
  } catch (error) {
    // A trade that a hosted agent's own terms reject is not a session refusal.
    const isOwn = request.path === 'hosted' && seen.isQuoting
    if (!isOwn && isPitError(error) && (error.status === 409 || error.status === 422)) {
      deps.recordRefusal({
        keyId: request.by.keyId,
        wallet: session.wallet,
        path: request.path,
        code: error.code,
        tokenIn: request.tokenIn,
        tokenOut: request.tokenOut,
        amountIn: seen.quote?.amountIn ?? request.amountIn ?? null,
        sessionId: session.id,
      })
    }
    throw error
  }
}

/** Progress of a trade. */
interface Seen {
  isQuoting: boolean
  quote?: TradeQuote
}

type OpenedTrade = SessionTradeParams & OpenedSession & { startedAt: number }

/** Resumes the trade with this client_id. */
async function tradeOnce(deps: SessionDeps, request: OpenedTrade, seen: Seen): Promise<SessionTrade> {
  const name = nameOf(request)
  for (;;) {
    const before = name && (await resumeTrade(deps, request, name))
    if (before) return before
    if (request.path === 'session' && request.list) await registerList(deps, request.session, request.list)
    const made = await trade(deps, request, seen)
    // Otherwise another request was first under the same client_id.
    if (made) return name && made.kind === 'cosigned' ? storeResponse(deps, made, name) : made
  }
}

/** Repeating it changes nothing. */
async function registerList(
  { db, cosigner, randomBytes }: SessionDeps,
  { id, rootHash }: OpenedTrade['session'],
  signed: SignedList,
): Promise<void> {
  const list = fromWireOrders(signed.list)
  const fault = orderFault(list)
  if (fault) {
    const at = fault.index === null ? '' : `orders.${fault.index}.`
    const field = `order.list.${at}${fault.field}`
    fail('BAD_REQUEST', { field, message: `\`${field}\` ${fault.message}.` })
  }
  const challenge = bytesToHex(randomBytes(32))
  const { ids } = await cosigner.registerOrders({ root_hash: rootHash, ...signed, challenge })
  await addOrders(db, id, new Map(list.orders.map((order, i) => [ids[i]!, order])))
}

const nameOf = (request: OpenedTrade): ClientRequest | null =>
  (request.path === 'session' && request.name) || null

/**
 * A trade already counted under this client_id: the stored response or, if none is stored or its plan belongs
 * to another key, the same leaf again. Null if there is none.
 */
async function resumeTrade(
  deps: SessionDeps,
  request: OpenedTrade,
  name: ClientRequest,
): Promise<SessionTrade | null> {
  const { session, by, startedAt } = request
  const { db, clock } = deps
  const before = await findByClientId(db, session.id, name)
  if (!before) return null
  if (session.status === 'revoked') fail('SESSION_REVOKED')
  if (before.answer !== null && before.keyId === by.keyId)
    return describeStored(deps, JSON.parse(before.answer))
  if (before.draft === null) {
    const message =
      '`client_id` belongs to a trade co-signed over a day ago, whose response is no longer stored. ' +
      'Look it up in me/trades. Use a new client_id for a new trade.'
    fail('BAD_REQUEST', { field: 'client_id', message })
  }
  if (!(await markShared(db, before.id, clock.nowMs()))) return null
  const draft = readDraft(before.draft)
  const executor = await readExecutor(deps, session.executor)
  const named = { ...name, keyId: before.keyId, draft: before.draft }
  const signedLeaf = await repeatLeaf(deps, { session, draft, named, id: before.id })
  if (!signedLeaf) return null
  return storeResponse(
    deps,
    await finish(deps, request, { draft, executor, signedLeaf, plannedAt: startedAt }),
    name,
  )
}

/** Persists the response first, so a retry returns the same one. */
async function storeResponse(
  deps: SessionDeps,
  trade: CosignedTrade,
  name: ClientRequest,
): Promise<SessionTrade> {
  return describeStored(deps, await storeAnswer(deps.db, trade.session.id, name, describeTrade(trade)))
}

/** After its leaf expired it can no longer be sent; whether it was sent is on chain. */
function describeStored({ clock }: SessionDeps, answer: Answer<'live.session.trade'>): SessionTrade {
  const ends = Number(answer.leaf?.['expires'])
  if (nowS(clock) < ends) return { kind: 'named', answer }
  const message = `The leaf expired at ${ends}. Look the trade up in me/trades. Use a new client_id for a new trade.`
  const ended = { code: 'COSIGNED', ok: false, severity: 'info', message } as const
  return { kind: 'named', answer: { ...answer, ready: false, checks: [...answer.checks, ended] } }
}

/** Null if another request counted it first under the same client_id. */
async function trade(deps: SessionDeps, request: OpenedTrade, seen: Seen): Promise<SessionTrade | null> {
  const { session, used, openPart } = request
  const openingFacts = openingFactsOf(deps, request)
  refuseBySession(openingFacts)
  // Report a missing signer before reading anything.
  await deps.cosigner.address()

  seen.isQuoting = true
  const onQuote = (quote: TradeQuote) => {
    if (request.path === 'hosted') request.judge(quote)
    Object.assign(seen, { quote, isQuoting: false })
  }
  const [planned, executor] = await Promise.all([
    planSession(deps, request, onQuote),
    readExecutor(deps, session.executor),
  ])
  const { quote } = planned.request
  const microUsd = countOf(openingFacts, quote)
  const call = readCall(deps, session, planned)
  const facts = {
    ...openingFacts,
    microUsd,
    call,
    fee: quote.fee,
    ...(session.binding.version < 3 && { unverified: await findUnverified(deps, session, quote) }),
  }
  const checks = refuseBySession(facts)

  const draft: Draft = { planned, call, checks, ...(request.order && { order: request.order }) }
  const missing = lacking(planned, draftTx(deps, draft, executor), executor)
  if (request.fund === true || (request.fund === 'auto' && missing.length > 0)) {
    const simulation = await simulateCall(deps, planned, true)
    return { kind: 'tried', session, planned, call, checks, simulation, used, missing }
  }
  if (missing.length > 0)
    fail('SIMULATION_FAILED', { message: `The trade cannot be sent: ${missing.join('; ')}.` })
  await Promise.all([tryFirst(deps, planned), request.path === 'hosted' && request.beforeCosign()])
  const plannedAt = performance.now()
  const name = nameOf(request)
  const named = name && { ...name, keyId: request.by.keyId, draft: writeDraft(draft) }
  const signedLeaf = await requestLeaf(deps, { session, draft, named, facts, openPart }).catch(
    (error: unknown) => {
      throw withWantedSignature(deps, { session, planned, path: request.path }, error)
    },
  )
  return signedLeaf && finish(deps, request, { draft, executor, signedLeaf, plannedAt })
}

const draftTx = (deps: SessionDeps, { call, planned }: Draft, executor: Executor): PlanTx =>
  executorTx(deps.addresses().delegation, executor, { call, data: '0x', planned })

interface Signed {
  draft: Draft
  executor: Executor
  signedLeaf: SignedLeaf
  plannedAt: number
}

/** Builds the executor's transaction for a co-signed leaf, simulates it and stores it for the relay. */
async function finish(
  deps: SessionDeps,
  request: OpenedTrade,
  { draft, executor, signedLeaf, plannedAt }: Signed,
): Promise<CosignedTrade> {
  const { session } = request
  const { planned, call, checks } = draft
  const { timings } = planned
  const signedAt = performance.now()
  const leaf = wholeLeaf(deps.addresses(), session, signedLeaf.answer)
  const tx: PlanTx = { ...draftTx(deps, draft, executor), data: redeemData(session, call, leaf) }
  const [simulation] = await Promise.all([
    simulateExact(deps, planned, tx, executor),
    store(deps, request, planned, tx),
    signedLeaf.settled,
  ])
  const ran = simulation.transactions[0]
  const measured = ran?.ok ? { ...tx, gas: limitFromUse(ran.gasUsed) } : tx
  timings['reserve'] = ms(signedLeaf.reserveMs)
  timings['cosign'] = ms(signedAt - plannedAt - signedLeaf.reserveMs)
  timings['simulate'] = ms(performance.now() - signedAt)
  timings['total'] = ms(performance.now() - request.startedAt)
  const canPay = executor.balanceWei >= BigInt(measured.gas) * measured.maxFeePerGasWei
  return {
    kind: 'cosigned',
    session,
    planned,
    call,
    checks,
    simulation,
    cosigned: signedLeaf.answer,
    leaf,
    tx: measured,
    ready: simulation.ok && canPay,
  }
}

/** Only stored plans are relayed. The trade belongs to the wallet, also if the executor sends it. */
function store(
  { storePlan }: SessionDeps,
  { session, by, path }: OpenedTrade,
  { plan }: Planned,
  tx: PlanTx,
): Promise<void> {
  const swap = plan.steps.find(({ kind }) => kind === 'swap')!
  const stored: TradePlan = { ...plan, steps: [{ ...swap, tx }] }
  return storePlan({ keyId: by.keyId, wallet: session.wallet, path, sessionId: session.id, plan: stored })
}

/** Milliseconds to a thousandth. */
const ms = (value: number): number => Math.round(value * 1_000) / 1_000
