import { shownPrice } from '@pit/brains'
import type { Backtest } from '@pit/brains/backtest'
import { bpsTowardsZero, dollarsText, grouped } from '@pit/protocol'
import type { OrderOutcome, OrdersBacktest } from './backtestOrders.ts'

export const isoMinute = (atS: number): string =>
  `${new Date(atS * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
/** Eight decimals, without trailing zeros. */
export const amount = (atomsE18: bigint): string => String(Number((Number(atomsE18) / 1e18).toPrecision(8)))
const worth = (microUsd: bigint | null, unknown: string): string =>
  microUsd === null ? unknown : dollarsText(microUsd)
const percent = (bps: bigint): string => `${(Number(bps) / 100).toFixed(2)}%`

const NO_END = 'unknown: a token has no price'

/** A backtest as text: assumptions, fills and the final book. */
export function printBacktest(run: Backtest, { maxFills }: { maxFills: number }): string {
  const gain = run.endMicroUsd === null ? null : run.endMicroUsd - run.startMicroUsd
  const { slippageBps, feeBps } = run.terms
  const gas = dollarsText(run.terms.gasMicroUsd)
  const skipped = Math.max(0, run.fills.length - maxFills)
  return [
    `${run.brain} from ${isoMinute(run.fromS)} to ${isoMinute(run.toS)}`,
    `assumptions: filled at the mark with ${slippageBps} bps slippage; fee ${feeBps} bps; gas ${gas} per fill`,
    '',
    `decisions ${run.ticks} (${run.holds} held); ${run.fills.length} filled, ${run.refused} unfunded`,
    ...(skipped > 0 ? [`(first ${skipped} fills omitted)`] : []),
    ...run.fills.slice(-maxFills).map(fillLine),
    '',
    'book',
    ...run.book
      .filter(({ atomsE18 }) => atomsE18 > 0n)
      .map(
        ({ token, atomsE18, microUsd }) =>
          `  ${token.padEnd(10)} ${grouped(amount(atomsE18)).padStart(18)}  ` +
          `${worth(microUsd, 'no price').padStart(14)}`,
      ),
    `  start ${dollarsText(run.startMicroUsd)}, end ${worth(run.endMicroUsd, NO_END)}`,
    ...(gain === null
      ? []
      : [
          `  profit ${dollarsText(gain)} (${percent(bpsTowardsZero(gain, run.startMicroUsd))}), ` +
            `max drawdown ${percent(run.maxDrawdownBps)}`,
        ]),
    `  fees ${dollarsText(run.feesMicroUsd)}, gas ${dollarsText(run.gasMicroUsd)}`,
    `last decision: ${run.lastReason}`,
  ].join('\n')
}

const fillLine = (fill: Backtest['fills'][number]): string =>
  `  ${isoMinute(fill.atS)}  ${fill.side.padEnd(4)} ${fill.pair.padEnd(14)} ` +
  `${dollarsText(fill.microUsd).padStart(10)} at ${shownPrice(fill.priceE18)}  ${fill.reason}`

/** A backtest of orders: the same, and how each order ended. */
export const printOrders = (run: OrdersBacktest, options: { maxFills: number }): string =>
  [
    printBacktest(run, options),
    '',
    'orders (tokens that they sell are in the book from the start)',
    ...run.orders.map(orderLine),
  ].join('\n')

const orderLine = ({ order, state, why, sold, sells, bought, buys, parts }: OrderOutcome): string =>
  `  ${order}. ${state.replaceAll('_', ' ')}: ${grouped(sold)} ${sells} for ${grouped(bought)} ${buys} ` +
  `in ${parts} part${parts === 1 ? '' : 's'}${why === null ? '' : `. ${why}`}`
