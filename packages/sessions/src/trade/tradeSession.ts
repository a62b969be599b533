import type { Address } from '@pit/chain'
import type { Caller } from '@pit/platform/call'
import { nowS } from '@pit/platform/clock'
import { fail, isPitError } from '@pit/protocol'
import type { Planned, PlanTx, TradePlan, TradeQuote } from '@pit/trading'
import { limitFromUse } from '@pit/trading'
import type { SessionDeps } from '../deps.ts'
import { findWithUse } from '../store.ts'
import type { Session, Used } from '../types.ts'
import { askLeaf } from './askLeaf.ts'
import { describeDryTrade, describeTrade, type TradeAnswer } from './describeTrade.ts'
import { type Executor, executorTx, readExecutor } from './executor.ts'
import { findUnverified, namedTokens, planSession, type TradeBody } from './planTrade.ts'
import { readCall } from './readCall.ts'
import { redeemData, wholeLeaf } from './redeem.ts'
import { refuseBySession, type TradeFacts } from './rules.ts'
import { lacking, simulateCall, simulateExact, tryFirst } from './simulateTrade.ts'
import { whyUnbound } from './unbound.ts'

/** live/session/trade: a plan inside the session's bounds, co-signed for the executor. */
export async function tradeSession(
  deps: SessionDeps,
  { body, caller }: { body: TradeBody; caller: Caller },
): Promise<TradeAnswer> {
  const startedAt = performance.now()
  const opened = await openSession(deps, body.session_id, caller)
  const { answer } = await tradeOpened(deps, { ...opened, body, caller, startedAt, path: 'session' })
  return answer
}

/** What came of a trade; `tx` is the executor's, null when nothing was co-signed. */
export interface Traded {
  tx: PlanTx | null
  answer: TradeAnswer
}

/** The same for whoever was let into the session; what it refuses is recorded. */
export async function tradeOpened(deps: SessionDeps, ask: Omit<TradeAsk, 'onQuote'>): Promise<Traded> {
  const { session, body, caller, path } = ask
  let quote: TradeQuote | undefined
  try {
    return await tradeIn(deps, {
      ...ask,
      onQuote: (priced) => {
        quote = priced
      },
    })
  } catch (error) {
    if (isPitError(error) && (error.status === 409 || error.status === 422)) {
      deps.recordRefusal({
        keyId: caller.key!.keyId,
        wallet: session.wallet,
        path,
        code: error.code,
        tokenIn: body.token_in,
        tokenOut: body.token_out,
        amountIn: quote?.amountIn ?? (body.amount_in === undefined ? null : BigInt(body.amount_in)),
        sessionId: session.id,
      })
    }
    throw error
  }
}

/** Open to the wallet's key and the executor's; nobody else hears of it. */
async function openSession(
  deps: SessionDeps,
  id: string,
  { key }: Caller,
): Promise<{ session: Session; used: Used }> {
  const wallet = key?.wallet ?? fail('WALLET_NOT_BOUND')
  const found = await findWithUse(deps.db, id, deps.clock.nowMs())
  if (!found || (found.session.wallet !== wallet && found.session.executor !== wallet)) {
    return fail('NO_SESSION', { field: 'session_id' })
  }
  refuseSanctioned(deps, found.session)
  return found
}

export function refuseSanctioned(
  { isSanctioned }: Pick<SessionDeps, 'isSanctioned'>,
  { wallet, executor }: Session,
): void {
  const parties: [string, Address][] = [
    ['session_wallet', wallet],
    ['executor', executor],
  ]
  for (const [field, address] of parties) if (isSanctioned(address)) fail('SANCTIONED', { field })
}

interface TradeAsk {
  session: Session
  used: Used
  body: TradeBody
  caller: Caller
  path: 'session' | 'hosted'
  startedAt: number
  /** The last word before anything is counted. Refuses by throwing. */
  beforeCosign?(): Promise<void>
  onQuote(quote: TradeQuote): void
}

