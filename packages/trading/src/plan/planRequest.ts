import { type Address, type Crypto, type Hex, lowerAddress as lower } from '@pit/chain'
import { type CURVE_FEE_MODES, fail } from '@pit/protocol'
import type { Trader } from '@pit/relay'
import { refusePolicies } from '../quote/index.ts'
import type { TradeParams } from '../types.ts'
import type { ApprovalTerms } from './approvals.ts'
import type { PlanDeps } from './deps.ts'
import { refuseTerms } from './policy.ts'
import type { PermitSource } from './spending.ts'

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

/** A trade a key asks to be planned, not judged yet. */
export interface PlanRequest {
  by: Trader
  trade: TradeParams
  terms: Omit<PlanTerms, 'notionalUsd' | 'granted' | 'permit'>
  /** A signature, and the second its permit was asked for in. */
  permit?: { signature: Hex; nowS?: number }
  /** A development field: may name the pinned recipient and no other. */
  feeRecipient?: unknown
}

/** The wallet a request names, which must be the key's. */
export function walletOf(
  crypto: Pick<Crypto, 'parseAddress'>,
  { key }: { key: { wallet: Address | null } | null },
  text: string,
): Address {
  const wallet =
    crypto.parseAddress(text) ??
    fail('BAD_REQUEST', {
      field: 'wallet',
      message: '`wallet`: its checksum is wrong; send it lower-case or as it is.',
    })
  if (!key?.wallet) return fail('WALLET_NOT_BOUND')
  return wallet === key.wallet ? wallet : fail('WALLET_MISMATCH', { field: 'wallet' })
}

/** Refuses what no market could change. */
export function readTerms(
  deps: Pick<PlanDeps, 'devFields' | 'profile'>,
  { trade, terms: asked, permit, feeRecipient }: Omit<PlanRequest, 'by'>,
  wallet: 'real' | 'synthetic',
): PlanTerms {
  checkFeeRecipient(deps, feeRecipient)
  const terms: PlanTerms = { ...asked, permit: permitSourceOf(asked.approval, permit) }
  // A synthetic wallet is told what a plan would be refused for; only a mode that is none cannot be planned.
  if (wallet === 'synthetic') refuseTerms(terms, ['APPROVAL_MODE'])
  else refuseTerms(terms)
  refusePolicies(trade)
  return terms
}

function permitSourceOf({ permitMode }: ApprovalTerms, permit: PlanRequest['permit']): PermitSource {
  if (permit === undefined || permitMode === 'transaction') return { kind: 'asked' }
  const { signature, nowS } = permit
  if (nowS === undefined) {
    fail('BAD_REQUEST', { field: 'permit_now', message: '`permit_now` goes with `permit_signature`.' })
  }
  return { kind: 'signed', signature, nowS }
}

/** Development fields pass only where they are on, and then only with the pinned recipient. */
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
