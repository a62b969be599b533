import { NATIVE } from '@pit/chain'
import type { Rule } from '@pit/platform/rules'
import {
  APPROVAL_MODES,
  FEE,
  maxOf,
  microUsdDown,
  type RefusalCode,
  TRADE,
  usdOf,
  usdText,
} from '@pit/protocol'
import { attestationRule } from '../attestation.ts'
import { tooSmall } from '../quote/index.ts'
import type { Check } from '../types.ts'
import { markBoundOf, orderShareOf, outcomeOf } from './amounts.ts'
import { isUnlimited } from './approvals.ts'
import {
  blockedBy,
  guardLimitOf,
  type Judged,
  policiesOf,
  requestedUsdOf,
  severeOf,
  sizeOf,
  stockEnds,
  unacceptedOf,
} from './policyContext.ts'

type Verdict = Pick<Check, 'ok' | 'message' | 'value' | 'limit'>
/** `field`: the request field to change. */
type PolicyRule = { field?: string } & (
  | (Rule<Judged, Verdict, RefusalCode> & { severity: 'refuse' })
  | (Rule<Judged, Verdict, 'UNLIMITED_APPROVAL_IN_PLACE'> & { severity: 'warn' })
  | (Rule<Judged, Verdict, 'TOKEN_TIER'> & { severity: 'info' })
)

const MIN_MICRO_USD = microUsdDown(TRADE.minNotionalUsd)
const MAX_MICRO_USD = microUsdDown(TRADE.maxNotionalUsd)

/**
 * The trading policy, ordered by what resolves a refusal: another request (terms, size, fee), then the token's
 * issuer and risks, then the current price. So a token that must not be bought is never refused with advice
 * to retry.
 */
