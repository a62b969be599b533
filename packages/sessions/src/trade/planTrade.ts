import { type Address, NATIVE } from '@pit/chain'
import { boundRiskTerms, boundToVerified, fail, isPitError, lower, type Venue } from '@pit/protocol'
import type { Planned, TradeQuote } from '@pit/trading'
import type { SessionDeps } from '../deps.ts'
import { findOrderBounds } from '../orderParts.ts'
import type { Session } from '../types.ts'
import { readRoots } from './readRoots.ts'
import { feeBpsOf } from './rules.ts'
import type { SessionTradeParams } from './types.ts'

type Named = Pick<SessionTradeParams, 'tokenIn' | 'tokenOut'>

/** Tokens of a trade as far as names show: core symbols and addresses. */
export function namedTokens({ profile }: Pick<SessionDeps, 'profile'>, request: Named): string[] {
  return [request.tokenIn, request.tokenOut].map((name) =>
    /^0x/i.test(name)
      ? name.toLowerCase()
      : (profile.core_tokens.find(({ symbol }) => symbol === name)?.address.toLowerCase() ?? name),
  )
}

/**
 * A plan as made by prepare, for the session's wallet under the binding's terms: its risks, its fee, and
 * approvals instead of a permit. Curves only if the session has roots for them.
 */
export async function planSession(
  deps: SessionDeps,
  request: SessionTradeParams & { session: Session },
  onQuote: (quote: TradeQuote) => void,
): Promise<Planned> {
  const { session, order, minAmountOut, maxFeeBps } = request
  const { binding } = session
  const risk = boundRiskTerms(binding)
  const [tier, orderBounds] = await Promise.all([
    deps.tierBps(session.wallet),
    request.path === 'session' && order ? findOrderBounds(deps.db, session.id, order) : undefined,
  ])
  const shut = shutCurves(deps, session, request)
  const plan = (venues: readonly Venue[]): Promise<Planned> =>
    deps.trade.planTrade({
      trade: {
        wallet: session.wallet,
        tokenIn: request.tokenIn,
        tokenOut: request.tokenOut,
        ...(request.notionalUsd !== undefined && { notionalUsd: request.notionalUsd }),
        ...(request.amountIn !== undefined && { amountIn: request.amountIn }),
        ...(request.slippageBps !== undefined && { slippageBps: request.slippageBps }),
        orderBounds: request.orderBounds ?? orderBounds,
        ...(request.routeId !== undefined && { routeId: request.routeId }),
        venues,
        shield: risk.shield,
        // Versions before 3 have no policies: shield uses its defaults.
        policies: binding.version === 3 ? risk.policies : null,
        fast: false,
        admit: request.admit,
        feeBps: feeBpsOf(binding, tier),
        minimumAtRouter: true,
      },
      terms: {
        acceptRisks: risk.accept_risks,
        attestsNonUs: request.ownerAttestsNonUs,
        ...(minAmountOut !== undefined && { minAmountOut }),
        ...(maxFeeBps !== undefined && { maxFeeBps }),
        approval: {
          mode: 'exact',
          budgetUsd: 1,
          allowUnlimited: false,
          permitMode: 'transaction',
          permitScope: 'trade',
        },
        permit: { kind: 'asked' },
        // Never a batch: the wallet makes one call, and the fee is paid separately.
        curveFeeMode: 'two_step',
      },
      wallet: { kind: 'real', address: session.wallet },
      onQuote,
    })
  if (shut === null) return plan(['venue_pool', 'venue_curve'])
  try {
    return await plan(['venue_pool'])
  } catch (error) {
    // Only its curve could trade it, but this session may not use it.
    if (isPitError(error) && error.code === 'NO_ROUTE') fail(shut.code, { message: shut.message })
    throw error
  }
}

/** Why the live curve of one of the tokens is closed to the session; null if there is none or it is open. */
function shutCurves(
  deps: SessionDeps,
  session: Session,
  request: Named,
): { code: 'SESSION_CURVE' | 'SESSION_CURVE_ROOTS'; message: string } | null {
  const roots = readRoots(deps, session)
  for (const token of namedTokens(deps, request)) {
    const curve = deps.market.curveOf(lower(token))
    if (curve?.version !== 'curve' || curve.graduated) continue
    if (curve.pair !== NATIVE) {
      return {
        code: 'SESSION_CURVE',
        message: `Sessions support only curves against ETH; the curve of ${token} is against ${curve.pair}.`,
      }
    }
    if (!roots) {
      return {
        code: 'SESSION_CURVE_ROOTS',
        message: 'The owner has not signed curve roots for this session.',
      }
    }
    if (!roots.curve.curves.includes(curve.id)) {
      return { code: 'SESSION_CURVE', message: `The session’s roots do not include the curve ${curve.id}.` }
    }
  }
  return null
}

/** For bindings before version 3: tokens by address that the audit has not verified. */
export async function findUnverified(
  { tokens }: Pick<SessionDeps, 'tokens'>,
  { binding }: Session,
  { tokenIn, tokenOut }: TradeQuote,
): Promise<Address[]> {
  const judged = [tokenIn, tokenOut].filter(
    ({ core, address }) => core === null && boundToVerified(binding, address),
  )
  const read = await Promise.all(judged.map(({ address }) => tokens.readAudit(address)))
  return judged.filter((_, i) => read[i]!.audit.verdict !== 'verified').map(({ address }) => address)
}
