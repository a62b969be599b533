import type { Address, Hex } from '@pit/chain'
import { type Answer, type BodyInput, etherText, isRiskCode, type RiskCode } from '@pit/protocol'
import type { Transaction } from '../account.ts'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { readingAnswer, refuse } from '../errors.ts'
import { readOwn } from '../own/readOwn.ts'
import type { TradeParams } from '../verify/facts.ts'
import { gasOf, type PlanReading } from '../verify/readPlan.ts'
import { readRedemption } from '../verify/readRedemption.ts'
import { checkBytes, checkOwn } from '../verify/rules.ts'
import type { Terms } from '../verify/terms.ts'
import { type Bound, type Followed, follow, type SignedTrade, signedFee } from './follow.ts'
import type { HandOverOptions } from './handOver.ts'
import { sendSigned } from './sendSigned.ts'
import { named } from './trade.ts'

export type SessionRequest = BodyInput<'live.session.trade'>
type Traded = Answer<'live.session.trade'>

export interface SessionTraded extends Followed {
  trade: Traded
  hash: Hex
}

export interface SessionOptions extends HandOverOptions {
  /** Called before anything is sent. With the stored value, `resume` can finish the trade. */
  onSigned?(signed: SignedTrade): void
}

/**
 * One trade of a session, signed by its executor: the client's account. `wallet` is whose funds trade.
 * @param request session, wallet, pair and size; repeat `client_id` on a retry and it trades once
 * @param options `signal`, `onStage`
 * @returns the trade with its receipt, by your own node
 * @throws VERIFICATION_FAILED the redemption is not the requested trade
 * @throws SESSION_MAX_TRADE above the session's limit for one trade
 * @throws SESSION_MAX_DAY above the session's limit for one day
 * @example
 * ```ts
 * await bot.signIn()
 * const inSession = await bot.sessionTrade({
 *   session_id: active.session_id,
 *   wallet: client.address,
 *   token_in: 'ETH',
 *   token_out: 'USDG',
 *   notional_usd: 5,
 *   client_id: `reference-${Date.now()}`,
 * })
 * console.log(inSession.amountOut)
 * ```
 */
export async function sessionTrade(
  deps: ClientDeps,
  request: SessionRequest & { wallet: Address },
  options: SessionOptions = {},
): Promise<SessionTraded> {
  await deps.checked()
  const wallet = request.wallet.toLowerCase() as Address
  const { wallet: _, ...body } = request
  const trade = await deps.api['live.session.trade']({ body }, options)
  const { transaction, reading } = await readingAnswer('RECIPIENT', () =>
    verify(deps, { ...request, wallet }, trade, options),
  )
  const bound: Bound = {
    receiver: wallet,
    tokenOut: named(deps.pins, request.token_out),
    leastOut: BigInt(trade.swap.amount_out_min),
    fee: signedFee(deps.pins, reading),
    deadlineS: Number(reading.deadlineS),
  }
  const hashes = await sendSigned(deps, [transaction], {
    ...bound,
    ...options,
    onSigned: (bytes) => options.onSigned?.({ ...bound, ...bytes }),
  })
  const followed = await follow(deps, bound, hashes, options)
  return { trade, hash: followed.receipt.hash, ...followed }
}

/** The executor signs only a redemption of its session for the requested trade. */
async function verify(
  deps: ClientDeps,
  request: SessionRequest & { wallet: Address },
  trade: Traded,
  { signal }: VerbOptions,
): Promise<{ transaction: Transaction; reading: PlanReading }> {
  const { pins, account, rpc, records } = deps
  const { tx } = trade
  if (!trade.ready || !tx) return refuse('INSUFFICIENT_FUNDS', whyNotReady(trade))
  const tokens = { tokenIn: named(pins, request.token_in), tokenOut: named(pins, request.token_out) }
  const ends = { wallet: request.wallet, ...tokens }
  const read = await readRedemption({
    pins,
    executor: account.address,
    roots: (await records.session(request.session_id))?.roots.map(({ hash }) => hash),
    ...ends,
    tx,
  })
  const nowMs = deps.nowMs()
  const terms: Terms = {
    pins,
    ...ends,
    request: boundRequest(request, trade),
    plan: { ...trade, ...trade.swap },
    nowS: Math.floor(nowMs / 1000),
    reading: read.reading,
    accepted: acceptedIn(request),
  }
  checkBytes(terms)
  const facts = {
    pins,
    ...ends,
    request: { accept_risks: acceptedIn(request) },
    plan: trade.swap,
    sender: account.address,
    takesCode: read.takesCode,
  }
  const own = await readOwn(rpc, facts, read.reading, { nowMs, signal })
  checkOwn(terms, own)
  const gas = gasOf(pins, tx)
  const maxFeePerGas = 2n * own.baseFeeWei
  checkGas(account.address, own.etherWei, gas * maxFeePerGas)
  const common = {
    chainId: pins.profile.chain_id,
    nonce: own.nonce,
    ...read.reading.transactions[0]!,
    gas,
    maxPriorityFeePerGas: 0n,
    maxFeePerGas,
  }
  const { authorizationList } = read
  const transaction: Transaction = authorizationList
    ? { ...common, type: 'eip7702', authorizationList }
    : { ...common, type: 'eip1559' }
  return { transaction, reading: read.reading }
}

function checkGas(executor: Address, etherWei: bigint, needWei: bigint): void {
  if (etherWei >= needWei) return
  refuse(
    'INSUFFICIENT_FUNDS',
    `the executor ${executor} holds ${etherText(etherWei)} and its gas may cost ${etherText(needWei)}`,
    { hint: `Send at least ${etherText(needWei - etherWei)} to ${executor}.` },
  )
}

/** The server's own reason; the executor's gas or the wallet's balance as a rule. */
function whyNotReady({ checks }: Traded): string {
  const failed = checks.findLast(({ ok }) => !ok)
  return failed ? failed.message.replace(/\.$/, '') : 'the server does not say what is missing'
}

/** Risks the executor itself accepts: terms that only the service names do not excuse a failed check. */
const acceptedIn = ({ accept_risks }: BodyInput<'live.session.trade'>): RiskCode[] =>
  Array.isArray(accept_risks) ? accept_risks.filter(isRiskCode) : []

/** The risk terms are the session's: its owner signed them, and the co-signer holds every trade to them. */
const boundRequest = (request: SessionRequest, { risk_terms }: Traded): TradeParams =>
  ({
    ...request,
    accept_risks: request.accept_risks ?? risk_terms.accept_risks,
    shield: request.shield ?? risk_terms.shield,
    approval_mode: 'exact',
  }) as unknown as TradeParams
