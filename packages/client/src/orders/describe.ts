import type { Address, Hex, Order, OrderList } from '@pit/chain'
import { groupedText } from '@pit/protocol'
import { type Own, own } from '../own/own.ts'
import type { TokenInfos } from './tokens.ts'

/**
 * A list in words, from the data that is signed.
 * @public
 */
export type ListTerms = Own<{
  /** One line per order, and what the list replaces. */
  lines: readonly string[]
  warnings: readonly string[]
}>

/**
 * A list of orders in words, for a person to confirm.
 * @param tokens names and decimals
 * @param list what is signed
 * @param soldBy the token that a replaced order sells, if it is known
 * @public
 */
export function describeList(
  tokens: TokenInfos,
  { orders, replaces }: OrderList,
  soldBy: ReadonlyMap<Hex, Address> = new Map(),
): ListTerms {
  return own({
    lines: [
      ...orders.map((order, i) => `${i + 1}. ${describeOrder(tokens, order)}`),
      ...replaces.map(({ id, spentIn }) => {
        const token = soldBy.get(id)
        const sold = token === undefined ? `${spentIn} atoms` : amountText(tokens, spentIn, token)
        const spent = spentIn === 0n ? 'nothing of it was sold' : `${sold} of it was or may still be sold`
        return `Ends order ${id}: ${spent}.`
      }),
    ],
    warnings: orders.flatMap((order, i) => warningsOf(order).map((text) => `Order ${i + 1}: ${text}`)),
  })
}

/**
 * One order in words.
 * @public
 */
export function describeOrder(tokens: TokenInfos, order: Order): string {
  const amount = (atoms: bigint, token: Address): string => amountText(tokens, atoms, token)
  const { tokenIn, tokenOut, amountIn, minAmountOut, slices, everyS, startsAt, group, parent } = order
  const name = tokens.get(tokenOut)?.name ?? tokenOut
  const least = minAmountOut === 0n ? name : `at least ${amount(minAmountOut, tokenOut)}`
  const parts = [
    `Sell up to ${amount(amountIn, tokenIn)} for ${least}`,
    ...(slices > 1 ? [`in ${slices} parts, at least ${everyS} s apart`] : []),
    ...triggerText(tokens, order),
    `with at most ${percent(order.maxSlippageBps)} slippage`,
    ...(parent > 0 ? [`armed by what order ${parent} buys`] : []),
    ...(group > 0 ? [`sharing its amount with the other orders of group ${group}`] : []),
    ...(startsAt > 0 ? [`from ${time(startsAt)}`] : []),
    `until ${time(order.expiresAt)}`,
  ]
  return `${parts.join(', ')}.`
}

function amountText(tokens: TokenInfos, atoms: bigint, token: Address): string {
  const info = tokens.get(token)
  return info ? `${groupedText(atoms, info.decimals)} ${info.name}` : `${atoms} atoms of ${token}`
}

function triggerText(tokens: TokenInfos, { trigger }: Order): string[] {
  const name = tokens.get(trigger.token)?.name ?? trigger.token
  switch (trigger.kind) {
    case 'none':
      return []
    case 'trailing':
      return [`once ${name} fell ${percent(trigger.trailBps)} from an earlier price`]
    default: {
      const side = trigger.kind === 'at_or_below' ? 'at or below' : 'at or above'
      return [`once ${name} is ${side} ${groupedText(trigger.priceE18, 18)} USD`]
    }
  }
}

function warningsOf({ trigger, minAmountOut, maxSlippageBps }: Order): string[] {
  if (trigger.kind === 'none') return []
  return [
    minAmountOut > 0n
      ? 'it has a minimum, so after its trigger it may wait for ever if the price is worse.'
      : `it has no minimum: it sells at the price of that moment, within ${percent(maxSlippageBps)} slippage, ` +
        'also after a gap.',
  ]
}

const percent = (bps: number): string => `${bps / 100}%`
const time = (unixS: number): string =>
  `${new Date(unixS * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
