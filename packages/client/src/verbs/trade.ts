import { type Address, type Hex, permit2Abi, permitTypedData } from '@pit/chain'
import { type BodyInput, maxOf, TRADE } from '@pit/protocol'
import { encodeFunctionData } from 'viem'
import { normalized, type Transaction } from '../account.ts'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { broken, isRefusal, must, PitRefusal, readingAnswer, refuse } from '../errors.ts'
import { readPrice } from '../own/price.ts'
import { readOwn } from '../own/readOwn.ts'
import { given } from '../own/rpc.ts'
import { type Pins, tokenNamed } from '../pins.ts'
import { checkPermit, mustBeInBudget, mustBeWorth, type OwnPrice } from '../verify/approvals.ts'
import type { OwnReading, Plan, PlanFacts, TradeAsk } from '../verify/facts.ts'
import { gasOf, type PlanReading, readPlan } from '../verify/readPlan.ts'
import { type Checked, checkBytes, checkOwn } from '../verify/rules.ts'
import { follow, type SignedTrade } from './follow.ts'
import { type Receipt, sendSigned } from './sendSigned.ts'

export type TradeStage =
  | { stage: 'quoted'; plan: Plan }
  | { stage: 'planned'; plan: Plan }
  | { stage: 'verified'; plan: Plan; checks: readonly Checked[] }
  | { stage: 'signed'; hashes: readonly Hex[]; signed: SignedTrade }
  | { stage: 'relayed'; hashes: readonly Hex[] }
  | { stage: 'mined'; receipt: Receipt }

export interface TradeOptions extends VerbOptions {
  onStage?(stage: TradeStage): void
  /** Asked once everything is verified; false ends it with nothing signed. */
  confirm?(plan: Plan, checks: readonly Checked[]): Promise<boolean> | boolean
}

export interface Verified {
  plan: Plan
  checks: readonly Checked[]
  reading: PlanReading
  own: OwnReading
}
export interface TradeResult extends Verified {
  hashes: readonly Hex[]
  receipt: Receipt
  /** What the wallet received; null where the receipt cannot show it. */
  amountOut: bigint | null
}

/** Plans, verifies, signs, has relayed and follows one trade. */
export async function trade(
  deps: ClientDeps,
  ask: TradeAsk,
  options: TradeOptions = {},
): Promise<TradeResult> {
  const verified = await plan(deps, ask, options)
  if (options.confirm && !(await options.confirm(verified.plan, verified.checks)))
    throw new PitRefusal('NOT_CONFIRMED', 'The trade was not confirmed; nothing was signed.')
  return send(deps, verified, options)
}

/** A trade on a launchpad's curve: a token for what its curve takes, or back. */
export type CurveAsk = Omit<TradeAsk, 'token_in' | 'token_out' | 'venues' | 'notional_usd' | 'amount_in'> & {
  side: 'buy' | 'sell'
  /** The token on the curve. */
  token: Address
  /** What the curve takes and pays; ETH unless told. */
  pair?: string
} & ({ notional_usd: number } | { amount_in: string })

/** As `trade`, on the token's curve alone. */
export function curveTrade(
  deps: ClientDeps,
  { side, token, pair = 'ETH', ...ask }: CurveAsk,
  options: TradeOptions = {},
): Promise<TradeResult> {
  const [token_in, token_out] = side === 'buy' ? [pair, token] : [token, pair]
  return trade(deps, { ...ask, token_in, token_out, venues: ['venue_curve'] } as TradeAsk, options)
}

/** Rules that a market on the move can break between two blocks: a fresh plan is worth a try. */
const WORTH_A_FRESH_PLAN: ReadonlySet<unknown> = new Set(['QUOTE_OWN', 'PRICE', 'IMPACT_OWN'])
const MAX_PLANS = 5
/** Until the service has seen the block that the client saw. */
const FRESH_PLAN_MS = 250