export const POLICY: readonly PolicyRule[] = [
  {
    code: 'APPROVAL_MODE',
    severity: 'refuse',
    field: 'approval_mode',
    check: ({ approval }) =>
      approval
        ? {
            ok: (APPROVAL_MODES as readonly string[]).includes(approval.mode),
            value: approval.mode.slice(0, 64),
            limit: APPROVAL_MODES,
            message: `approval_mode must be one of ${APPROVAL_MODES.join(', ')}.`,
          }
        : null,
  },
  {
    code: 'APPROVAL_BUDGET',
    severity: 'refuse',
    field: 'approval_budget_usd',
    check: ({ approval }) =>
      approval
        ? {
            ok: microUsdDown(approval.budgetUsd) > 0n && approval.budgetUsd <= TRADE.maxApprovalBudgetUsd,
            value: approval.budgetUsd,
            limit: TRADE.maxApprovalBudgetUsd,
            message: `The approval budget must be above 0 and up to ${usdText(TRADE.maxApprovalBudgetUsd)}.`,
          }
        : null,
  },
  {
    code: 'UNLIMITED_APPROVAL',
    severity: 'refuse',
    field: 'allow_unlimited_approval',
    check: ({ approval }) =>
      approval?.mode === 'unlimited'
        ? {
            ok: approval.allowUnlimited,
            message: 'An unlimited approval requires allow_unlimited_approval: true.',
          }
        : null,
  },
  {
    // Without a price neither size limit can be enforced.
    code: 'NO_MARK',
    severity: 'refuse',
    check: ({ quote }) =>
      quote.notionalMicroUsd === null
        ? { ok: false, message: 'Neither token has a price, so the size of this trade cannot be checked.' }
        : null,
  },
  {
    code: 'MIN_NOTIONAL',
    severity: 'refuse',
    check: (judged) => {
      const micro = sizeOf(judged)
      if (micro === null) return null
      const ok = micro >= MIN_MICRO_USD
      const askedIn = requestedUsdOf(judged) === undefined ? 'atoms' : 'dollars'
      const message = tooSmall(judged.quote, ok ? 'dollars' : askedIn)
      return { ok, value: usdOf(micro), limit: TRADE.minNotionalUsd, message }
    },
  },
  {
    code: 'MAX_NOTIONAL',
    severity: 'refuse',
    check: (judged) => {
      const micro = sizeOf(judged)
      if (micro === null) return null
      const ok = micro <= MAX_MICRO_USD
      const message = `A trade must be at most ${usdText(TRADE.maxNotionalUsd)}.`
      return { ok, value: usdOf(micro), limit: TRADE.maxNotionalUsd, message }
    },
  },
  {
    code: 'MAX_SLIPPAGE',
    severity: 'refuse',
    field: 'slippage_bps',
    check: ({ quote: { slippageBps, slippageCapBps } }) => ({
      ok: slippageBps <= slippageCapBps,
      value: slippageBps,
      limit: slippageCapBps,
      message: `Slippage for this pair and size must be at most ${slippageCapBps} bps.`,
    }),
  },
  {
    code: 'FEE_BPS',
    severity: 'refuse',
    field: 'max_fee_bps',
    check: ({ quote, maxFeeBps }) =>
      maxFeeBps === undefined
        ? null
        : {
            ok: quote.fee.bps <= maxFeeBps,
            value: quote.fee.bps,
            limit: maxFeeBps,
            message: `The fee is ${quote.fee.bps} bps; the request allows at most ${maxFeeBps} bps.`,
          },
  },
  {
    code: 'MAX_FEE',
    severity: 'refuse',
    check: ({ quote }) => ({
      ok: quote.fee.bps <= FEE.maxBps,
      value: quote.fee.bps,
      limit: FEE.maxBps,
      message: `The fee must be at most ${FEE.maxBps} bps.`,
    }),
  },
  {
    code: 'GEOFENCE',
    severity: 'refuse',
    field: 'owner_attests_non_us',
    check: ({ quote, attestsNonUs }) =>
      stockEnds(quote).length === 0 || attestsNonUs === undefined
        ? null
        : { ok: attestsNonUs === true, message: attestationRule(attestsNonUs) },
  },
  {
    code: 'STOCK_PAUSED',
    severity: 'refuse',
    check: ({ quote, wallet }) => {
      const stocks = stockEnds(quote)
      if (stocks.length === 0) return null
      const paused = wallet
        ? wallet.stocks.filter((stock) => stock.paused).map(({ token }) => token)
        : stocks.filter(({ record }) => record.flags['paused'] === true).map(({ address }) => address)
      return judge(paused, 'No stock token of this trade is paused.', 'The issuer has paused')
    },
  },
  {
    code: 'WALLET_BLOCKED',
    severity: 'refuse',
    check: ({ quote, wallet }) => {
      if (!wallet || stockEnds(quote).length === 0) return null
      const blocking = wallet.stocks.filter(({ blocked }) => blocked).map(({ token }) => token)
      const parties = wallet.blockedParties
      return blocking.length > 0 || parties.length === 0
        ? judge(
            blocking,
            'The stock token registry blocks neither this wallet nor the router.',
            'This wallet is blocked by the registry of',
          )
        : judge(parties, '', 'No wallet can trade this stock here. Its registry blocks')
    },
  },
  {
    code: 'RISK_BLOCKED',
    severity: 'refuse',
    field: 'policies',
    check: (judged) => {
      const policies = policiesOf(judged.quote)
      if (policies.length === 0) return null
      const { codes, names } = blockedBy(judged)
      return {
        ok: codes.length === 0,
        value: codes,
        limit: policies,
        message:
          codes.length === 0
            ? `Shield policies passed: ${policies.join(', ')}.`
            : `Shield policy ${names.join(', ')} refuses ${codes.join(', ')}.`,
      }
    },
  },
  {
    code: 'RISK_NOT_ACCEPTED',
    severity: 'refuse',
    field: 'accept_risks',
    check: (judged) => {
      const unaccepted = unacceptedOf(judged)
      const severe = severeOf(judged)
      const message =
        unaccepted.length > 0
          ? `Severe risks not accepted: ${unaccepted.join(', ')}.`
          : severe.length > 0
            ? `Severe risks accepted: ${severe.join(', ')}.`
            : 'No severe risks.'
      return { ok: unaccepted.length === 0, value: unaccepted, message }
    },
  },
  {
    code: 'NO_REFERENCE_MID',
    severity: 'refuse',
    check: ({ quote: { midDue, mid } }) =>
      midDue
        ? {
            ok: mid !== null,
            value: mid,
            message: mid === null ? 'The reference mid is not available.' : 'The reference mid is available.',
          }
        : null,
  },
  {
    code: 'ROUTE_VS_MID',
    severity: 'refuse',
    check: ({ judgedRoute }) => {
      const bps = judgedRoute?.vsMidBps
      if (bps === null || bps === undefined) return null
      const limit = TRADE.maxVsMidBps
      const message = `The route’s price is ${apart(-bps)} the reference mid (limit: ${limit} bps below).`
      return { ok: -bps <= limit, value: bps, limit: -limit, message }
    },
  },
  {
    code: 'ROUTE_VS_REF',
    severity: 'refuse',
    check: (judged) => {
      const bps = judged.judgedRoute?.guardBps
      if (bps === null || bps === undefined) return null
      const limit = guardLimitOf(judged)
      const distance = `The route’s price is ${apart(bps)} the token’s independent reference`
      const message = `${distance} (limit: ${limit} bps below).`
      return { ok: bps <= limit, value: bps, limit, message }
    },
  },
  {
    code: 'LIMIT_NOT_REACHABLE',
    severity: 'refuse',
    field: 'min_amount_out',
    check: ({ quote, judgedRoute, minAmountOut }) => {
      const bound = markBoundOf(quote)
      const least = maxOf(minAmountOut ?? 0n, orderShareOf(quote))
      if ((minAmountOut === undefined && least === 0n && bound === null) || judgedRoute === null) return null
      const { expected } = outcomeOf(quote, judgedRoute)
      if (bound && bound.least > least) {
        const bps = Number(bound.shortfallBps(expected))
        const { limitBps: limit } = bound
        const message = `The quote is ${bps} bps worse than mark; the order allows ${limit} bps, fee included.`
        return { ok: bound.least <= expected, value: bps, limit, message }
      }
      return {
        ok: least <= expected,
        value: expected.toString(),
        limit: least.toString(),
        message: `Expected output: ${expected} atoms. The request requires at least ${least}.`,
      }
    },
  },
  {
    code: 'UNLIMITED_APPROVAL_IN_PLACE',
    severity: 'warn',
    check: ({ quote, wallet, approves = 'permit2' }) => {
      if (!wallet || quote.tokenIn.address === NATIVE) return null
      const allowance = approves === 'curve' ? wallet.curveAllowance : wallet.allowance
      const unlimited = isUnlimited(allowance)
      const symbol = quote.tokenIn.symbol.slice(0, 32)
      return {
        ok: !unlimited,
        value: allowance.toString(),
        message: unlimited
          ? `The wallet has an unlimited approval of ${symbol}; revoke it with live/revoke.`
          : 'The wallet has no unlimited approval of the input.',
      }
    },
  },
  {
    code: 'TOKEN_TIER',
    severity: 'info',
    check: ({ quote: { tokenIn, tokenOut } }) => {
      const tiers = { token_in: tokenIn.record.tier, token_out: tokenOut.record.tier }
      return {
        ok: true,
        value: tiers,
        message: `Selling tier ${tiers.token_in}, buying tier ${tiers.token_out}.`,
      }
    },
  },
]

function judge(tokens: readonly string[], fine: string, wrong: string): Verdict {
  const ok = tokens.length === 0
  return { ok, value: tokens, message: ok ? fine : `${wrong} ${tokens.join(', ')}.` }
}

/** Formats a distance; positive is worse. */
const apart = (bps: number): string => (bps >= 0 ? `${bps} bps below` : `${-bps} bps above`)
