import { type Address, type Hex, NATIVE } from '@pit/chain'
import { type BodyInput, maxOf, TRADE } from '@pit/protocol'
import type { Transaction } from '../account.ts'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { broken, isRefusal, must, PitRefusal, readingAnswer, refuse } from '../errors.ts'
import { readOwn } from '../own/readOwn.ts'
import { readTokenFacts } from '../own/tokenFacts.ts'
import { type Pins, tokenNamed } from '../pins.ts'
import { reviewedTokens, reviewTrade } from '../review/reviewTrade.ts'
import { refuseUnfunded } from '../unfunded.ts'
import type { Plan, PlanFacts, TradeParams } from '../verify/facts.ts'
import { feesOf, triedGas } from '../verify/gas.ts'
import type { OwnReading } from '../verify/ownReading.ts'
import { gasOf, readPlan } from '../verify/readPlan.ts'
import { type Checked, checkBytes, checkOwn } from '../verify/rules.ts'
import type { Verified } from '../verify/verified.ts'
import { type Bound, type Followed, follow, type SignedTrade, signedFee } from './follow.ts'
import type { HandedStage } from './handOver.ts'
import { mustMatchConfirmed, signPermit } from './permit.ts'
import { type Receipt, sendSigned } from './sendSigned.ts'

/**
 * Progress of a trade.
 * @public
 */
export type TradeStage =
  | { stage: 'planned'; plan: Plan }
  | { stage: 'verified'; plan: Plan; checks: readonly Checked[] }
  /** The permit that the plan needs is signed, and the plan that carries it is verified. */
  | { stage: 'permitted'; plan: Plan }
  | { stage: 'signed'; hashes: readonly Hex[]; signed: SignedTrade }
  | HandedStage
  | { stage: 'mined'; receipt: Receipt }

/**
 * Options of `trade`.
 * @public
 */
export interface TradeOptions extends VerbOptions {
  onStage?(stage: TradeStage): void
  /** Asked once everything is verified; false ends it with nothing signed. */
  confirm?(plan: Plan, checks: readonly Checked[]): Promise<boolean> | boolean
}

/**
 * Result of `trade`.
 * @public
 */
export interface TradeResult extends Verified, Followed {
  hashes: readonly Hex[]
}

/**
 * Plans, verifies, signs, has relayed and follows one trade.
 * @param request tokens, size and terms
 * @param options `onStage` reports progress; `confirm` decides once everything is verified
 * @returns plan, checks, receipt and what was received, by your own node
 * @throws VERIFICATION_FAILED a check failed (`rule`), nothing was signed
 * @throws INSUFFICIENT_FUNDS the wallet cannot pay input and gas
 * @throws NOT_CONFIRMED `confirm` returned false
 * @throws TX_REVERTED mined and reverted
 * @throws MINED_MISMATCH the mined result is not what was signed
 * @example
 * ```ts
 * const sale = await client.trade({ token_in: 'ETH', token_out: 'USDG', notional_usd: 25 })
 * console.log(`${sale.amountOut} atoms of USDG in block ${sale.receipt.block}`)
 * ```
 */
export async function trade(
  deps: ClientDeps,
  request: TradeParams,
  options: TradeOptions = {},
): Promise<TradeResult> {
  const verified = await plan(deps, request, options)
  if (options.confirm && !(await options.confirm(verified.plan, verified.checks)))
    throw new PitRefusal('NOT_CONFIRMED', 'The trade was not confirmed; nothing was signed.')
  return send(deps, verified, options)
}

/**
 * A trade on a launchpad's curve: a token for what its curve takes, or back.
 * @public
 */
export type CurveParams = Omit<
  TradeParams,
  'token_in' | 'token_out' | 'venues' | 'notional_usd' | 'amount_in'
> & {
  side: 'buy' | 'sell'
  /** The token on the curve. */
  token: Address
  /** The token that the curve accepts and pays; ETH by default. */
  pair?: string
} & ({ notional_usd: number } | { amount_in: string })

/**
 * As `trade`, on the token's launchpad curve alone.
 * @param params side, token and size
 * @param options as for `trade`
 * @returns as `trade`
 * @throws VERIFICATION_FAILED as for `trade`
 * @throws NO_ROUTE the token is not on a live curve
 * @example
 * ```ts
 * const buyOnCurve = (token: `0x${string}`) =>
 *   client.curveTrade({ side: 'buy', token, notional_usd: 10, accept_risks: ['CURVE', 'NO_REFERENCE'] })
 * ```
 */
