import type { Address, Crypto, Hex } from '@pit/chain'
import { type CURVE_FEE_MODES, fail, lower } from '@pit/protocol'
import type { Trader } from '@pit/relay'
import type { AttestsNonUs } from '../attestation.ts'
import { refusePolicies } from '../quote/index.ts'
import type { TradeParams } from '../types.ts'
import type { ApprovalTerms } from './approvals.ts'
import type { PlanDeps } from './deps.ts'
import { refuseTerms } from './policy.ts'
import type { PermitSource } from './spending.ts'

/** How to plan a trade. */
export interface PlanTerms {
  acceptRisks: readonly string[]
  attestsNonUs: AttestsNonUs
  minAmountOut?: bigint
  maxFeeBps?: number
  /** The dollars of the first call, if its atoms are reused. */
  notionalUsd?: number
  /** Amount granted by the permit of an earlier call. */
  granted?: bigint
  approval: ApprovalTerms & { allowUnlimited: boolean }
  permit: PermitSource
  curveFeeMode: (typeof CURVE_FEE_MODES)[number]
}

/** A request for a plan, before the policy is applied. */
export interface PlanRequest {
  by: Trader
  trade: TradeParams
  terms: Omit<PlanTerms, 'notionalUsd' | 'granted' | 'permit'>
  /** A signature, and the second its permit was created for. */
  permit?: { signature: Hex; nowS?: number }
  /** A development field; only the pinned recipient is accepted. */
  feeRecipient?: unknown
}

/** The wallet of a request, which must be the key's. */
export function walletOf(
  crypto: Pick<Crypto, 'parseAddress'>,
  { key }: { key: { wallet: Address | null } | null },
  text: string,
): Address {
  const wallet =
    crypto.parseAddress(text) ??
    fail('BAD_REQUEST', {
      field: 'wallet',
      message: '`wallet` has a wrong checksum. Send it in lower case or with the correct checksum.',
    })
  if (!key?.wallet) return fail('WALLET_NOT_BOUND')
  return wallet === key.wallet ? wallet : fail('WALLET_MISMATCH', { field: 'wallet' })
}

/** Refuses terms that are invalid in any market. */
export function readTerms(
  deps: Pick<PlanDeps, 'devFields' | 'profile'>,
  { trade, terms: asked, permit, feeRecipient }: Omit<PlanRequest, 'by'>,
  wallet: 'real' | 'synthetic',
): PlanTerms {
  checkFeeRecipient(deps, feeRecipient)
  const terms: PlanTerms = { ...asked, permit: permitSourceOf(asked.approval, permit) }
  // A synthetic wallet only reports what a plan would be refused for; an unknown mode cannot be planned at all.
  if (wallet === 'synthetic') refuseTerms(terms, ['APPROVAL_MODE'])
  else refuseTerms(terms)
  refusePolicies(trade)
  return terms
}

function permitSourceOf({ permitMode }: ApprovalTerms, permit: PlanRequest['permit']): PermitSource {
  if (permit === undefined || permitMode === 'transaction') return { kind: 'asked' }
  const { signature, nowS } = permit
  if (nowS === undefined) {
    fail('BAD_REQUEST', {
      field: 'permit_now',
      message: '`permit_signature` requires `permit_now`: send both of the first answer.',
    })
  }
  return { kind: 'signed', signature, nowS }
}

/** Development fields are accepted only if enabled, and only with the pinned recipient. */
function checkFeeRecipient(
  { devFields, profile }: Pick<PlanDeps, 'devFields' | 'profile'>,
  recipient: unknown,
): void {
  if (recipient === undefined) return
  if (!devFields) fail('DEV_DISABLED', { field: 'fee_recipient' })
  if (typeof recipient !== 'string' || lower(recipient) !== profile.fee_recipient?.toLowerCase()) {
    fail('FEE_RECIPIENT_NOT_ALLOWED', { field: 'fee_recipient' })
  }
}
