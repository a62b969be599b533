import type { Hex, PermitSingle } from '@pit/chain'
import { encodeSwap, type SwapPath } from '@pit/plans'
import { lessBps } from '@pit/protocol'
import type { AttestsNonUs } from '../attestation.ts'
import type { FastAddresses, PinnedRoute } from './table.ts'

/** A trade that the client built and signed, with its declared values. */
export interface FastParams {
  raw: string
  /** Symbols as sent. */
  tokenIn: string
  tokenOut: string
  amountIn: bigint
  minOut: bigint
  deadlineS: number
  feeBps: number
  shield: boolean
  /** Null: the router already has its allowance. */
  permit: {
    amount: bigint
    expirationS: number
    nonce: number
    sigDeadlineS: number
    signature: Hex
  } | null
  simulate: boolean
  /** Runs every check and the simulation without relaying. */
  checkOnly: boolean
  /** Lends the input in a check-only simulation. */
  fund: boolean
  attestsNonUs: AttestsNonUs
  /** Stays a number: a refusal repeats it as sent. */
  amountUsd?: number
  maxNotionalUsd?: number
}

/** The parts of a call that the client chooses. */
type Chosen = Pick<FastParams, 'amountIn' | 'minOut' | 'deadlineS' | 'permit'>

/** Amount that enters the pool: the input less an input-side fee. */
export const swapInOf = ({ row }: PinnedRoute, amountIn: bigint, feeBps: number): bigint =>
  row.fee.side === 'input' ? lessBps(amountIn, feeBps) : amountIn

/** The permit for exactly this trade. */
export const permitOf = (
  route: PinnedRoute,
  addresses: FastAddresses,
  request: Pick<FastParams, 'permit'>,
): PermitSingle | null =>
  request.permit && {
    details: {
      token: route.tokenIn.address,
      amount: request.permit.amount,
      expiration: request.permit.expirationS,
      nonce: request.permit.nonce,
    },
    spender: addresses.router,
    sigDeadline: BigInt(request.permit.sigDeadlineS),
  }

/**
 * The only valid calldata of this trade: the request's amounts, deadline and permit, with our fee, the pinned
 * route and the pinned recipient. Null if an amount does not fit its field.
 */
export function rebuild(
  route: PinnedRoute,
  addresses: FastAddresses,
  request: Chosen,
  feeBps: number,
): Hex | null {
  const permit = permitOf(route, addresses, request)
  const plan: SwapPath = {
    tokenIn: route.tokenIn.address,
    tokenOut: route.tokenOut.address,
    amountIn: request.amountIn,
    legs: [{ hops: [route.hop], amountIn: swapInOf(route, request.amountIn, feeBps) }],
    amountOutMin: request.minOut,
    // Pinned routes end in core tokens, which have no transfer tax.
    direct: true,
    fee: { bps: feeBps, side: route.row.fee.side, recipient: addresses.feeRecipient },
    ...(permit && request.permit ? { permit: { permit, signature: request.permit.signature } } : {}),
    deadlineS: BigInt(request.deadlineS),
    weth: addresses.weth,
    layout: addresses.layout,
  }
  try {
    return encodeSwap(plan).data
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
