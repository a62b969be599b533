import { FAST, feeOf, TRADE } from '@pit/protocol'
import { formatEther } from 'viem'
import type { Measured } from '../types.ts'
import type { Facts } from './facts.ts'

/** How a rule saw the facts. `value` and `limit` are JSON. */
export interface Verdict {
  ok: boolean
  /** What the rule asks for: said of it while it holds. */
  rule?: string
  /** What is said instead. A broken rule without one is told in the error table's words. */
  message?: string
  value?: Measured
  limit?: Measured
}
export const passes = (rule: string): Verdict => ({ ok: true, rule })

export const hasStock = (route: Facts['route']): boolean =>
  route !== null && (route.tokenIn.stock || route.tokenOut.stock)

export function checkPaused({ route, funds }: Facts): Verdict | null {
  if (!route || !hasStock(route) || !funds) return null
  const ends = [route.tokenIn, route.tokenOut].filter((end) => funds.tokens.get(end.address)?.paused)
  const names = ends.map(({ symbol }) => symbol)
  return names.length === 0
    ? passes('No stock token of this trade is paused.')
    : { ok: false, message: `Its issuer has paused ${names.join(' and ')}.`, value: names }
}

/** One list for all stocks: a blocked router or pool stops the trade as a blocked wallet does. */
export function checkBlocked({ stockParties, funds, wallet }: Facts): Verdict | null {
  if (stockParties.length === 0 || !funds) return null
  const blocked = stockParties.filter((party) => funds.blocked.has(party))
  if (blocked.length === 0) return passes('The registry of stock tokens blocks nobody in this trade.')
  const names = blocked.map((party) => (party === wallet ? 'this wallet' : party))
  return { ok: false, message: `The registry of stock tokens blocks ${names.join(', ')}.`, value: blocked }
}

export function checkGas({ tx: { tx }, route, baseFeeWei, maxCostWei, request }: Facts): Verdict | null {
  if (!tx || !route || !('maxFeePerGas' in tx)) return null
  const { gas, maxFeePerGas, maxPriorityFeePerGas } = tx
  const floor = route.row.gas_floor + (request.permit ? (route.row.permit?.gas_add ?? 0) : 0)
  const highest = baseFeeWei * BigInt(FAST.maxFeePerGasBaseFeeMultiple)
  const cost = gas * maxFeePerGas
  const bounds: [boolean, string, bigint, bigint][] = [
    [gas < BigInt(floor), `The gas limit on this route is at least ${floor}.`, gas, BigInt(floor)],
    [
      gas > BigInt(FAST.gasLimitMax),
      `The gas limit is at most ${FAST.gasLimitMax}.`,
      gas,
      BigInt(FAST.gasLimitMax),
    ],
    [maxFeePerGas < baseFeeWei, 'maxFeePerGas is under the base fee.', maxFeePerGas, baseFeeWei],
    [maxFeePerGas > highest, 'maxFeePerGas is over 10 times the base fee.', maxFeePerGas, highest],
    [maxPriorityFeePerGas > maxFeePerGas, 'The tip is over the fee cap.', maxPriorityFeePerGas, maxFeePerGas],
    [cost > maxCostWei, `The maximum cost is over ${formatEther(maxCostWei)} ETH.`, cost, maxCostWei],
  ]
  const broken = bounds.find(([out]) => out)
  if (!broken) return passes('Gas limit, fee cap, tip and maximum cost are within bounds.')
  const [, message, value, limit] = broken
  return { ok: false, message, value: String(value), limit: String(limit) }
}

/** The rate that was declared, and what the calldata really pays. */
export function checkFee({ fee, rebuilt, request }: Facts): Verdict {
  const limit = fee.bps
  if (request.feeBps !== fee.bps) {
    return { ok: false, message: `This wallet's fee is ${fee.bps} bps.`, value: request.feeBps, limit }
  }
  // A call that cannot be read is NOT_AS_BUILT; one that is ours pays what it should.
  if (!rebuilt || rebuilt.matches || rebuilt.fees === null)
    return { ...passes(`The fee is ${fee.bps} bps.`), limit }
  const paid = rebuilt.fees
  const right = ({ side, amount }: (typeof paid)[number]) =>
    amount === (side === 'input' ? feeOf(request.amountIn, fee.bps) : BigInt(fee.bps))
  if (paid.length > 0 && paid.every(right)) return { ...passes(`The fee is ${fee.bps} bps.`), limit }
  const value = paid.map(({ side, amount }) => (side === 'input' ? `${amount} atoms` : `${amount} bps`))
  return { ok: false, message: `The calldata does not pay exactly ${fee.bps} bps.`, value, limit }
}

/** The delivered amount, or the minimum without a simulation, against the reference mid before our fee. */
export function checkMid({ route, mid, priced, simulation, request, fee }: Facts): Verdict | null {
  if (!route?.midDue || mid === null || !priced) return null
  const net = simulation?.ok && simulation.amountOut !== null ? simulation.amountOut : request.minOut
  const delivered = Number(net) / (route.row.fee.side === 'output' ? 1 - fee.bps / 10_000 : 1)
  const [unitIn, unitOut] = [10 ** route.tokenIn.decimals, 10 ** route.tokenOut.decimals]
  const atMid = (Number(priced.swapIn) / unitIn) * mid
  const under = Math.round((1 - delivered / unitOut / atMid) * 1e6) / 100
  return {
    ok: under <= TRADE.maxVsMidBps,
    rule: `At most ${TRADE.maxVsMidBps} bps under the reference pools' mid.`,
    value: under,
    limit: TRADE.maxVsMidBps,
  }
}

/** Without a simulation: what the transaction spends must be there, and be allowed. */
export function checkFunds({ tx: { tx }, route, funds, request, nowMs }: Facts): Verdict | null {
  if (request.simulate || !tx || !route || !funds || !('maxFeePerGas' in tx)) return null
  const lacks: { what: string; has: bigint; needs: bigint }[] = []
  const need = (what: string, has: bigint, needs: bigint) => {
    if (has < needs) lacks.push({ what, has, needs })
  }
  need('ETH for value and gas', funds.balanceWei, tx.value + tx.gas * tx.maxFeePerGas)
  const token = funds.tokens.get(route.tokenIn.address)
  if (token) {
    need(route.tokenIn.symbol, token.balance, request.amountIn)
    need(`allowance of ${route.tokenIn.symbol} to Permit2`, token.allowance, request.amountIn)
    const live = token.permit.expirationS * 1000 >= nowMs ? token.permit.amount : 0n
    if (!request.permit)
      need(`Permit2 allowance of ${route.tokenIn.symbol} to the router`, live, request.amountIn)
  }
  if (lacks.length === 0) return passes('The wallet has what the transaction spends.')
  const value = lacks.map(({ what, has, needs }) => ({ what, has: String(has), needs: String(needs) }))
  return { ok: false, message: `The wallet lacks ${lacks.map(({ what }) => what).join(', ')}.`, value }
}