/** A plan that passed every check, ready to be signed; nothing is signed but a permit it needs. */
export async function plan(deps: ClientDeps, ask: TradeAsk, options: TradeOptions = {}): Promise<Verified> {
  await deps.checked()
  for (let plans = 1; ; plans++) {
    try {
      return await readingAnswer('RECIPIENT', () => planOnce(deps, ask, options))
    } catch (error) {
      if (!isRefusal(error) || !WORTH_A_FRESH_PLAN.has(error.rule) || plans === MAX_PLANS) throw error
      await deps.sleep(FRESH_PLAN_MS, options.signal)
    }
  }
}

async function planOnce(deps: ClientDeps, ask: TradeAsk, options: TradeOptions): Promise<Verified> {
  const { pins, account } = deps
  const [tokenIn, tokenOut] = [named(pins, ask.token_in), named(pins, ask.token_out)]
  const asked = { ...ask, wallet: account.address }
  const facts = (answered: Plan): PlanFacts => ({
    pins,
    wallet: account.address,
    ask,
    tokenIn,
    tokenOut,
    plan: answered,
    nowS: Math.floor(deps.nowMs() / 1000),
  })
  let answered = await prepare(deps, asked, options)
  options.onStage?.({ stage: 'quoted', plan: answered })
  if (answered.permit !== null) {
    const { permit_now } = answered
    if (permit_now === null) return broken('RECIPIENT', 'a permit came without its time')
    const permit_signature = await signPermit(deps, facts(answered))
    answered = await prepare(deps, { ...asked, permit_signature, permit_now }, options)
  }
  options.onStage?.({ stage: 'planned', plan: answered })
  return verify(deps, facts(answered), options)
}

async function prepare(
  deps: ClientDeps,
  body: TradeAsk & { wallet: Address },
  { signal }: VerbOptions,
): Promise<Plan> {
  // Exactly one size: the server says which is missing or too many.
  const answer = await deps.api['live.prepare']({ body: body as BodyInput<'live.prepare'> }, { signal })
  if (!('amount_out_min' in answer)) return broken('RECIPIENT', 'the answer is no plan for a trade')
  return answer
}

async function verify(deps: ClientDeps, facts: PlanFacts, options: TradeOptions): Promise<Verified> {
  const { plan: answered } = facts
  if (!answered.ready) refuse('INSUFFICIENT_FUNDS', whyNotReady(answered), { plan: answered })
  const reading = readPlan(facts)
  const first = checkBytes({ ...facts, reading })
  const own = await readOwn(deps.rpc, facts, reading, { nowMs: deps.nowMs(), signal: options.signal })
  const checks = [...first, ...checkOwn({ ...facts, reading }, own)]
  checkFunds(facts, reading, own)
  options.onStage?.({ stage: 'verified', plan: answered, checks })
  return { plan: answered, checks, reading, own }
}

const whyNotReady = ({ missing: [first] }: Plan): string =>
  first
    ? `${first.what} of ${first.token}: it has ${first.have} and needs ${first.need}`
    : 'the plan is not ready'

/** The fees are the client's own, never the service's: twice the base fee it read, and a twentieth as a tip. */
function feesOf({ baseFeeWei }: OwnReading) {
  const maxPriorityFeePerGas = baseFeeWei / 20n
  return { maxPriorityFeePerGas, maxFeePerGas: 2n * baseFeeWei + maxPriorityFeePerGas }
}

function checkFunds({ plan: answered, pins }: PlanFacts, reading: PlanReading, own: OwnReading): void {
  let need = 0n
  for (const { tx } of answered.steps) {
    if (!tx) continue
    need += BigInt(tx.value) + gasOf(pins, tx) * feesOf(own).maxFeePerGas
  }
  if (own.etherWei < need)
    refuse('INSUFFICIENT_FUNDS', `it holds ${own.etherWei} wei and may need ${need} for value and gas`, {
      have: own.etherWei.toString(),
      need: need.toString(),
      kind: reading.kind,
    })
}

