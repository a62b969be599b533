import { type Order, type OrderFault, type OrderList, orderFault } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { CONTROLS, fail, markPrice, microUsdDown, worthDown } from '@pit/protocol'
import type { HostedDeps } from '../deps.ts'
import type { StoredAgent } from '../store.ts'
import { createOrderMarket, type OrderMarket } from './ordersInput.ts'

const MIN_PART_MICRO_USD = microUsdDown(CONTROLS.minPartUsd)

/** Throws BAD_REQUEST with the field of the first fault of a list. */
export function checkList(
  deps: Pick<HostedDeps, 'clock' | 'market' | 'profile'>,
  agent: Pick<StoredAgent, 'pairs' | 'tokens'>,
  list: OrderList,
): void {
  const fault = orderFault(list)
  if (fault) refuse(fault)
  const market = createOrderMarket(deps)
  for (const [index, order] of list.orders.entries()) {
    const own = faultOf(market, agent, order, nowS(deps.clock))
    if (own) refuse({ index, ...own })
  }
}

function refuse({ index, field, message }: OrderFault): never {
  const path = index === null ? `list.${field}` : `list.orders.${index}.${field}`
  return fail('BAD_REQUEST', { field: path, message: `\`${path}\` ${message}.` })
}

type Fault = Omit<OrderFault, 'index'> | null

function faultOf(
  market: OrderMarket,
  agent: Pick<StoredAgent, 'pairs' | 'tokens'>,
  order: Order,
  nowS: number,
): Fault {
  const { tokenIn, tokenOut, trigger, minAmountOut, expiresAt } = order
  const nameOf = (address: string) => agent.tokens.find((token) => token.address === address)?.token
  const [sold, bought] = [nameOf(tokenIn), nameOf(tokenOut)]
  const isPair = agent.pairs.some((pair) => pair === `${sold}/${bought}` || pair === `${bought}/${sold}`)
  if (!isPair) return { field: 'token_in', message: 'and token_out are not one of the agent’s pairs' }
  if (expiresAt <= nowS) return { field: 'expires_at', message: 'is in the past' }
  const isPriced = [tokenIn, tokenOut].every((token) => market.sourceOf(token) !== undefined)
  if (!isPriced && minAmountOut === 0n)
    return { field: 'min_amount_out', message: 'is required for a token without a price feed' }
  if (!isPriced && trigger.kind !== 'none')
    return { field: 'trigger', message: 'is not possible for a token without a price feed' }
  if (trigger.kind !== 'none') {
    const source = market.sourceOf(trigger.token)
    if (source !== 'feed' && source !== 'twap')
      return { field: 'trigger.token', message: 'has no price that moves' }
    if (trigger.kind === 'trailing' && source !== 'feed')
      return { field: 'trigger.kind', message: 'needs a token whose feed has rounds' }
  }
  return sizeFault(market, order)
}

/** A part must be worth a dollar now; later it waits while it is not. */
function sizeFault(market: OrderMarket, { tokenIn, amountIn, slices }: Order): Fault {
  const mark = market.mark(tokenIn)
  if (!mark) return null
  const part = worthDown(amountIn / BigInt(slices), markPrice(mark.priceE18, mark.decimals))
  if (part >= MIN_PART_MICRO_USD) return null
  const field = slices > 1 ? 'slices' : 'amount_in'
  return { field, message: `makes parts below ${CONTROLS.minPartUsd} USD` }
}
