import { type Address, type Hex, NATIVE, readCurveCall, readSwap, type SwapReading } from '@pit/chain'
import { feeOf, type LaunchpadKind, mostBeforeBps, TRADE } from '@pit/protocol'
import type { Pins } from '../pins.ts'
import type { Session } from '../roots/readRoots.ts'
import type { CosignRequest, Trade, TradeFee, Unread } from './types.ts'

type RouterPins = Pick<Pins, 'router' | 'weth' | 'layout'>

/** Decodes a call by its target: the router, or one of the session's curves. */
export function readTrade(
  pins: RouterPins,
  session: Session,
  { execution, curveFeeWei }: Pick<CosignRequest, 'execution' | 'curveFeeWei'>,
): Trade | Unread {
  const { target, data } = execution
  if (target === pins.router) {
    if (curveFeeWei !== null)
      return { rule: 'SESSION_CURVE_STEPS', fault: 'A router call pays its fee itself.' }
    return readRouterCall(pins, data)
  }
  const token = session.curve?.tokens.get(target)
  if (!session.curve?.root.curves.includes(target) || token === undefined)
    return {
      rule: 'SESSION_TARGET',
      fault: 'The call is neither to the router nor to a curve of the session.',
    }
  if (curveFeeWei === null)
    return {
      rule: 'SESSION_CURVE_STEPS',
      fault: 'The fee of the curve trade is missing.',
    }
  return readCurveTrade(data, {
    token,
    feeWei: curveFeeWei,
    recipient: session.curve.fee.recipient,
    launchpads: session.curve.root.launchpads,
  })
}

function readRouterCall({ weth, layout }: RouterPins, data: Hex): Trade | Unread {
  const swap = readSwap(data, { weth, layout })
  if ('fault' in swap)
    return { rule: 'SESSION_EXECUTION', fault: `The co-signer cannot read the router call: ${swap.fault}.` }
  const { fee } = swap
  const paid: TradeFee | null = fee && {
    side: fee.side,
    recipient: fee.recipient,
    isOf: (bps) => (fee.side === 'input' ? fee.amount === feeOf(swap.amountIn, bps) : fee.bps === bps),
  }
  return {
    kind: 'router',
    tokenIn: swap.tokenIn,
    tokenOut: swap.tokenOut,
    amountIn: swap.amountIn,
    amountOutMin: swap.amountOutMin,
    valueWei: swap.valueWei,
    deadlineS: swap.deadlineS,
    fee: paid,
    // The reader only accepts calls that pay the caller and the fee's recipient.
    recipient: 'wallet',
    hasPermit: swap.permit !== null,
    ...wayOf(swap),
  }
}

function wayOf({
  legs,
  tokenIn,
  tokenOut,
  direct,
}: SwapReading): Pick<Trade, 'between' | 'hooks' | 'countsWallet'> {
  const hops = legs.flatMap((leg) => leg.hops)
  const ends = new Set([tokenIn, tokenOut])
  const tokens = hops.flatMap((hop) => [hop.tokenIn, hop.tokenOut]).filter((token) => !ends.has(token))
  const hooks = hops.flatMap((hop) =>
    hop.version === 'v4' && hop.key.hooks !== NATIVE ? [hop.key.hooks] : [],
  )
  return {
    between: [...new Set(tokens)],
    hooks: [...new Set(hooks)],
    countsWallet: direct && legs.some((leg) => leg.hops.at(-1)?.version === 'v2'),
  }
}

/** How far a curve sale's minimum may be below the expected proceeds, which set its fee. */
const MAX_TOLERATED_BPS = Math.max(...TRADE.slippageToleranceBySize.map(({ other }) => other.cap_bps))

/** A curve's `buy` or `sell`. Its fee is paid separately in ETH. */
function readCurveTrade(
  data: Hex,
  {
    token,
    feeWei,
    recipient,
    launchpads,
  }: { token: Address; feeWei: bigint; recipient: Address; launchpads: readonly LaunchpadKind[] },
): Trade | Unread {
  const call = readCurveCall(data)
  if (!call || call.amountIn === 0n || !launchpads.includes(call.launchpad))
    return { rule: 'SESSION_EXECUTION', fault: 'The co-signer cannot read the curve call.' }
  const { amountIn, amountOutMin, deadlineS } = call
  const way = { between: [], hooks: [], countsWallet: false }
  const common = { kind: 'curve', deadlineS, recipient: call.recipient, hasPermit: false, ...way } as const
  const fee = { recipient, feeWei }
  if (call.side === 'buy') {
    return {
      ...common,
      tokenIn: NATIVE,
      tokenOut: token,
      amountIn: amountIn + feeWei,
      amountOutMin,
      valueWei: amountIn,
      fee: curveFee(fee, 'input', (bps) => feeWei === feeOf(amountIn + feeWei, bps)),
    }
  }
  const maxExpected = mostBeforeBps(amountOutMin, MAX_TOLERATED_BPS) + 1n
  return {
    ...common,
    tokenIn: token,
    tokenOut: NATIVE,
    amountIn,
    amountOutMin: amountOutMin > feeWei ? amountOutMin - feeWei : 0n,
    valueWei: 0n,
    // The fee is of the expected proceeds, which lie between the minimum and the most that slippage allows.
    fee: curveFee(
      fee,
      'output',
      (bps) => feeWei >= feeOf(amountOutMin, bps) && feeWei <= feeOf(maxExpected, bps),
    ),
  }
}

function curveFee(
  { recipient, feeWei }: { recipient: Address; feeWei: bigint },
  side: TradeFee['side'],
  isOf: TradeFee['isOf'],
): TradeFee | null {
  return feeWei === 0n ? null : { side, recipient, isOf }
}