/** Signs a verified plan and follows it. What was mined is held against what was signed. */
export async function send(
  deps: ClientDeps,
  verified: Verified,
  options: TradeOptions = {},
): Promise<TradeResult> {
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
  const bound = {
    receiver: deps.account.address,
    tokenOut: reading.tokenOut,
    leastOut: BigInt(answered.amount_out_min),
    deadlineS: Number(reading.deadlineS ?? Math.floor(deps.nowMs() / 1000) + TRADE.deadlineS),
    ...(reading.deadlineS === null && { undated: true as const }),
  }
  const hashes = await sendSigned(deps, transactions, {
    deadlineS: bound.deadlineS,
    signal: options.signal,
    onSigned: (bytes) =>
      options.onStage?.({ stage: 'signed', hashes: bytes.hashes, signed: { ...bound, ...bytes } }),
  })
  options.onStage?.({ stage: 'relayed', hashes })
  const { receipt, amountOut } = await follow(deps, bound, hashes, options)
  options.onStage?.({ stage: 'mined', receipt })
  return { ...verified, hashes, receipt, amountOut }
}

/** A limit under what the client's own trial used would only burn gas. */
const triedGas = ({ trial }: OwnReading, i: number): bigint =>
  trial.ok ? ((trial.gasUsed[i] ?? 0n) * 5n) / 4n : 0n

/** Signs the client's own rebuild of the permit, never the server's typed data. */
async function signPermit({ account, pins, rpc }: ClientDeps, facts: PlanFacts): Promise<Hex> {
  const { plan: answered, ask, tokenIn, nowS } = facts
  const { message } = answered.permit as {
    message: { details: Record<string, unknown>; spender: string; sigDeadline: unknown }
  }
  const permit = {
    details: {
      token: String(message.details['token']).toLowerCase() as Address,
      amount: BigInt(String(message.details['amount'])),
      expiration: Number(message.details['expiration']),
      nonce: Number(message.details['nonce']),
    },
    spender: message.spender.toLowerCase() as Address,
    sigDeadline: BigInt(String(message.sigDeadline)),
  }
  const amountIn = BigInt(ask.amount_in ?? answered.amount_in)
  checkPermit({ ask, pins, tokenIn, nowS, amountIn, permit })
  const asked = { method: 'eth_call', params: [{ to: pins.permit2, data: askNonce(pins, facts) }, 'latest'] }
  const [price, [allowance]] = await Promise.all([
    readPrice(rpc, pins, tokenIn, nowS * 1000),
    rpc.all([asked]),
  ])
  const nonce = Number(BigInt(`0x${given(allowance).slice(130, 194)}`))
  must(permit.details.nonce === nonce, 'RECIPIENT', 'the permit is not the next one', { nonce })
  if (price && ask.notional_usd !== undefined) mustBeWorth(ask.notional_usd, amountIn, price)
  if (price) mustBeInBudget(ask, permit.details.amount, amountIn, budgetPrice(price))
  const data = permitTypedData({ chainId: pins.profile.chain_id, permit2: pins.permit2 }, permit)
  return normalized(await account.signTypedData(data as never))
}

/** The service values a token that only pools price by what the trade brings: down to a quarter is believed. */
const budgetPrice = (price: OwnPrice): OwnPrice =>
  price.bandBps === undefined ? price : { ...price, den: price.den * 4n }

const askNonce = (pins: Pins, { wallet, tokenIn }: PlanFacts): Hex =>
  encodeFunctionData({
    abi: permit2Abi,
    functionName: 'allowance',
    args: [wallet, tokenIn, pins.router],
  })

export function named(pins: Pins, name: string): Address {
  const token = tokenNamed(pins, name)
  if (token) return token
  const known = [...pins.tokens.values()].flatMap(({ core }) => core ?? [])
  throw new PitRefusal('UNKNOWN_TOKEN', `${name} is no core symbol: ${known.join(', ')}; or give an address.`)
}
