import { type Address, type Hex, NATIVE, permitTypedData } from '@pit/chain'
import {
  type Answer,
  atomsDown,
  CLIENT,
  CLIENT_FAST_FALLBACK_ERRORS,
  exchangeDown,
  FAST,
  lessBps,
  markPrice,
  maxOf,
  microUsdDown,
  priceUsdOf,
  worthUp,
} from '@pit/protocol'
import { keccak256 } from 'viem'
import { normalized } from '../account.ts'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { isRefusal, must, readingAnswer, refuse } from '../errors.ts'
import { quotePool } from '../own/impact.ts'
import { markOf, type OwnMark } from '../own/marks.ts'
import { movedTo, type Receipt, waitMined } from '../verbs/sendSigned.ts'
import { named, type TradeResult, trade } from '../verbs/trade.ts'
import { feeRates } from '../verify/rules.ts'
import { buildFast } from './build.ts'
import { readWarm, type TokenState, type Warm } from './warm.ts'

export interface FastAsk {
  token_in: string
  token_out: string
  /** Dollars to sell; or `amountIn` in atoms. */
  usd?: number
  amountIn?: bigint
  /** Under the pool's price of this moment. */
  slippageBps?: number
  shield?: boolean
  owner_attests_non_us?: boolean
  /** Let the service simulate it too. */
  simulate?: boolean
}
export interface FastOptions extends VerbOptions {
  /** Trade by live/prepare where fast mode cannot take it; on unless false. */
  fallback?: boolean
}
export type FastTraded =
  | { by: 'fast'; answer: Answer<'live.fast'>; receipt: Receipt; amountOut: bigint | null }
  | { by: 'prepare'; why: string; result: TradeResult }

/** Older readings build nothing. */
const WARM_MS = 5_000
const DEADLINE_S = 45
const COOLDOWN_MS = 5_000
const DEFAULT_SLIPPAGE_BPS = 30
const FALLS_BACK: ReadonlySet<string> = new Set(CLIENT_FAST_FALLBACK_ERRORS)
/** Refusals of the service that speak of the price: the pair rests for a moment. */
const OF_THE_PRICE = /^(MIN_OUT|POOL|PRICE|MARK)/

/** Fast mode with the state it keeps warm between trades. */
export function createFast(deps: ClientDeps) {
  let warm: Warm | null = null
  const refusedAtMs = new Map<string, number>()

  async function warmUp(shield = false, signal?: AbortSignal): Promise<Warm> {
    await deps.checked()
    warm = await readWarm(deps, shield, signal)
    return warm
  }

  async function fastTrade(ask: FastAsk, options: FastOptions = {}): Promise<FastTraded> {
    try {
      return await readingAnswer('RECIPIENT', () => byFast(ask, options))
    } catch (error) {
      if (options.fallback === false || !isRefusal(error) || !FALLS_BACK.has(error.code)) throw error
      const { token_in, token_out, shield = false, owner_attests_non_us = false, slippageBps } = ask
      const size =
        ask.amountIn === undefined ? { notional_usd: ask.usd ?? 0 } : { amount_in: ask.amountIn.toString() }
      const slippage = slippageBps === undefined ? {} : { slippage_bps: slippageBps }
      const body = { token_in, token_out, ...size, ...slippage, shield, owner_attests_non_us }
      return { by: 'prepare', why: error.code, result: await trade(deps, body, { signal: options.signal }) }
    }
  }

  async function byFast(ask: FastAsk, { signal }: FastOptions): Promise<FastTraded> {
    const pair = `${ask.token_in}/${ask.token_out}`
    const isWarm = warm !== null && deps.nowMs() - warm.readAtMs < WARM_MS
    const state = isWarm ? warm! : await warmUp(ask.shield, signal).catch(stale)
    const route = state.table.pairs[pair]
    if (!route || !state.terms.enabled) return refuse('FAST_PAIR', `${pair} has none`)
    if (deps.nowMs() - (refusedAtMs.get(pair) ?? Number.NEGATIVE_INFINITY) < COOLDOWN_MS)
      refuse('COOLDOWN', `${pair} can be tried again in a few seconds`)
    checkFee(ask, state)
    const sized = await size(deps, ask, state, pair, signal)
    const { hash, body } = await signFast(deps, ask, state, { pair, ...sized })
    // The nonce is spent.
    warm = null
    const answer = await deps.api['live.fast']({ body }, { signal }).catch((error: unknown) => {
      if (isRefusal(error) && OF_THE_PRICE.test(error.code)) refusedAtMs.set(pair, deps.nowMs())
      throw error
    })
    if (String(answer.tx_hash).toLowerCase() !== hash)
      refuse('HASH_MISMATCH', 'the trade may have been sent: look first', { retry: 'look_first', hash })
    const receipt = await waitMined(deps, hash, { deadlineS: body.deadline, signal })
    const amountOut = movedTo(receipt, route.token_out.address as Address, deps.account.address)
    if (amountOut !== null && amountOut < sized.minOut)
      refuse('MINED_MISMATCH', `${amountOut} arrived where ${sized.minOut} was the minimum`, {
        tx_hash: hash,
      })
    return { by: 'fast', answer, receipt, amountOut }
  }

  return { warmUp, fastTrade }
}

