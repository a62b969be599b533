import { feeOf, type Hex, type PermitSingle } from '@pit/chain'
import { encodeSwap, type SwapPath } from '@pit/plans'
import type { Body } from '@pit/protocol'
import type { PinnedRoute, Place } from './table.ts'

/** What of a call is the client's to choose. */
export interface FastAsk {
  amountIn: bigint
  minOut: bigint
  deadlineS: number
  /** Null: the router has its allowance already. */
  permit: NonNullable<Body<'live.fast'>['permit']> | null
}

/** What enters the pool: the input less an input-side fee. */
export const swapInOf = ({ row }: PinnedRoute, amountIn: bigint, feeBps: number): bigint =>
  row.fee.side === 'input' ? amountIn - feeOf(amountIn, feeBps) : amountIn

/** The permit that goes with exactly this trade. */
export const permitOf = (route: PinnedRoute, place: Place, ask: FastAsk): PermitSingle | null =>
  ask.permit && {
    details: {
      token: route.tokenIn.address,
      amount: BigInt(ask.permit.amount),
      expiration: ask.permit.expiration,
      nonce: ask.permit.nonce,
    },
    spender: place.router,
    sigDeadline: BigInt(ask.permit.sig_deadline),
  }

/**
 * The one calldata of this trade: from the request's amounts, deadline and permit, our own fee, the pinned route and
 * the pinned recipient. Null when the amounts fit no call at all.
 */
export function rebuild(route: PinnedRoute, place: Place, ask: FastAsk, feeBps: number): Hex | null {
  const permit = permitOf(route, place, ask)
  const plan: SwapPath = {
    tokenIn: route.tokenIn.address,
    tokenOut: route.tokenOut.address,
    amountIn: ask.amountIn,
    legs: [{ hops: [route.hop], amountIn: swapInOf(route, ask.amountIn, feeBps) }],
    amountOutMin: ask.minOut,
    // Pinned routes end in core tokens, whose transfers are plain.
    direct: true,
    fee: { bps: feeBps, side: route.row.fee.side, recipient: place.feeRecipient },
    ...(permit && ask.permit ? { permit: { permit, signature: ask.permit.signature as Hex } } : {}),
    deadlineS: BigInt(ask.deadlineS),
    weth: place.weth,
    layout: place.layout,
  }
  try {
    return encodeSwap(plan).data
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
