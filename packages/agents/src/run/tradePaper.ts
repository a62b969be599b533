import { type HoldCode, isPitError, type PitError, usdCentsText, usdOf } from '@pit/protocol'
import { writeLogs } from '../logs.ts'
import type { FilledNow, FillRequest } from '../paper/types.ts'
import type { LogEntry } from '../types.ts'
import type { TickOptions } from './deps.ts'
import { holdOrder, type IntendedOrder, type OrderOutcome, type OrderRequest } from './holdOrder.ts'
import { moveOrder, type OrderEnd } from './orders.ts'
import { keepLastTrade } from './record.ts'

/** Another worker has ended this order: the fill is rolled back. */
class OrderTaken extends Error {}

/** Fills an order on paper: the fill, the order's status and its log are one transaction. */
export async function tradePaper(
  deps: Pick<TickOptions, 'db' | 'clock' | 'paper'>,
  request: OrderRequest & { bookId: number },
): Promise<OrderOutcome> {
  const { agent, tick, order, bookId } = request
  try {
    await deps.paper.fill({
      bookId,
      wallet: agent.wallet,
      tokenIn: order.tokenIn.token,
      tokenOut: order.tokenOut.token,
      size: sizeOf(order),
      bound: order.signed ?? undefined,
      terms: agent.terms,
      async commit(sql, fill) {
        if (!(await moveOrder(sql, order.id, 'intended', paperEnd(order, fill)))) {
          throw new OrderTaken()
        }
        const trade = {
          pair: order.pair,
          side: order.side,
          usd: usdOf(fill.microUsd),
          token_in: order.tokenIn.token,
          token_out: order.tokenOut.token,
          amount_in: fill.amountIn.toString(),
          amount_out: fill.amountOut.toString(),
          gas_usd: usdOf(fill.gasMicroUsd),
          at: Math.floor(fill.filledAtMs / 1_000),
        }
        const { bps, class: cls, tier, token, atoms } = fill.fee
        const action = order.side === 'buy' ? 'Bought' : 'Sold'
        const entry: LogEntry = {
          agentId: agent.id,
          tick,
          atMs: fill.filledAtMs,
          kind: 'trade',
          message: `${action} on paper: ${order.pair}, ${usdCentsText(fill.microUsd)}. ${order.reason}`,
          fee: { bps, class: cls, tier },
          data: {
            order: { n: order.n, pair: order.pair, side: order.side, usd: usdOf(order.microUsd) },
            paper: true,
            fill_id: fill.id,
            ...trade,
            // Together with the amounts, everything a replay of the book needs.
            gas_usdg_atoms: fill.gasUsdgAtoms.toString(),
            fee: { token, atoms: atoms.toString() },
            route: fill.route,
            block: fill.block,
            risks: fill.risks.map(({ code }) => code),
          },
        }
        await writeLogs(sql, entry)
        await keepLastTrade(sql, agent.id, { ...trade, paper: true, fee_bps: bps })
      },
    })
    return 'filled'
  } catch (error) {
    if (error instanceof OrderTaken) return 'failed'
    if (!isPitError(error)) throw error
    return holdOrder(deps, request, { code: holdCodeOf(error), message: error.message })
  }
}

function sizeOf({ signed, allAtoms, microUsd }: IntendedOrder): FillRequest['size'] {
  const amountIn = signed?.amountIn ?? allAtoms
  return amountIn === null ? { microUsd } : { amountIn }
}

const paperEnd = ({ signed }: IntendedOrder, fill: FilledNow): OrderEnd => ({
  status: 'filled',
  fillId: fill.id,
  ...(signed && { amountOut: fill.amountOut, settledAtS: Math.floor(fill.filledAtMs / 1_000) }),
})

/** Hold codes for refusals in an agent's log. */
const AS_HOLD: Partial<Record<string, HoldCode>> = {
  TOKEN_CHANGED: 'TOKEN_STALE',
  NO_ROUTE: 'TOKEN_BLOCKED',
  GEOFENCE: 'STOCK_ATTESTATION',
}
export const holdCodeOf = ({ code }: Pick<PitError, 'code'>): string => AS_HOLD[code] ?? code
