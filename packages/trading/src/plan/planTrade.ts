import type { Address } from '@pit/chain'
import { encodeErc20Approve } from '@pit/plans'
import { nowS } from '@pit/platform/clock'
import { askBalance, readOne } from '@pit/platform/reads'
import { RpcError } from '@pit/platform/rpc'
import { fail, isPitError } from '@pit/protocol'
import type { WaitingTx } from '@pit/relay'
import type { Check, TradeParams, TradePlan, TradeQuote, WalletState } from '../types.ts'
import { isEth } from './addresses.ts'
import { buildPlan } from './buildPlan.ts'
import { type BuildableRoute, routeOf } from './chooseRoute.ts'
import type { PlanDeps } from './deps.ts'
import type { PlanTerms } from './planRequest.ts'
import { acceptedOf, checkPolicy, refuseByPolicy } from './policy.ts'
import type { PolicyContext } from './policyContext.ts'
import { createWalletReader } from './readAhead.ts'
import { type BuildRequest, type Spending, spendingOf } from './spending.ts'

export interface PlanParams {
  trade: TradeParams
  terms: PlanTerms
  /** A real wallet, or the state of a simulated one. */
  wallet: { kind: 'real'; address: Address } | { kind: 'pretended'; stateOf(quote: TradeQuote): WalletState }
  /** Called with the quote as soon as it is ready, even if the trade is refused later. */
  onQuote?(quote: TradeQuote): void
  /**
   * Called with the expected plan while a real wallet is still being read, to simulate it ahead. The plan that
   * is returned and stored is the one built from the actual read.
   */
  onGuess?(guess: Planned): void
}

/** A plan with its inputs and checks. */
export interface Planned {
  plan: TradePlan
  request: BuildRequest
  spending: Spending
  checks: Check[]
  accepted: string[]
  /** The wallet's balance of a fee token that is neither ETH nor the input; null without one. */
  feeBalance: bigint | null
  /** A transaction of the wallet that was relayed a while ago and is not mined yet, if looked up. */
  waiting?: WaitingTx | null
  timings: Record<string, number>
}

export type PlanTrade = (params: PlanParams) => Promise<Planned>

/** Prices, checks and builds. The policy refuses for a real wallet; for a pretended one it only reports. */
export function createPlanTrade(deps: PlanDeps): PlanTrade {
  const reader = createWalletReader(deps)

  return async (params) => {
    const { trade, terms, wallet } = params
    const addresses = deps.addresses()
    const startedAt = performance.now()
    const ahead = wallet.kind === 'real' ? reader.start(wallet.address, trade) : undefined
    const quote = await deps.quoter.quoteTrade(trade)
    params.onQuote?.(quote)
    const route = routeOf(quote, contextOf(terms))
    const quotedAt = performance.now()
    // The later of both clocks: the chain's clock decides deadlines.
    const at = { quote, route, nowS: Math.max(nowS(deps.clock), quote.blockTimeS) }
    if (wallet.kind === 'real' && params.onGuess && !ahead?.isRead()) {
      const guess = guessPlan(deps, terms, at, reader.expect(wallet.address, quote))
      if (guess) params.onGuess(guess)
    }
    const state =
      wallet.kind === 'real'
        ? await reader.finish(wallet.address, await ahead?.state, quote, route)
        : wallet.stateOf(quote)
    const readAt = performance.now()

    const context = contextOf(terms, { route, wallet: wallet.kind === 'real' ? state : undefined })
    const checks = checkPolicy(quote, context)
    if (wallet.kind === 'real') refuseByPolicy(quote, context, checks)

    const buildParams = buildAskOf(terms, at, state)
    const spending = await withReset(deps, buildParams, spendingOf(addresses, buildParams))
    const plan = buildPlan({ crypto: deps.crypto, addresses }, buildParams, spending)
    const feeBalance = wallet.kind === 'real' ? await readFeeBalance(deps, plan, state.wallet) : null
    const timings = {
      ...quote.timings,
      wallet: ms(readAt - quotedAt),
      build: ms(performance.now() - readAt),
      plan: ms(performance.now() - startedAt),
    }
    return {
      plan,
      request: buildParams,
      spending,
      checks,
      accepted: acceptedOf(quote, context),
      feeBalance,
      timings,
    }
  }
}

