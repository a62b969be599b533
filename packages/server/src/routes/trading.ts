import type { Crypto, Hex } from '@pit/chain'
import type { Charge } from '@pit/http'
import { type Body, type ChainProfile, lower } from '@pit/protocol'
import { describePlan, type PlanRequest, simulationJson, type Trade, type TradeParams } from '@pit/trading'
import type { Call, Caller, Handlers } from '../http/types.ts'
import { attestsNonUs } from './attestsNonUs.ts'
import { screenAdmission, traderNamed } from './caller.ts'
import { describeQuote, describeRevocation, describeSimulated } from './tradingAnswers.ts'

type PlanRoute = 'live.prepare' | 'live.build' | 'live.simulate' | 'live.revoke' | 'live.quote'
type TradeBody = Extract<Body<'live.prepare'>, { token_in: string }>
type SimulateBody = Extract<Body<'live.simulate'>, { token_in: string }>
type PlanBody = TradeBody | SimulateBody

export interface TradingRoutesDeps {
  trade: Pick<Trade, 'prepareTrade' | 'buildTrade' | 'simulateTrade' | 'revokeApprovals' | 'showQuote'>
  crypto: Pick<Crypto, 'parseAddress'>
  profile: Pick<ChainProfile, 'chain_id' | 'contracts'>
  charge: Charge
}

export function tradingRoutes({
  trade,
  crypto,
  profile,
  charge,
}: TradingRoutesDeps): Pick<Handlers, PlanRoute> {
  const permit2 = { chainId: profile.chain_id, permit2: lower(profile.contracts.permit2) }

  /** A trade for the wallet in the request. */
  const requestOf = (body: TradeBody, caller: Caller): PlanRequest => {
    const by = traderNamed(crypto, caller, body.wallet)
    return { by, trade: tradeOf(body, caller, by.wallet), ...termsOf(body, caller) }
  }
  const tradeOf = (body: PlanBody, caller: Caller, feeWallet: TradeParams['wallet']): TradeParams => ({
    ...pairOf(body, feeWallet),
    ...(body.route_id !== undefined && { routeId: body.route_id }),
    fast: false,
    admit: screenAdmission(charge, caller),
  })
  const revoke = async ({ body, caller }: Pick<Call<'live.revoke'>, 'body' | 'caller'>) =>
    describeRevocation(
      await trade.revokeApprovals({
        by: traderNamed(crypto, caller, body.wallet),
        tokens: body.tokens,
        ...(body.spender !== undefined && { spender: body.spender }),
      }),
    )

  return {
    'live.prepare': async ({ body, caller }) => {
      if (!isTrade(body)) return revoke({ body, caller })
      const request = { ...requestOf(body, caller), fund: body.fund }
      const { planned, steps, simulation } = await trade.prepareTrade(request)
      const shown = simulation && simulationJson(simulation, planned.plan)
      return { ...describePlan(permit2, planned, steps), simulation: shown }
    },
    'live.build': async ({ body, caller }) =>
      isTrade(body)
        ? describePlan(permit2, await trade.buildTrade(requestOf(body, caller)))
        : revoke({ body, caller }),
    'live.simulate': async ({ body, caller }) => {
      if (!isTrade(body)) return revoke({ body, caller })
      const by = body.wallet === undefined ? null : traderNamed(crypto, caller, body.wallet)
      const feeWallet = by?.wallet ?? caller.key?.wallet ?? null
      const simulated = await trade.simulateTrade({
        by,
        trade: tradeOf(body, caller, feeWallet),
        ...termsOf(body, caller),
        fund: body.fund,
        model: body.model,
      })
      return describeSimulated(permit2, simulated)
    },
    'live.revoke': revoke,
    'live.quote': async ({ body, caller }) =>
      describeQuote(
        await trade.showQuote({
          trade: {
            ...pairOf(body, caller.key?.wallet ?? null),
            fast: body.fast,
            admit: screenAdmission(charge, caller),
          },
          acceptRisks: body.accept_risks,
        }),
      ),
  }
}

/** By the requested content, not by which fields came along. */
const isTrade = <B extends { action: string }>(body: B): body is Exclude<B, { action: 'revoke' }> =>
  body.action !== 'revoke'

/** Fields common to quotes and plans. */
const pairOf = (body: PlanBody | Body<'live.quote'>, feeWallet: TradeParams['wallet']) => ({
  wallet: feeWallet,
  tokenIn: body.token_in,
  tokenOut: body.token_out,
  ...(body.notional_usd !== undefined && { notionalUsd: body.notional_usd }),
  ...(body.amount_in !== undefined && { amountIn: BigInt(body.amount_in) }),
  ...(body.slippage_bps !== undefined && { slippageBps: body.slippage_bps }),
  venues: body.venues,
  shield: body.shield,
  policies: body.policies || null,
})

const termsOf = (body: PlanBody, caller: Caller): Pick<PlanRequest, 'terms' | 'permit' | 'feeRecipient'> => ({
  terms: {
    acceptRisks: body.accept_risks,
    attestsNonUs: attestsNonUs(body, caller),
    ...(body.min_amount_out !== undefined && { minAmountOut: BigInt(body.min_amount_out) }),
    ...(body.max_fee_bps !== undefined && { maxFeeBps: body.max_fee_bps }),
    approval: {
      // Any text passes here: the policy reports APPROVAL_MODE.
      mode: body.approval_mode as PlanRequest['terms']['approval']['mode'],
      budgetUsd: body.approval_budget_usd,
      allowUnlimited: body.allow_unlimited_approval,
      permitMode: body.permit_mode,
      permitScope: body.permit_scope,
    },
    curveFeeMode: body.curve_fee_mode,
  },
  ...(body.permit_signature !== undefined && {
    permit: {
      signature: body.permit_signature as Hex,
      ...(body.permit_now !== undefined && { nowS: body.permit_now }),
    },
  }),
  feeRecipient: (body as Record<string, unknown>)['fee_recipient'],
})