async function tradeIn(deps: SessionDeps, ask: TradeAsk): Promise<Traded> {
  const { session, used, body } = ask
  const { clock, market, crypto } = deps
  const place = deps.place()
  const now = Math.max(nowS(clock), market.head()?.timestampS ?? 0)
  const begun: TradeFacts = {
    session,
    nowS: now,
    unbound: session.status === 'pending' ? null : whyUnbound(crypto, place, session),
    asked: { accept_risks: body.accept_risks, shield: body.shield, policies: body.policies },
    tokens: namedTokens(deps, body),
    used,
    ...(body.notional_usd !== undefined && { microUsd: BigInt(Math.round(body.notional_usd * 1e6)) }),
  }
  refuseBySession(begun)
  // A signer that is not there is said before anything is read for the trade.
  await deps.cosigner.address()

  const [planned, executor] = await Promise.all([
    planSession(deps, ask),
    readExecutor(deps, session.executor),
  ])
  const { timings } = planned
  const { quote } = planned.ask
  const microUsd = begun.microUsd ?? quote.notionalMicroUsd ?? fail('NO_MARK')
  const call = readCall(deps, session, planned)
  const facts = {
    ...begun,
    microUsd,
    call,
    fee: quote.fee,
    ...(session.binding.version < 3 && { unverified: await findUnverified(deps, session, quote) }),
  }
  const checks = refuseBySession(facts)

  const draft = executorTx(place.delegation, executor, { call, data: '0x', planned })
  const missing = lacking(planned, draft, executor)
  if (body.fund === true || (body.fund === 'auto' && missing.length > 0)) {
    const simulation = await simulateCall(deps, planned, true)
    const answer = describeDryTrade({ session, planned, call, checks, simulation, used, missing })
    return { tx: null, answer }
  }
  if (missing.length > 0) fail('SIMULATION_FAILED', { message: `It cannot be sent: ${missing.join('; ')}.` })
  await Promise.all([tryFirst(deps, planned), ask.beforeCosign?.()])
  const plannedAt = performance.now()
  const {
    answer: cosigned,
    reserveMs,
    settled,
  } = await askLeaf(deps, {
    session,
    call,
    facts,
    feeBps: quote.fee.bps,
    slippageBps: quote.slippageBps,
  })
  const signedAt = performance.now()
  const leaf = wholeLeaf(place, session, cosigned)
  const tx: PlanTx = { ...draft, data: redeemData(session, call, leaf) }
  const [simulation] = await Promise.all([
    simulateExact(deps, planned, tx, executor),
    store(deps, ask, planned, tx),
    settled,
  ])
  const ran = simulation.transactions[0]
  const measured = ran?.ok ? { ...tx, gas: limitFromUse(ran.gasUsed) } : tx
  timings['reserve'] = ms(reserveMs)
  timings['cosign'] = ms(signedAt - plannedAt - reserveMs)
  timings['simulate'] = ms(performance.now() - signedAt)
  timings['total'] = ms(performance.now() - ask.startedAt)
  const answer = describeTrade({
    session,
    planned,
    call,
    checks,
    simulation,
    answer: cosigned,
    leaf,
    tx: measured,
    ready: simulation.ok && canPay(executor, measured),
  })
  return { tx: measured, answer }
}

const canPay = ({ balanceWei }: Executor, { gas, maxFeePerGasWei }: PlanTx): boolean =>
  balanceWei >= BigInt(gas) * maxFeePerGasWei

/** What is not stored is not relayed. The trade is the wallet's, whoever carries it. */
function store(
  { storePlan }: SessionDeps,
  { session, caller, path }: TradeAsk,
  { plan }: Planned,
  tx: PlanTx,
): Promise<void> {
  const swap = plan.steps.find(({ kind }) => kind === 'swap')!
  const stored: TradePlan = { ...plan, steps: [{ ...swap, tx }] }
  return storePlan({
    keyId: caller.key!.keyId,
    wallet: session.wallet,
    path,
    sessionId: session.id,
    plan: stored,
  })
}

/** Milliseconds to a thousandth. */
const ms = (value: number): number => Math.round(value * 1_000) / 1_000