export function curveTrade(
  deps: ClientDeps,
  { side, token, pair = 'ETH', ...params }: CurveParams,
  options: TradeOptions = {},
): Promise<TradeResult> {
  const [token_in, token_out] = side === 'buy' ? [pair, token] : [token, pair]
  return trade(deps, { ...params, token_in, token_out, venues: ['venue_curve'] } as TradeParams, options)
}

/** A moving market can break these rules between two blocks; a fresh plan may pass. */
const WORTH_A_FRESH_PLAN: ReadonlySet<unknown> = new Set(['QUOTE_OWN', 'PRICE', 'IMPACT_OWN'])
const MAX_PLANS = 5
/** Until the service has seen the block that the client saw. */
const FRESH_PLAN_MS = 250

/**
 * A plan that passed every check. Nothing is signed, permits included; `send` signs.
 * @param request tokens, size and terms
 * @param options `signal`, `onStage`
 * @returns the plan with its checks, for `send`
 * @throws VERIFICATION_FAILED a check failed (`rule`)
 * @throws INSUFFICIENT_FUNDS the wallet cannot pay input and gas
 * @example
 * ```ts
 * const verified = await client.plan({ token_in: 'ETH', token_out: 'USDG', notional_usd: 10 })
 * for (const { rule, says } of verified.checks) console.log(rule, says)
 * ```
 */
export async function plan(
  deps: ClientDeps,
  request: TradeParams,
  options: TradeOptions = {},
): Promise<Verified> {
  await deps.checked()
  return withFreshPlans(deps, options, () => planOnce(deps, request, request, options))
}

async function withFreshPlans(
  deps: ClientDeps,
  { signal }: VerbOptions,
  planAgain: () => Promise<Verified>,
): Promise<Verified> {
  for (let plans = 1; ; plans++) {
    try {
      return await readingAnswer('RECIPIENT', planAgain)
    } catch (error) {
      if (!isRefusal(error) || !WORTH_A_FRESH_PLAN.has(error.rule) || plans === MAX_PLANS) throw error
      await deps.sleep(FRESH_PLAN_MS, signal)
    }
  }
}

/** Requests a plan with `body` and verifies it against the owner's request. */
async function planOnce(
  deps: ClientDeps,
  request: TradeParams,
  body: TradeParams,
  options: TradeOptions,
): Promise<Verified> {
  const { pins, account } = deps
  const [tokenIn, tokenOut] = [named(pins, request.token_in), named(pins, request.token_out)]
  const answered = await prepare(deps, { ...body, wallet: account.address }, options)
  options.onStage?.({ stage: 'planned', plan: answered })
  const facts: PlanFacts = {
    pins,
    wallet: account.address,
    request,
    tokenIn,
    tokenOut,
    plan: answered,
    nowS: Math.floor(deps.nowMs() / 1000),
  }
  return verify(deps, facts, options)
}

/** Signs the permit a confirmed plan waits for, and verifies the plan that carries it. */
async function permitted(deps: ClientDeps, confirmed: Verified, options: TradeOptions): Promise<Verified> {
  const { request, plan: first, reading } = confirmed
  const permit_signature = await signPermit(deps, reading.permit!.permit)
  const body = {
    ...request,
    permit_signature,
    permit_now: first.permit_now!,
    // The confirmed route and minimum, so that an honest service plans the same trade again.
    route_id: first.route.id,
    min_amount_out: first.amount_out_min,
  }
  const { signal } = options
  const next = await withFreshPlans(deps, { signal }, async () => {
    const planned = await planOnce(deps, request, body, { signal })
    mustMatchConfirmed(confirmed, permit_signature, planned)
    return planned
  })
  options.onStage?.({ stage: 'permitted', plan: next.plan })
  return next
}

async function prepare(
  deps: ClientDeps,
  body: TradeParams & { wallet: Address },
  { signal }: VerbOptions,
): Promise<Plan> {
  // Exactly one size: the server says which is missing or too many.
  const answer = await deps.api['live.prepare']({ body: body as BodyInput<'live.prepare'> }, { signal })
  if (!('amount_out_min' in answer)) return broken('RECIPIENT', 'the answer is not a plan for a trade')
  return answer
}

