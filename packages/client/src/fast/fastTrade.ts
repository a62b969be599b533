import type { Address } from '@pit/chain'
import {
  type Answer,
  atomsDown,
  CLIENT,
  CLIENT_FAST_FALLBACK_ERRORS,
  exchangeDown,
  FAST_PRICE_RULES,
  lessBps,
  markPrice,
  maxOf,
  microUsdDown,
  priceUsdOf,
  usdText,
  worthUp,
} from '@pit/protocol'
import { keccak256 } from 'viem'
import type { ClientDeps } from '../deps.ts'
import { isRefusal, must, type PitRefusal, readingAnswer, refuse } from '../errors.ts'
import { quotePool } from '../own/impact.ts'
import { markOf, type OwnMark } from '../own/marks.ts'
import { createTurn } from '../turn.ts'
import { type Followed, follow } from '../verbs/follow.ts'
import { handOver } from '../verbs/handOver.ts'
import { named, type TradeOptions, type TradeResult, trade } from '../verbs/trade.ts'
import type { TradeParams } from '../verify/facts.ts'
import { feeRates } from '../verify/rules.ts'
import { type FastPlan, type FastRequest, signFast } from './signFast.ts'
import { readWarm, type Warm } from './warm.ts'

export interface FastOptions extends Pick<TradeOptions, 'signal' | 'onStage'> {
  /** Trade by live/prepare if fast mode cannot take it; on unless false. */
  fallback?: boolean
}
export type FastTraded =
  /** `answer` is null if the server did not confirm a trade that was mined. */
  | ({ by: 'fast'; answer: Answer<'live.fast'> | null } & Followed)
  | { by: 'prepare'; why: string; result: TradeResult }

/** Older readings build nothing. */
const WARM_MS = 5_000
const COOLDOWN_MS = 5_000
const DEFAULT_SLIPPAGE_BPS = 30
const FALLS_BACK: ReadonlySet<string> = new Set(CLIENT_FAST_FALLBACK_ERRORS)
const PRICE_RULES: ReadonlySet<string> = new Set(FAST_PRICE_RULES)

/** Fast mode with the state it keeps warm between trades. */
export function createFast(deps: ClientDeps) {
  /** By shield, which changes the fee. */
  const warm = new Map<boolean, Warm>()
  const refusedAtMs = new Map<string, number>()
  /** A trade's nonce is used or free again only once the trade is decided. */
  const inTurn = createTurn()
  let signedTrades = 0

  async function warmUp(shield = false, signal?: AbortSignal): Promise<Warm> {
    await deps.checked()
    const before = signedTrades
    const state = await readWarm(deps, shield, signal)
    // A reading that began before a trade was signed may have that trade's nonce.
    if (before === signedTrades) warm.set(shield, state)
    return state
  }

  /** One trade at a time: concurrent calls wait, so no two are signed with the same nonce. */
  const fastTrade = (request: FastRequest, options: FastOptions = {}): Promise<FastTraded> =>
    inTurn(async () => {
      const ready = await readingAnswer('RECIPIENT', () => plan(request, options)).catch((error: unknown) => {
        if (options.fallback === false || !canFallBack(error)) throw error
        return { why: error.code }
      })
      if (!('why' in ready)) return send(request, ready, options)
      return { by: 'prepare', why: ready.why, result: await trade(deps, prepareBody(request), options) }
    })

  /** Everything that is checked before the first signature. */
  async function plan(request: FastRequest, { signal }: FastOptions): Promise<FastPlan> {
    const pair = `${request.token_in}/${request.token_out}`
    const shield = request.shield ?? false
    const cached = warm.get(shield)
    const isWarm = cached !== undefined && deps.nowMs() - cached.readAtMs < WARM_MS
    const state = isWarm ? cached : await warmUp(shield, signal).catch(stale)
    if (!state.table.pairs[pair] || !state.terms.enabled)
      return refuse('FAST_PAIR', `${pair} is not in the route table, or fast mode is off`)
    if (deps.nowMs() - (refusedAtMs.get(pair) ?? Number.NEGATIVE_INFINITY) < COOLDOWN_MS)
      refuse('COOLDOWN', `${pair} can be tried again in a few seconds`)
    checkFee(request, state)
    return { pair, state, ...(await size(deps, request, state, pair, signal)) }
  }

  async function send(request: FastRequest, ready: FastPlan, options: FastOptions): Promise<FastTraded> {
    const { pair } = ready
    const { raw, bound, body } = await signFast(deps, request, ready)
    signedTrades++
    warm.clear()
    const bytes = { raws: [raw], hashes: [keccak256(raw)] }
    options.onStage?.({ stage: 'signed', hashes: bytes.hashes, signed: { ...bound, ...bytes } })
    let answer: Answer<'live.fast'> | null = null
    const relay = async () => {
      answer = await deps.api['live.fast']({ body }, { signal: options.signal })
      return [answer.tx_hash]
    }
    await handOver(deps, bytes, relay, { ...bound, ...options }).catch((error: unknown) => {
      if (isRefusal(error) && PRICE_RULES.has(error.server?.code ?? '')) refusedAtMs.set(pair, deps.nowMs())
      throw error
    })
    const followed = await follow(deps, bound, bytes.hashes, options)
    options.onStage?.({ stage: 'mined', receipt: followed.receipt })
    return { by: 'fast', answer, ...followed }
  }

  return { warmUp, fastTrade }
}

