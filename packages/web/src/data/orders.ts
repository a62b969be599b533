import type { OrderRow } from '@pit/client'
import { powerOfTen, priceUsdOf } from '@pit/protocol'
import { shareOf, usd } from '@pit/ui'
import type { Facts } from './tokens.ts'

type Order = OrderRow['order']
type Listed = Pick<OrderRow, 'list' | 'order'>

/** The kind of an order in words. `rows`: the orders it is listed with. */
export function orderKind({ list, order }: Listed, rows: readonly Listed[], usdg: string): string {
  const kind = plainKind(order, usdg)
  if (order.parent > 0) return `Bracket ${kind.toLowerCase()}`
  const isEntry = rows.some(
    (other) => other.list === list && other.order.parent > 0 && isSame(other.order.token_in, order.token_out),
  )
  return isEntry ? 'Bracket entry' : kind
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

function plainKind({ trigger, slices, token_in, min_amount_out }: Order, usdg: string): string {
  if (slices > 1) return 'TWAP'
  switch (trigger.kind) {
    case 'trailing':
      return 'Trailing stop'
    case 'none':
      return min_amount_out === '0' ? 'Market' : 'Limit'
    default: {
      const isStop = (trigger.kind === 'at_or_above') === isSame(token_in, usdg)
      return isStop ? 'Stop' : 'Take-profit'
    }
  }
}

/** Trigger and limit price in words; a dash for a market order. */
export function priceWords(order: Order, names: Facts, usdg: string): string {
  const least = leastPrice(order, names, usdg)
  const limit = order.min_amount_out === '0' ? null : least === null ? 'with a minimum' : `${least} or better`
  const parts = [triggerWords(order), limit].filter((part) => part !== null)
  return parts.join(', then ') || '–'
}

function triggerWords({ trigger }: Order): string | null {
  switch (trigger.kind) {
    case 'none':
      return null
    case 'trailing':
      return `${shareOf(trigger.trail_bps)} below an earlier price`
    default:
      return `at or ${trigger.kind === 'at_or_below' ? 'below' : 'above'} ${usdE18(BigInt(trigger.price_e18))}`
  }
}

const usdE18 = (priceE18: bigint): string => usd(priceUsdOf(priceE18))

/** The worst price that the minimum admits, per whole token that is not USDG; null if neither is USDG. */
function leastPrice(order: Order, names: Facts, usdg: string): string | null {
  const [atomsIn, atomsOut] = [BigInt(order.amount_in), BigInt(order.min_amount_out)]
  const isBuying = isSame(order.token_in, usdg)
  if ((!isBuying && !isSame(order.token_out, usdg)) || atomsOut === 0n) return null
  const [money, atoms, token] = isBuying
    ? [atomsIn, atomsOut, order.token_out]
    : [atomsOut, atomsIn, order.token_in]
  const [own, cash] = [names.get(token.toLowerCase()), names.get(usdg.toLowerCase())]
  if (own?.decimals == null || cash?.decimals == null) return null
  return usdE18((money * powerOfTen(18 + own.decimals)) / (atoms * powerOfTen(cash.decimals)))
}
