import type { Address } from '@pit/chain'
import {
  type ChainProfile,
  FEE,
  FEE_SIDE_RANK,
  type FeeClass,
  type FeeSide,
  fail,
  lower,
} from '@pit/protocol'
import type { TradeFee, TradeParams, TradeToken } from '../types.ts'

type End = Pick<TradeToken, 'address' | 'core' | 'record'>
type Ends = { tokenIn: End; tokenOut: End }

const isMajor = ({ core, record }: End): boolean => core !== null || record.stock_beacon === true

export const feeClassOf = ({ tokenIn, tokenOut }: Ends): FeeClass =>
  isMajor(tokenIn) && isMajor(tokenOut) ? 'major' : 'other'

/** The higher-ranked end pays; if neither is core, the input does. */
export function feeSideOf({ tokenIn, tokenOut }: Ends): FeeSide {
  const rank = ({ core }: End) => (core === null ? FEE_SIDE_RANK.length : FEE_SIDE_RANK.indexOf(core))
  return rank(tokenOut) < rank(tokenIn) ? 'output' : 'input'
}

/** Fees go to the pinned recipient only. */
export const feeRecipientOf = ({ fee_recipient }: ChainProfile): Address =>
  fee_recipient === null
    ? fail('LIVE_UNAVAILABLE', { message: 'Trading is disabled: no fee recipient is set on this chain.' })
    : lower(fee_recipient)

/** `majorBps` reads the wallet's tier, only if it applies. */
export async function feeOfTrade(
  ends: Ends,
  request: Pick<TradeParams, 'shield' | 'feeBps'>,
  { recipient, majorBps }: { recipient: Address; majorBps: () => Promise<number> },
): Promise<TradeFee> {
  const cls = feeClassOf(ends)
  const shieldBps = request.shield ? FEE.shieldAddBps : 0
  const tier = request.feeBps
    ? Math.max(0, request.feeBps(cls) - shieldBps)
    : cls === 'major'
      ? await majorBps()
      : FEE.otherBps
  const side = feeSideOf(ends)
  return {
    bps: Math.min(request.feeBps ? request.feeBps(cls) : tier + shieldBps, FEE.maxBps),
    class: cls,
    tier,
    side,
    token: side === 'input' ? ends.tokenIn.address : ends.tokenOut.address,
    recipient,
  }
}
