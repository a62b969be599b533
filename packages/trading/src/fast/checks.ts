import { FAST, feeOf, TRADE } from '@pit/protocol'
import { formatEther } from 'viem'
import type { Measured } from '../types.ts'
import type { Facts } from './facts.ts'

/** Result of one rule. `value` and `limit` are JSON. */
export interface Verdict {
  ok: boolean
  /** The requirement, shown while the rule passes. */
  rule?: string
  /** Shown instead of `rule`. A failing rule without one uses the error table's message. */
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
    : { ok: false, message: `The issuer has paused ${names.join(' and ')}.`, value: names }
}

/** One block list covers all stocks: a blocked router or pool stops the trade like a blocked wallet. */
export function checkBlocked({ stockParties, funds, wallet }: Facts): Verdict | null {
  if (stockParties.length === 0 || !funds) return null
  const blocked = stockParties.filter((party) => funds.blocked.has(party))
  if (blocked.length === 0) return passes('The stock token registry blocks no party to this trade.')
  const names = blocked.map((party) => (party === wallet ? 'this wallet' : party))
  return { ok: false, message: `The stock token registry blocks ${names.join(', ')}.`, value: blocked }
}

export function checkGas({ tx: { tx }, route, baseFeeWei, maxCostWei, request }: Facts): Verdict | null {
  if (!tx || !route || !('maxFeePerGas' in tx)) return null
  const { gas, maxFeePerGas, maxPriorityFeePerGas } = tx
  const floor = route.row.gas_floor + (request.permit ? (route.row.permit?.gas_add ?? 0) : 0)
  const highest = baseFeeWei * BigInt(FAST.maxFeePerGasBaseFeeMultiple)
  const cost = gas * maxFeePerGas
  const bounds: [boolean, string, bigint, bigint][] = [
    [gas < BigInt(floor), `The gas limit must be at least ${floor} on this route.`, gas, BigInt(floor)],
    [
      gas > BigInt(FAST.gasLimitMax),
      `The gas limit must be at most ${FAST.gasLimitMax}.`,
      gas,
      BigInt(FAST.gasLimitMax),
    ],
    [maxFeePerGas < baseFeeWei, 'maxFeePerGas is below the base fee.', maxFeePerGas, baseFeeWei],
    [maxFeePerGas > highest, 'maxFeePerGas is more than 10 times the base fee.', maxFeePerGas, highest],
    [
      maxPriorityFeePerGas > maxFeePerGas,
      'The priority fee exceeds maxFeePerGas.',
      maxPriorityFeePerGas,
      maxFeePerGas,
    ],
    [cost > maxCostWei, `The maximum gas cost exceeds ${formatEther(maxCostWei)} ETH.`, cost, maxCostWei],
  ]
  const broken = bounds.find(([out]) => out)
  if (!broken) return passes('Gas limit, fee cap, priority fee and maximum cost are within bounds.')
  const [, message, value, limit] = broken
  return { ok: false, message, value: String(value), limit: String(limit) }
}

/** Checks the declared rate and what the calldata actually pays. */
export function checkFee({ fee, rebuilt, request }: Facts): Verdict {
  const limit = fee.bps
  if (request.feeBps !== fee.bps) {
    return { ok: false, message: `The fee for this wallet is ${fee.bps} bps.`, value: request.feeBps, limit }
  }
  // An unreadable call is NOT_AS_BUILT; a call identical to ours pays the right fee.
  if (!rebuilt || rebuilt.matches || rebuilt.fees === null)
    return { ...passes(`The fee is ${fee.bps} bps.`), limit }
  const paid = rebuilt.fees
  const right = ({ side, amount }: (typeof paid)[number]) =>
    amount === (side === 'input' ? feeOf(request.amountIn, fee.bps) : BigInt(fee.bps))
  if (paid.length > 0 && paid.every(right)) return { ...passes(`The fee is ${fee.bps} bps.`), limit }
  const value = paid.map(({ side, amount }) => (side === 'input' ? `${amount} atoms` : `${amount} bps`))
  return { ok: false, message: `The calldata does not pay exactly ${fee.bps} bps.`, value, limit }
}

/** Compares the delivered amount (without a simulation: the minimum) with the reference mid before our fee. */
export function checkMid({ route, mid, priced, simulation, request, fee }: Facts): Verdict | null {
  if (!route?.midDue || mid === null || !priced) return null
  const net = simulation?.ok && simulation.amountOut !== null ? simulation.amountOut : request.minOut
  const delivered = Number(net) / (route.row.fee.side === 'output' ? 1 - fee.bps / 10_000 : 1)
  const [unitIn, unitOut] = [10 ** route.tokenIn.decimals, 10 ** route.tokenOut.decimals]
  const atMid = (Number(priced.swapIn) / unitIn) * mid
  const under = Math.round((1 - delivered / unitOut / atMid) * 1e6) / 100
  return {
    ok: under <= TRADE.maxVsMidBps,
    rule: `The price must be at most ${TRADE.maxVsMidBps} bps below the reference mid.`,
    value: under,
    limit: TRADE.maxVsMidBps,
  }
}

/** Without a simulation: the wallet must hold and have approved what the transaction spends. */
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
  if (lacks.length === 0) return passes('Balances and allowances cover the transaction.')
  const value = lacks.map(({ what, has, needs }) => ({ what, has: String(has), needs: String(needs) }))
  return {
    ok: false,
    message: `The wallet has insufficient ${lacks.map(({ what }) => what).join(', ')}.`,
    value,
  }
}
