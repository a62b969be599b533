import { type Address, NATIVE } from '@pit/chain'
import type { Caller } from '@pit/platform/call'
import { type Body, boundRiskTerms, boundToVerified, fail, isPitError, type Venue } from '@pit/protocol'
import type { Planned, TradeQuote } from '@pit/trading'
import type { SessionDeps } from '../deps.ts'
import { lower } from '../place.ts'
import type { Session } from '../types.ts'
import { readRoots } from './readRoots.ts'
import { feeBpsOf } from './rules.ts'

export type TradeBody = Body<'live.session.trade'>

interface PlanAsk {
  session: Session
  body: TradeBody
  caller: Caller
  onQuote(quote: TradeQuote): void
}

/** The ends of a trade as far as names tell: symbols of core assets and addresses. */
export function namedTokens({ profile }: Pick<SessionDeps, 'profile'>, body: TradeBody): string[] {
  return [body.token_in, body.token_out].map((name) =>
    /^0x/i.test(name)
      ? name.toLowerCase()
      : (profile.core_tokens.find(({ symbol }) => symbol === name)?.address.toLowerCase() ?? name),
  )
}

/**
 * A plan as prepare makes it, for the session's wallet under the binding's terms: its risks, its fee, allowances that
 * stand instead of a permit. On curves only where the session has roots for them.
 */
export async function planSession(deps: SessionDeps, ask: PlanAsk): Promise<Planned> {
  const { session, body, caller } = ask
  const { binding } = session
  const risk = boundRiskTerms(binding)
  const tier = await deps.tierBps(session.wallet)
  const shut = shutCurves(deps, session, body)
  const plan = (venues: readonly Venue[]): Promise<Planned> =>
    deps.trade.planTrade({
      trade: {
        wallet: session.wallet,
        tokenIn: body.token_in,
        tokenOut: body.token_out,
        ...(body.notional_usd !== undefined && { notionalUsd: body.notional_usd }),
        ...(body.amount_in !== undefined && { amountIn: BigInt(body.amount_in) }),
        ...(body.slippage_bps !== undefined && { slippageBps: body.slippage_bps }),
        ...(body.route_id !== undefined && { routeId: body.route_id }),
        venues,
        shield: risk.shield,
        // Versions before the third named no policies: shield then has its own.
        policies: binding.version === 3 ? risk.policies : null,
        fast: false,
        admit: () => deps.charge(caller, ['screen.caller', 'screen.overall']),
        feeBps: feeBpsOf(binding, tier),
        minimumAtRouter: true,
      },
      terms: {
        acceptRisks: risk.accept_risks,
        attestsNonUs: body.owner_attests_non_us,
        ...(body.min_amount_out !== undefined && { minAmountOut: BigInt(body.min_amount_out) }),
        ...(body.max_fee_bps !== undefined && { maxFeeBps: body.max_fee_bps }),
        approval: {
          mode: 'exact',
          budgetUsd: 1,
          allowUnlimited: false,
          permitMode: 'transaction',
          permitScope: 'trade',
        },
        permit: { kind: 'asked' },
        // Never a batch: the wallet makes one call, and its fee is paid beside it.
        curveFeeMode: 'two_step',
      },
      wallet: { kind: 'real', address: session.wallet },
      onQuote: ask.onQuote,
    })
  if (shut === null) return plan(['venue_pool', 'venue_curve'])
  try {
    return await plan(['venue_pool'])
  } catch (error) {
    // Only its curve would trade it, and this session may not.
    if (isPitError(error) && error.code === 'NO_ROUTE') fail(shut.code, { message: shut.message })
    throw error
  }
}

/** Why the live curve of one of the tokens is closed to the session; null when there is none or it is open. */
function shutCurves(
  deps: SessionDeps,
  session: Session,
  body: TradeBody,
): { code: 'SESSION_CURVE' | 'SESSION_CURVE_ROOTS'; message: string } | null {
  const roots = readRoots(deps, session)
  for (const token of namedTokens(deps, body)) {
    const curve = deps.market.curveOf(lower(token))
    if (curve?.version !== 'curve' || curve.graduated) continue
    if (curve.pair !== NATIVE) {
      return {
        code: 'SESSION_CURVE',
        message: `Sessions trade on curves for ETH; that of ${token} is against ${curve.pair}.`,
      }
    }
    if (!roots) {
      return { code: 'SESSION_CURVE_ROOTS', message: 'The owner signed no curve roots for this session.' }
    }
    if (!roots.curve.curves.includes(curve.id)) {
      return { code: 'SESSION_CURVE', message: `The session’s roots do not name the curve ${curve.id}.` }
    }
  }
  return null
}

/** Under a binding before the third: the tokens by address that the audit has not verified. */
export async function findUnverified(
  { tokens }: Pick<SessionDeps, 'tokens'>,
  { binding }: Session,
  { tokenIn, tokenOut }: TradeQuote,
): Promise<Address[]> {
  const judged = [tokenIn, tokenOut].filter(
    ({ core, address }) => core === null && boundToVerified(binding, address),
  )
  const verdicts = await Promise.all(judged.map(({ address }) => tokens.readAudit(address)))
  return judged.filter((_, i) => verdicts[i]!.verdict !== 'verified').map(({ address }) => address)
}