async function verify(deps: ClientDeps, facts: PlanFacts, options: TradeOptions): Promise<Verified> {
  const { plan: answered, request, wallet, pins } = facts
  const lacking = answered.missing.filter(({ what }) => what !== 'permit_signature')
  if (lacking.length > 0) refuseUnfunded(pins, wallet, lacking, answered)
  const isAwaited = answered.permit !== null
  if (!answered.ready && !isAwaited)
    refuse('INSUFFICIENT_FUNDS', 'the plan is not ready, and the server does not report what is missing')
  must(!answered.ready || !isAwaited, 'RECIPIENT', 'a plan that waits for a permit is said to be ready')
  const reading = readPlan(facts)
  const terms = { ...facts, reading, accepted: request.accept_risks ?? [] }
  const first = checkBytes(terms)
  const [own, tokens] = await Promise.all([
    readOwn(deps.rpc, facts, reading, { nowMs: deps.nowMs(), signal: options.signal }),
    readTokenFacts(deps.rpc, pins, reviewedTokens(reading), options.signal),
  ])
  const checks = [...first, ...checkOwn(terms, own)]
  checkFunds(facts, own)
  options.onStage?.({ stage: 'verified', plan: answered, checks })
  const verified = { request, plan: answered, checks, reading, own }
  return { ...verified, review: reviewTrade({ pins, wallet, tokens }, verified) }
}

function checkFunds({ plan: answered, pins, wallet }: PlanFacts, own: OwnReading): void {
  let need = 0n
  for (const { tx } of answered.steps) {
    if (!tx) continue
    need += BigInt(tx.value) + gasOf(pins, tx) * feesOf(own).maxFeePerGas
  }
  if (own.etherWei < need)
    refuseUnfunded(pins, wallet, [{ token: NATIVE, have: `${own.etherWei}`, need: `${need}` }], answered)
}

/**
 * Signs a verified plan, sends it and checks that the mined result matches what was signed.
 * @param verified the result of `plan`
 * @param options `signal`, `onStage`
 * @returns as `trade`
 * @throws TX_REVERTED mined and reverted
 * @throws NOT_MINED the transactions are not mined; look at `fate` before you retry
 * @throws MINED_MISMATCH the mined result is not what was signed
 * @example
 * ```ts
 * const sent = await client.send(verified)
 * console.log(sent.receipt.hash)
 * ```
 */
export async function send(
  deps: ClientDeps,
  verified: Verified,
  options: TradeOptions = {},
): Promise<TradeResult> {
  if (verified.plan.permit !== null) return send(deps, await permitted(deps, verified, options), options)
  const { plan: answered, own, reading } = verified
  const transactions = answered.steps
    .flatMap(({ tx }) => tx ?? [])
    .map(
      (tx, i): Transaction => ({
        type: 'eip1559',
        chainId: tx.chain_id,
        nonce: own.nonce + i,
        ...reading.transactions[i]!,
        gas: maxOf(gasOf(deps.pins, tx), triedGas(own, i)),
        ...feesOf(own),
      }),
    )
  const bound: Bound = {
    receiver: deps.account.address,
    tokenOut: reading.tokenOut,
    leastOut: BigInt(answered.amount_out_min),
    fee: signedFee(deps.pins, reading),
    deadlineS: Number(reading.deadlineS ?? Math.floor(deps.nowMs() / 1000) + TRADE.deadlineS),
    ...(reading.deadlineS === null && { undated: true as const }),
  }
  const hashes = await sendSigned(deps, transactions, {
    ...bound,
    ...options,
    onSigned: (bytes) =>
      options.onStage?.({ stage: 'signed', hashes: bytes.hashes, signed: { ...bound, ...bytes } }),
  })
  const followed = await follow(deps, bound, hashes, options)
  options.onStage?.({ stage: 'mined', receipt: followed.receipt })
  return { ...verified, ...followed, hashes }
}

export function named(pins: Pins, name: string): Address {
  const token = tokenNamed(pins, name)
  if (token) return token
  const symbols = [...pins.tokens.values()].flatMap(({ core }) => core ?? [])
  throw new PitRefusal('UNKNOWN_TOKEN', `Unknown token "${name}". Use ${symbols.join(', ')} or an address.`)
}
