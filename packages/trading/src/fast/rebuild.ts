import type { Hex, PermitSingle } from '@pit/chain'
import { encodeSwap, type SwapPath } from '@pit/plans'
import { lessBps } from '@pit/protocol'
import type { FastAddresses, PinnedRoute } from './table.ts'

/** A trade the client built and signed, and what it says of it. */
export interface FastParams {
  raw: string
  /** Symbols, as they were sent. */
  tokenIn: string
  tokenOut: string
  amountIn: bigint
  minOut: bigint
  deadlineS: number
  feeBps: number
  shield: boolean
  /** Null: the router has its allowance already. */
  permit: {
    amount: bigint
    expirationS: number
    nonce: number
    sigDeadlineS: number
    signature: Hex
  } | null
  simulate: boolean
  /** Every check and the simulation; nothing is relayed. */
  checkOnly: boolean
  /** Lends the input in the simulation, where nothing is relayed. */
  fund: boolean
  attestsNonUs: boolean
  /** Dollars stay numbers: a refusal names them as they were sent. */
  amountUsd?: number
  maxNotionalUsd?: number
}

/** What of a call is the client's to choose. */
type Chosen = Pick<FastParams, 'amountIn' | 'minOut' | 'deadlineS' | 'permit'>

/** What enters the pool: the input less an input-side fee. */
export const swapInOf = ({ row }: PinnedRoute, amountIn: bigint, feeBps: number): bigint =>
  row.fee.side === 'input' ? lessBps(amountIn, feeBps) : amountIn

/** The permit that goes with exactly this trade. */
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
 * The one calldata of this trade: from the request's amounts, deadline and permit, our own fee, the pinned
 * route and the pinned recipient. Null when the amounts fit no call at all.
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
    // Pinned routes end in core tokens, whose transfers are plain.
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