/** Only the client's own refusals: a server can answer with the same codes. */
const canFallBack = (error: unknown): error is PitRefusal =>
  isRefusal(error) && error.server === null && error.fate === null && FALLS_BACK.has(error.code)

function prepareBody(request: FastRequest): TradeParams {
  const { token_in, token_out, shield = false, owner_attests_non_us = false } = request
  const { slippageBps, minAmountOut, amountIn, usd = 0 } = request
  const size = amountIn === undefined ? { notional_usd: usd } : { amount_in: amountIn.toString() }
  const slippage = slippageBps === undefined ? {} : { slippage_bps: slippageBps }
  const minimum = minAmountOut === undefined ? {} : { min_amount_out: minAmountOut.toString() }
  return { token_in, token_out, ...size, ...slippage, ...minimum, shield, owner_attests_non_us }
}

/** The server's own refusal stays; only what could not be reached or read makes the state stale. */
const stale = (error: unknown): never => {
  const isServers = isRefusal(error) && error.server !== null && error.server.code === error.code
  if (isServers || isRefusal(error, 'CONFIG_MISMATCH') || isRefusal(error, 'NODE_BEHIND')) throw error
  const why = isRefusal(error) ? error.message.replace(/\.$/, '') : 'they could not be read'
  return refuse('STALE', why, { cause: error })
}

/** Amount and minimum, by the client's own marks and its own reading of the pinned pool. */
async function size(deps: ClientDeps, request: FastRequest, state: Warm, pair: string, signal?: AbortSignal) {
  const { pins } = deps
  const route = state.table.pairs[pair]!
  const markFor = (symbol: string) => markOf(state.marks, named(pins, symbol), pins.weth)
  const [paid, bought] = [markFor(request.token_in), markFor(request.token_out)]
  if (!paid || !bought) return refuse('STALE', 'one of the two tokens has no fresh mark')
  checkMark(state, request.token_in, paid)
  checkMark(state, request.token_out, bought)
  const price = (mark: OwnMark) => markPrice(mark.priceE18, mark.decimals)
  const amountIn = request.amountIn ?? atomsDown(microUsdDown(request.usd ?? 0), price(paid))
  const most = Math.min(route.max_usd, state.terms.max_notional_usd)
  if (worthUp(amountIn, price(paid)) > microUsdDown(most))
    refuse('ROUTE_CAP', `the maximum for ${pair} is ${usdText(most)}`)
  checkApproval(state, route.token_in.address as Address, amountIn)
  const feeBps = state.terms.fee.bps
  const isInput = route.fee.side === 'input'
  const gross = await quotePool(
    deps.rpc,
    pins,
    route.pool,
    isInput ? lessBps(amountIn, feeBps) : amountIn,
    signal,
  )
  if (gross === null) return refuse('POOL_FAR', 'its pool quotes nothing on your node')
  const out = isInput ? gross : lessBps(gross, feeBps)
  const fair = exchangeDown(amountIn, price(paid), price(bought))
  const least = lessBps(fair, Math.ceil(route.band_bps + feeBps + route.pool_fee_bps))
  if (out < least) refuse('POOL_FAR', `it pays ${out} atoms, expected at least ${least}`)
  const minOut = lessBps(out, request.slippageBps ?? DEFAULT_SLIPPAGE_BPS)
  const requested = request.minAmountOut ?? 0n
  if (out < requested) refuse('POOL_FAR', `it pays ${out} atoms, and ${requested} are requested at least`)
  return { amountIn, minOut: maxOf(maxOf(minOut, least), requested), feeBps }
}

/** The service names the caller's tier; the rates are the pinned ones. */
function checkFee({ shield = false }: FastRequest, { terms }: Warm): void {
  const isOf = feeRates('major', shield).includes(terms.fee.bps)
  must(isOf, 'FEE_BPS', `${terms.fee.bps} bps is not one of the fee rates`)
}

/** Held against what the service shows: one of the two feeds may stand still. */
function checkMark({ serviceMarks }: Warm, symbol: string, { priceE18 }: OwnMark): void {
  const served = serviceMarks.get(symbol === 'WETH' ? 'ETH' : symbol)
  if (served === undefined) return
  const own = priceUsdOf(priceE18)
  if (Math.abs(served / own - 1) * 100 > CLIENT.marksDifferPct)
    refuse('MARKS_DIFFER', `${symbol} is ${own} here and ${served} at the server`)
}

function checkApproval({ tokens }: Warm, token: Address, amountIn: bigint): void {
  const state = tokens.get(token)
  if (state && state.approved < amountIn)
    refuse('APPROVAL', 'approve the token to Permit2 first, or trade once in normal mode')
}
