import { NATIVE } from '@pit/chain'
import type { Rule } from '@pit/platform/judge'
import { APPROVAL_MODES, FEE, microUsdDown, type RefusalCode, TRADE, usdOf } from '@pit/protocol'
import { tooSmall } from '../quote/index.ts'
import type { Check } from '../types.ts'
import { outcomeOf } from './amounts.ts'
import { isUnlimited } from './approvals.ts'
import {
  askedUsdOf,
  blockedBy,
  guardLimitOf,
  type Judged,
  policiesOf,
  severeOf,
  sizeOf,
  stockEnds,
  unacceptedOf,
} from './judged.ts'

type Verdict = Pick<Check, 'ok' | 'message' | 'value' | 'limit'>
/** `field`: the request field that would have to change. */
type PolicyRule = { field?: string } & (
  | (Rule<Judged, Verdict, RefusalCode> & { severity: 'refuse' })
  | (Rule<Judged, Verdict, 'UNLIMITED_APPROVAL_IN_PLACE'> & { severity: 'warn' })
  | (Rule<Judged, Verdict, 'TOKEN_TIER'> & { severity: 'info' })
)

const MIN_MICRO_USD = microUsdDown(TRADE.minNotionalUsd)
const MAX_MICRO_USD = microUsdDown(TRADE.maxNotionalUsd)

/**
 * The trading policy. From what only another request mends (its terms, size and fee), over what the token's
 * issuer and its risks say, to what the price of this moment says: a token that must not be bought is never
 * answered with advice to try again.
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
            message: `approval_mode is one of ${APPROVAL_MODES.join(', ')}.`,
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
            message: `The approval budget is above 0 and at most ${TRADE.maxApprovalBudgetUsd} dollars.`,
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
            message: 'An unlimited approval needs allow_unlimited_approval true.',
          }
        : null,
  },
  {
    // Without any price neither bound of the size can be held: nothing is planned blindly.
    code: 'NO_MARK',
    severity: 'refuse',
    check: ({ quote }) =>
      quote.notionalMicroUsd === null
        ? { ok: false, message: 'Neither token has a price: the size of this trade cannot be judged.' }
        : null,
  },
  {
    code: 'MIN_NOTIONAL',
    severity: 'refuse',
    check: (judged) => {
      const micro = sizeOf(judged)
      if (micro === null) return null
      const ok = micro >= MIN_MICRO_USD
      const askedIn = askedUsdOf(judged) === undefined ? 'atoms' : 'dollars'
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
      const message = `One trade is at most ${TRADE.maxNotionalUsd} dollars.`
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
      message: `Slippage for this pair and size is at most ${slippageCapBps} bps.`,
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
            message: `The fee is ${quote.fee.bps} bps; the request pays ${maxFeeBps} at most.`,
          },
  },
  {
    code: 'MAX_FEE',
    severity: 'refuse',
    check: ({ quote }) => ({
      ok: quote.fee.bps <= FEE.maxBps,
      value: quote.fee.bps,
      limit: FEE.maxBps,
      message: `The fee is at most ${FEE.maxBps} bps.`,
    }),
  },
  {
    code: 'GEOFENCE',
    severity: 'refuse',
    field: 'owner_attests_non_us',
    check: ({ quote, attestsNonUs }) =>
      stockEnds(quote).length === 0 || attestsNonUs === undefined
        ? null
        : { ok: attestsNonUs, message: 'Stock tokens need owner_attests_non_us true.' },
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
      return judge(paused, 'No stock token of this trade is paused.', 'Its issuer has paused')
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
            'The registry of stock tokens blocks neither this wallet nor the router.',
            'This wallet is blocked by the registry of',
          )
        : judge(parties, '', 'No wallet can trade this stock here: its registry blocks')
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
            ? `The shield policies ${policies.join(', ')} pass.`
            : `The shield policy ${names.join(', ')} refuses ${codes.join(', ')}.`,
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
            : 'No severe risk.'
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
            message: mid === null ? 'The reference mid cannot be read.' : 'The reference mid is known.',
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
      const message = `The route lands ${apart(-bps)} the reference mid; at most ${limit} bps under it.`
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
      const lands = `The route lands ${apart(bps)} the token’s independent reference`
      const message = `${lands}; at most ${limit} bps under it.`
      return { ok: bps <= limit, value: bps, limit, message }
    },
  },
  {
    code: 'LIMIT_NOT_REACHABLE',
    severity: 'refuse',
    field: 'min_amount_out',
    check: ({ quote, judgedRoute, minAmountOut }) => {
      if (minAmountOut === undefined || judgedRoute === null) return null
      const { expected } = outcomeOf(quote, judgedRoute)
      return {
        ok: minAmountOut <= expected,
        value: expected.toString(),
        limit: minAmountOut.toString(),
        message: `About ${expected} atoms arrive now; the request wants ${minAmountOut} at least.`,
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
          ? `The wallet has an unlimited approval of ${symbol}; live/revoke takes it back.`
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
        message: `Tier ${tiers.token_in} is sold, tier ${tiers.token_out} bought.`,
      }
    },
  },
]

function judge(tokens: readonly string[], fine: string, wrong: string): Verdict {
  const ok = tokens.length === 0
  return { ok, value: tokens, message: ok ? fine : `${wrong} ${tokens.join(', ')}.` }
}

/** A distance in words; positive is worse. */
const apart = (bps: number): string => (bps >= 0 ? `${bps} bps under` : `${-bps} bps over`)
