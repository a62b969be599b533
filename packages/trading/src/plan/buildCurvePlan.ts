import { type CurvePool, launchpadOf } from '@pit/chain'
import { encodeBatch, encodeCurveTrade } from '@pit/plans'
import { fail, feeOf, type schemas } from '@pit/protocol'
import type { TradePlan } from '../types.ts'
import { isEth, type TradeAddresses } from './addresses.ts'
import { outcomeOf } from './amounts.ts'
import type { BuildableRoute } from './chooseRoute.ts'
import { approvalDrafts, type BuildRequest, deadlineOf, floorOf, type Spending } from './spending.ts'
import { amountJson, type Draft, feeStep, INTRINSIC_GAS, limitFromEstimate, lineUp } from './steps.ts'

type CurveWay = { kind: 'curve'; curve: CurvePool; side: 'buy' | 'sell' }
type CurveParams = BuildRequest & { route: BuildableRoute & { way: CurveWay } }

/**
 * A trade with a launchpad's curve, which cannot deduct our fee: it is paid separately. A delegated wallet
 * sends everything in one transaction; otherwise the fee is the transaction before the swap.
 */
export function buildCurvePlan(
  addresses: TradeAddresses,
  request: CurveParams,
  spending: Spending,
): TradePlan {
  const { quote, route, wallet } = request
  const isBatch = batches(addresses, request)
  const isInput = quote.fee.side === 'input'
  const outcome = outcomeOf(quote, route, floorOf(request))
  const feeAmount = isInput ? feeOf(quote.amountIn, quote.fee.bps) : outcome.outputFee
  const feeToken = isInput ? quote.tokenIn : quote.tokenOut
  const fee = feeAmount === 0n ? [] : [feeStep(feeToken, quote.fee.recipient, feeAmount)]
  const swap = curveDraft(request, outcome.contractMin)
  const approve = approvalDrafts(request, spending)
  // In a batch a sale can pay its fee from its proceeds; otherwise the fee goes first.
  const drafts = isBatch && !isInput ? [...approve, swap, ...fee] : [...approve, ...fee, swap]
  return {
    quote,
    route,
    execution: isBatch ? 'batch' : 'curve',
    steps: lineUp(isBatch ? [batchDraft(request, drafts)] : drafts, {
      ...wallet,
      gasPriceWei: quote.gasPriceWei,
    }),
    feeAmount,
    feeCommand: isBatch ? 'batch transfer' : 'fee_transfer',
    amountOutMin: outcome.min,
    amountOutExpected: outcome.expected,
    deadlineS: deadlineOf(request.nowS),
    permit: null,
    permitNowS: null,
    preview: null,
    complete: true,
  }
}

function batches({ delegator }: TradeAddresses, { wallet, curveFeeMode }: CurveParams): boolean {
  const isDelegated = wallet.delegatedTo === delegator
  if (curveFeeMode === 'batch' && !isDelegated) {
    fail('FEE_MODE', {
      field: 'curve_fee_mode',
      message: `A batch requires a wallet delegated to ${delegator}. Use two_step with other wallets.`,
    })
  }
  return curveFeeMode === 'two_step' ? false : isDelegated
}

function curveDraft({ quote, route, wallet, nowS }: CurveParams, contractMin: bigint): Draft {
  const { curve, side } = route.way
  const { launchpad } = curve
  const data = encodeCurveTrade({
    launchpad,
    side,
    amountIn: quote.swapIn,
    amountOutMin: contractMin,
    recipient: wallet.wallet,
    deadlineS: BigInt(deadlineOf(nowS)),
  })
  const { hasDeadline } = launchpadOf(launchpad)
  const valueWei = isEth(quote.tokenIn.address) ? quote.swapIn : 0n
  return {
    kind: 'swap',
    why: 'The trade with the curve.',
    call: { to: curve.id, valueWei, data, gas: limitFromEstimate(route.gas) },
    decoded: () => ({
      function: hasDeadline
        ? `${side}(uint256 amountIn, uint256 minOut, address to, uint256 deadline)`
        : `${side}(uint256 amountIn, uint256 minOut, address to)`,
      curve: curve.id,
      pays: amountJson(quote.tokenIn, quote.swapIn),
      receives_at_least: amountJson(quote.tokenOut, contractMin),
      recipient: wallet.wallet,
      deadline: hasDeadline ? deadlineOf(nowS) : null,
    }),
  }
}

/** Only approvals, the fee and the curve's own call are batched. */
type BatchedCall = Extract<schemas.Decoded, { calls: unknown }>['calls'][number]

/** The wallet calls itself: the value of the calls comes from its balance, so the transaction carries none. */
function batchDraft({ wallet }: CurveParams, drafts: readonly Draft[]): Draft {
  const calls = drafts.flatMap(({ call }) => (call ? [call] : []))
  const gas = calls.reduce((sum, call) => sum + call.gas, 2 * INTRINSIC_GAS)
  return {
    kind: 'swap',
    why: 'Approval, fee and trade in one atomic transaction of the delegated wallet.',
    call: { to: wallet.wallet, valueWei: 0n, data: encodeBatch(calls), gas },
    decoded: () => ({
      function: 'execute(bytes32 mode, bytes executionCalldata)',
      calls: drafts.map(
        ({ kind, call, decoded }) =>
          ({
            kind,
            ...(call && { to: call.to, value_wei: call.valueWei.toString() }),
            ...decoded(),
          }) as BatchedCall,
      ),
    }),
  }
}