interface Moment {
  quote: TradeQuote
  route: BuildableRoute
  nowS: number
}

const buildAskOf = (terms: PlanTerms, { quote, route, nowS }: Moment, wallet: WalletState): BuildRequest => ({
  quote,
  route,
  wallet,
  ...(terms.minAmountOut !== undefined && { minAmountOut: terms.minAmountOut }),
  ...(terms.granted !== undefined && { granted: terms.granted }),
  approval: terms.approval,
  permit: terms.permit,
  curveFeeMode: terms.curveFeeMode,
  nowS,
})

/** The plan for the expected wallet state; undefined if it is refused or needs more chain reads. */
function guessPlan(
  deps: PlanDeps,
  terms: PlanTerms,
  at: Moment,
  expected: WalletState | undefined,
): Planned | undefined {
  if (!expected || at.route.way.kind === 'curve') return undefined
  try {
    const context = contextOf(terms, { route: at.route, wallet: expected })
    const checks = checkPolicy(at.quote, context)
    refuseByPolicy(at.quote, context, checks)
    const params = buildAskOf(terms, at, expected)
    const spending = { ...spendingOf(deps.addresses(), params), resetsFirst: false }
    if (spending.approve !== null) return undefined
    const plan = buildPlan({ crypto: deps.crypto, addresses: deps.addresses() }, params, spending)
    return { plan, request: params, spending, checks, accepted: [], feeBalance: null, timings: {} }
  } catch (error) {
    // The real plan reports the error.
    if (isPitError(error)) return undefined
    throw error
  }
}

function contextOf(
  terms: PlanTerms,
  { route, wallet }: { route?: BuildableRoute; wallet?: WalletState | undefined } = {},
): PolicyContext {
  return {
    acceptRisks: terms.acceptRisks,
    attestsNonUs: terms.attestsNonUs,
    approval: terms.approval,
    ...(terms.maxFeeBps !== undefined && { maxFeeBps: terms.maxFeeBps }),
    ...(terms.minAmountOut !== undefined && { minAmountOut: terms.minAmountOut }),
    ...(terms.notionalUsd !== undefined && { notionalUsd: terms.notionalUsd }),
    ...(route && { route, approves: route.way.kind === 'curve' ? 'curve' : 'permit2' }),
    ...(wallet && { wallet }),
  }
}

/**
 * Some tokens accept a new approval only after the old one was set to zero. This can only be found out by a
 * call: made if an approval that is too small is left, and never for core assets, which accept it.
 */
async function withReset(
  { rpc }: Pick<PlanDeps, 'rpc'>,
  { quote, wallet }: BuildRequest,
  spending: Omit<Spending, 'resetsFirst'>,
): Promise<Spending> {
  const { approve, allowance, spender } = spending
  if (approve === null || spender === null || allowance === 0n || quote.tokenIn.core !== null) {
    return { ...spending, resetsFirst: false }
  }
  const call = {
    from: wallet.wallet,
    to: quote.tokenIn.address,
    data: encodeErc20Approve(spender, approve),
  }
  try {
    await rpc.request('eth_call', [call, 'latest'])
    return { ...spending, resetsFirst: false }
  } catch (error) {
    if (error instanceof RpcError) return { ...spending, resetsFirst: true }
    return fail('RPC_UNAVAILABLE')
  }
}

/** A sale on a curve against a token pays its fee in that token, before the sale yields any. */
async function readFeeBalance(
  { rpc }: Pick<PlanDeps, 'rpc'>,
  { quote: { fee, tokenIn }, execution }: TradePlan,
  wallet: Address,
): Promise<bigint | null> {
  if (execution !== 'curve' || isEth(fee.token) || fee.token === tokenIn.address) return null
  // Without the balance the plan cannot be declared ready.
  return readOne(rpc, askBalance({ wallet, token: fee.token })).catch(() => fail('RPC_UNAVAILABLE'))
}

/** Milliseconds to a thousandth. */
export const ms = (value: number): number => Math.round(value * 1_000) / 1_000
