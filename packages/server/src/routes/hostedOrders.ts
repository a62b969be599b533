import type { Hosted, StoredList, StoredOrder } from '@pit/agents'
import { type Hex, toWireOrder, type WireOrderList } from '@pit/chain'
import { type Answer, type ChainProfile, decimalText, lower } from '@pit/protocol'
import type { Caller, Handlers } from '../http/types.ts'
import { traderOf } from './caller.ts'

type Row = Answer<'hosted.orders.list'>['orders'][number]
export type OrderRoute =
  | 'hosted.orders.place'
  | 'hosted.orders.list'
  | 'hosted.orders.cancel'
  | 'hosted.orders.states'
interface OrderRoutes {
  hosted: Pick<Hosted, 'placeOrders' | 'listOrders' | 'cancelOrders' | 'confirmStates'>
  profile: Pick<ChainProfile, 'core_tokens' | 'listed_stocks'>
}

export function hostedOrderRoutes({ hosted, profile }: OrderRoutes): Pick<Handlers, OrderRoute> {
  const describe = createRows(profile)
  return {
    'hosted.orders.place': async ({ params, body, caller }) => {
      const { list, receipt } = await hosted.placeOrders({
        ...ownOf({ params, caller }),
        list: body.list as WireOrderList,
        ...(body.signature !== undefined && { signature: body.signature as Hex }),
        ...(body.challenge !== undefined && { challenge: body.challenge as Hex }),
      })
      return { agent_id: params.id, list: list.hash, orders: describe([list]), receipt }
    },
    'hosted.orders.list': async ({ params, query, caller }) => {
      const { open, limit } = query
      const onlyOpen = open === '1'
      const { lists, wanted } = await hosted.listOrders({ ...ownOf({ params, caller }), onlyOpen, limit })
      const rows = describe(lists).filter(({ state }) => !onlyOpen || !ENDED.has(state))
      return { agent_id: params.id, orders: rows.slice(0, limit), wanted }
    },
    'hosted.orders.cancel': async ({ params, body, caller }) => {
      const { orders, receipts } = await hosted.cancelOrders({
        ...ownOf({ params, caller }),
        ids: 'ids' in body ? body.ids.map((id) => lower(id) as Hex) : null,
        ...(body.challenge !== undefined && { challenge: body.challenge as Hex }),
      })
      return {
        agent_id: params.id,
        orders: orders.flatMap(({ list, order }) => describe([{ ...list, orders: [order] }])),
        receipts,
      }
    },
    'hosted.orders.states': async ({ params, body, caller }) => ({
      agent_id: params.id,
      receipts: await hosted.confirmStates({
        ...ownOf({ params, caller }),
        ids: body.ids.map((id) => lower(id) as Hex),
        challenge: body.challenge as Hex,
      }),
    }),
  }
}

const ENDED: ReadonlySet<string> = new Set(['filled', 'expired', 'cancelled', 'replaced', 'unfillable'])

const ownOf = ({ params, caller }: { params: { id: string }; caller: Caller }) => ({
  by: traderOf(caller),
  id: params.id,
})

function createRows({ core_tokens, listed_stocks }: OrderRoutes['profile']) {
  const decimals = new Map(
    [...core_tokens, ...listed_stocks].map((one) => [lower(one.address), one.decimals]),
  )
  const usdg = lower(core_tokens.find(({ symbol }) => symbol === 'USDG')?.address ?? '')

  /** Dollars of one whole token that is not USDG; null if neither is, or without a fill. */
  function averagePrice({ order: { tokenIn, tokenOut }, fills: { spentIn }, amountOut }: StoredOrder) {
    const [money, atoms, token] =
      tokenIn === usdg ? [spentIn, amountOut, tokenOut] : [amountOut, spentIn, tokenIn]
    const isMoney = tokenIn === usdg || tokenOut === usdg
    const [own, cash] = [decimals.get(token), decimals.get(usdg)]
    if (!isMoney || atoms === 0n || own === undefined || cash === undefined) return null
    const priceE18 = (money * 10n ** BigInt(18 + own)) / (atoms * 10n ** BigInt(cash))
    return Number(decimalText(priceE18, 18))
  }

  const rowOf = (list: StoredList, one: StoredOrder): Row => ({
    id: one.id,
    list: list.hash,
    order: toWireOrder(one.order) as Row['order'],
    state: one.state,
    why: one.why,
    since: Math.floor(one.sinceMs / 1_000),
    placed: Math.floor(list.placedAtMs / 1_000),
    filled_in: one.fills.spentIn.toString(),
    filled_out: one.amountOut.toString(),
    average_price_usd: averagePrice(one),
    transactions: [...one.txHashes],
  })
  return (lists: readonly StoredList[]): Row[] =>
    lists.flatMap((list) => list.orders.map((one) => rowOf(list, one)))
}
