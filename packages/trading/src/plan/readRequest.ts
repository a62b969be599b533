import type { Address, Crypto, Hex } from '@pit/chain'
import type { Caller } from '@pit/platform/call'
import { type Body, type CURVE_FEE_MODES, fail } from '@pit/protocol'
import { readPolicies } from '../quote/index.ts'
import type { TradeAsk } from '../types.ts'
import type { ApprovalTerms } from './approvals.ts'
import type { PlanDeps } from './deps.ts'
import { lower } from './place.ts'
import { refuseTerms } from './policy.ts'
import type { PermitSource } from './spending.ts'

/** The body of a trade, not of a revocation. */
export type TradeBody = Extract<Body<'live.prepare'>, { token_in: string }>
export type SimulateBody = Body<'live.simulate'>

/** How a trade is to be planned, beside what is traded. */
export interface PlanTerms {
  acceptRisks: readonly string[]
  attestsNonUs: boolean
  minAmountOut?: bigint
  maxFeeBps?: number
  /** The dollars first asked for, where an earlier call's atoms stand for them. */
  notionalUsd?: number
  /** What an earlier call's permit granted. */
  granted?: bigint
  approval: ApprovalTerms & { allowUnlimited: boolean }
  permit: PermitSource
  curveFeeMode: (typeof CURVE_FEE_MODES)[number]
}

/** The wallet a request names, which must be the key's. */
export function walletOf(crypto: Pick<Crypto, 'parseAddress'>, { key }: Caller, text: string): Address {
  const wallet =
    crypto.parseAddress(text) ??
    fail('BAD_REQUEST', {
      field: 'wallet',
      message: '`wallet`: its checksum is wrong; send it lower-case or as it is.',
    })
  if (!key?.wallet) return fail('WALLET_NOT_BOUND')
  return wallet === key.wallet ? wallet : fail('WALLET_MISMATCH', { field: 'wallet' })
}

/** What the caller asks for; refuses what no market could change. */
export function readTrade(
  deps: Pick<PlanDeps, 'charge' | 'devFields' | 'profile'>,
  body: TradeBody | SimulateBody,
  {
    caller,
    feeWallet,
    synthetic = false,
  }: { caller: Caller; feeWallet: Address | null; synthetic?: boolean },
): { trade: TradeAsk; terms: PlanTerms } {
  checkDevFields(deps, body)
  const terms = readTerms(body)
  // A synthetic wallet is told what a plan would be refused for; only a mode that is none cannot be planned.
  if (synthetic) refuseTerms(terms, ['APPROVAL_MODE'])
  else refuseTerms(terms)
  const policies = readPolicies(body)
  const trade: TradeAsk = {
    wallet: feeWallet,
    tokenIn: body.token_in,
    tokenOut: body.token_out,
    ...(body.notional_usd !== undefined && { notionalUsd: body.notional_usd }),
    ...(body.amount_in !== undefined && { amountIn: BigInt(body.amount_in) }),
    ...(body.slippage_bps !== undefined && { slippageBps: body.slippage_bps }),
    ...(body.route_id !== undefined && { routeId: body.route_id }),
    venues: body.venues,
    shield: body.shield,
    policies,
    fast: false,
    admit: () => deps.charge(caller, ['screen.caller', 'screen.overall']),
  }
  return { trade, terms }
}

function readTerms(body: TradeBody | SimulateBody): PlanTerms {
  return {
    acceptRisks: body.accept_risks,
    attestsNonUs: body.owner_attests_non_us,
    ...(body.min_amount_out !== undefined && { minAmountOut: BigInt(body.min_amount_out) }),
    ...(body.max_fee_bps !== undefined && { maxFeeBps: body.max_fee_bps }),
    approval: {
      // Any text passes here: APPROVAL_MODE is the policy's word.
      mode: body.approval_mode as ApprovalTerms['mode'],
      budgetUsd: body.approval_budget_usd,
      allowUnlimited: body.allow_unlimited_approval,
      permitMode: body.permit_mode,
      permitScope: body.permit_scope,
    },
    permit: readPermit(body),
    curveFeeMode: body.curve_fee_mode,
  }
}

function readPermit({ permit_mode, permit_signature, permit_now }: TradeBody | SimulateBody): PermitSource {
  if (permit_signature === undefined || permit_mode === 'transaction') return { kind: 'asked' }
  if (permit_now === undefined) {
    fail('BAD_REQUEST', { field: 'permit_now', message: '`permit_now` goes with `permit_signature`.' })
  }
  return { kind: 'signed', signature: permit_signature as Hex, nowS: permit_now }
}

/** The edge lets development fields through only where they are on; then no other recipient than the pinned one. */
function checkDevFields({ devFields, profile }: Pick<PlanDeps, 'devFields' | 'profile'>, body: object): void {
  const recipient = (body as Record<string, unknown>)['fee_recipient']
  if (recipient === undefined) return
  if (!devFields) fail('DEV_DISABLED', { field: 'fee_recipient' })
  if (typeof recipient !== 'string' || lower(recipient) !== profile.fee_recipient?.toLowerCase()) {
    fail('FEE_RECIPIENT_NOT_ALLOWED', { field: 'fee_recipient' })
  }
}