const stale = (error: unknown): never => {
  if (isRefusal(error, 'CONFIG_MISMATCH')) throw error
  return refuse('STALE', 'it could not be read', { cause: error })
}

/** Amount and minimum, by the client's own marks and its own reading of the pinned pool. */
async function size(deps: ClientDeps, ask: FastAsk, state: Warm, pair: string, signal?: AbortSignal) {
  const { pins } = deps
  const route = state.table.pairs[pair]!
  const markFor = (symbol: string) => markOf(state.marks, named(pins, symbol), pins.weth)
  const [paid, bought] = [markFor(ask.token_in), markFor(ask.token_out)]
  if (!paid || !bought) return refuse('STALE', 'one of the two tokens has no fresh mark')
  checkMark(state, ask.token_in, paid)
  checkMark(state, ask.token_out, bought)
  const price = (mark: OwnMark) => markPrice(mark.priceE18, mark.decimals)
  const amountIn = ask.amountIn ?? atomsDown(microUsdDown(ask.usd ?? 0), price(paid))
  const most = Math.min(route.max_usd, state.terms.max_notional_usd)
  if (worthUp(amountIn, price(paid)) > microUsdDown(most))
    refuse('ROUTE_CAP', `${pair} takes at most ${most} dollars`)
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
  const out = isInput ? gross : lessBps(gross, feeBps)
  const fair = exchangeDown(amountIn, price(paid), price(bought))
  const least = lessBps(fair, Math.ceil(route.band_bps + feeBps + route.pool_fee_bps))
  if (out < least) refuse('POOL_FAR', `it gives ${out}, at least ${least} was to be expected`)
  const minOut = lessBps(out, ask.slippageBps ?? DEFAULT_SLIPPAGE_BPS)
  return { amountIn, minOut: maxOf(minOut, least), feeBps }
}

/** The service names the caller's tier; the rates are the pinned ones. */
function checkFee({ shield = false }: FastAsk, { terms }: Warm): void {
  const isOf = feeRates('major', shield).includes(terms.fee.bps)
  must(isOf, 'FEE_BPS', `${terms.fee.bps} bps is none of the rates`)
}

/** Held against what the service shows: one of the two feeds may stand still. */
function checkMark({ serviceMarks }: Warm, symbol: string, { priceE18 }: OwnMark): void {
  const said = serviceMarks.get(symbol === 'WETH' ? 'ETH' : symbol)
  if (said === undefined) return
  const own = priceUsdOf(priceE18)
  if (Math.abs(said / own - 1) * 100 > CLIENT.marksDifferPct)
    refuse('MARKS_DIFFER', `${symbol}: ${own} here, ${said} there`)
}

function checkApproval({ tokens }: Warm, token: Address, amountIn: bigint): void {
  const state = tokens.get(token)
  if (state && state.approved < amountIn)
    refuse('APPROVAL', 'approve the token to Permit2 first, or trade once the normal way')
}

async function signFast(
  deps: ClientDeps,
  ask: FastAsk,
  state: Warm,
  { pair, amountIn, minOut, feeBps }: { pair: string; amountIn: bigint; minOut: bigint; feeBps: number },
) {
  const { account, pins, nowMs } = deps
  const route = state.table.pairs[pair]!
  const deadline = Math.floor(nowMs() / 1000) + Math.min(DEADLINE_S, FAST.deadlineMaxS)
  const token = route.token_in.address as Address
  const permit = await permitFor(deps, state.tokens.get(token), { token, amountIn, deadline })
  const bytes = { pair, amountIn, minOut, deadline, feeBps, ...(permit && { permit }) }
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: pins.profile.chain_id,
    nonce: state.nonce,
    to: pins.router,
    ...buildFast(state.table, bytes),
    gas: BigInt(route.gas_floor + (permit ? (route.permit?.gas_add ?? 0) : 0)),
    maxFeePerGas: 2n * state.baseFeeWei,
    maxPriorityFeePerGas: 0n,
  })
  return {
    hash: keccak256(raw),
    body: {
      raw_tx: raw,
      token_in: ask.token_in,
      token_out: ask.token_out,
      amount_in: amountIn.toString(),
      min_out: minOut.toString(),
      deadline,
      fee_bps: feeBps,
      shield: ask.shield ?? false,
      simulate: ask.simulate ?? false,
      owner_attests_non_us: ask.owner_attests_non_us ?? false,
      ...(permit && { permit }),
    },
  }
}

/** A permit for exactly this trade, where the router has no allowance that covers it. */
async function permitFor(
  { account, pins }: ClientDeps,
  state: TokenState | undefined,
  { token, amountIn, deadline }: { token: Address; amountIn: bigint; deadline: number },
) {
  if (token === NATIVE || !state) return null
  if (state.allowance >= amountIn && state.allowedUntilS > deadline) return null
  const until = deadline + 60
  const permit = {
    details: { token, amount: amountIn, expiration: until, nonce: state.permitNonce },
    spender: pins.router,
    sigDeadline: BigInt(until),
  }
  const typed = permitTypedData({ chainId: pins.profile.chain_id, permit2: pins.permit2 }, permit)
  const signature: Hex = normalized(await account.signTypedData(typed as never))
  return {
    amount: amountIn.toString(),
    expiration: until,
    nonce: state.permitNonce,
    sig_deadline: until,
    signature,
  }
}
