import { type OrderList, toWireOrders } from '@pit/chain'
import { describe, expect, it } from 'vitest'
import { codeOf, open, pins, RECEIPT_LIES, SELL, word } from '../../test/ordersKit.ts'
import type { ListTerms } from '../orders/describe.ts'
import { stopOrder } from '../orders/kinds.ts'
import { placeOrders } from './placeOrders.ts'
import { replaceOrder } from './replaceOrder.ts'

const TENTH = 10n ** 17n
const moved = { kind: 'at_or_below' as const, priceUsd: '2000' }

/** With a stop of 0.5 ETH, of which the server lists whatever it likes. */
async function openStop(listed: object = {}) {
  const { deps, state, hash } = await open()
  const { ids } = await placeOrders(deps, { agentId: 'agt_1', orders: [stopOrder(pins, SELL, '2400')] })
  const [{ list }] = state.placed as [{ list: OrderList }]
  state.placed.length = 0
  const row = { id: ids[0], state: 'armed', filled_in: '0', order: toWireOrders(list).orders[0], ...listed }
  const answer = { agent_id: 'agt_1', orders: [row], wanted: [] }
  const api = { ...deps.api, 'hosted.orders.list': (async () => answer) as never }
  const id = ids[0]!
  const request = { agentId: 'agt_1', id, change: { trigger: moved } }
  return { deps: { ...deps, api }, state, id, hash, request }
}

describe('replaceOrder', () => {
  it('takes the terms from its own record and what was spent from a receipt', async () => {
    const lie = {
      order: { amount_in: '9'.repeat(20), max_slippage_bps: 5_000 },
      filled_in: '0x7',
      state: 'expired',
    }
    const { deps, state, id, request } = await openStop(lie)
    state.spent.set(id, 2n * TENTH)
    await replaceOrder(deps, request)
    expect(state.placed[0]!.list).toMatchObject({
      replaces: [{ id, spentIn: 2n * TENTH }],
      orders: [{ amountIn: 3n * TENTH, maxSlippageBps: 100, trigger: { priceE18: 2_000n * 10n ** 18n } }],
    })
  })

  it.each([
    ['called half filled', { filled_in: (TENTH * 2n).toString(), state: 'partially_filled' }],
    ['hidden', { id: word('7') }],
    ['with negative fills', { filled_in: '-5' }],
  ])('sells all of an untraded order that is %s', async (_, lie) => {
    const { deps, state, request } = await openStop(lie)
    await replaceOrder(deps, request)
    expect(state.placed[0]!.list.orders[0]!.amountIn).toBe(5n * TENTH)
  })

  it('counts what was spent against a changed amount, and scales its minimum', async () => {
    const { deps, state, id, request } = await openStop()
    state.spent.set(id, 2n * TENTH)
    await replaceOrder(deps, { ...request, change: { amount: '0.8', least: '1600' } })
    expect(state.placed[0]!.list.orders).toMatchObject([
      { amountIn: 6n * TENTH, minAmountOut: 1_200_000_000n },
    ])
  })

  it('asks again when the order trades at the prompt, and signs only what was shown last', async () => {
    const { deps, state, id, request } = await openStop()
    const prompts: ListTerms[] = []
    const confirm = (terms: ListTerms) => {
      if (prompts.push(terms) === 1) state.spent.set(id, 4n * TENTH)
      return true
    }
    await replaceOrder(deps, request, { confirm })
    expect(prompts.map(({ lines }) => lines.at(-1))).toEqual([
      `Ends order ${id}: nothing of it was sold.`,
      `Ends order ${id}: 0.4 ETH of it was or may still be sold.`,
    ])
    expect(state.placed).toMatchObject([{ list: { orders: [{ amountIn: TENTH }] } }])
  })

  it('signs nothing when all of it is sold at the prompt', async () => {
    const { deps, state, id, request } = await openStop()
    const confirm = () => {
      state.spent.set(id, 5n * TENTH)
      return true
    }
    expect(await codeOf(replaceOrder(deps, request, { confirm }))).toBe('NO_ORDER')
    expect(state.placed).toEqual([])
  })

  it('ends when the order keeps trading', async () => {
    const { deps, state, id, request } = await openStop()
    const confirm = () => {
      state.spent.set(id, (state.spent.get(id) ?? 0n) + 1n)
      return true
    }
    expect(await codeOf(replaceOrder(deps, request, { confirm }))).toBe('ORDER_REPLACED')
    expect(state.placed).toEqual([])
  })

  const tradingAtHandOver = async () => {
    const world = await openStop()
    const { deps, state, id } = world
    const place = deps.api['hosted.orders.place'] as unknown as (request: object) => Promise<unknown>
    const late = (request: object) => {
      if (state.placed.length === 0) state.spent.set(id, TENTH)
      return place(request)
    }
    const api = { ...deps.api, 'hosted.orders.place': late as never }
    return { ...world, deps: { ...deps, api } }
  }

  it('asks again when the co-signer counts another amount, under the same nonce', async () => {
    const { deps, state, id, request } = await tradingAtHandOver()
    let prompts = 0
    await replaceOrder(deps, request, { confirm: () => ++prompts > 0 })
    expect(prompts).toBe(2)
    const [first, second] = state.placed.map(({ list }) => list)
    expect(second).toMatchObject({
      nonce: first!.nonce,
      replaces: [{ id, spentIn: TENTH }],
      orders: [{ amountIn: 4n * TENTH }],
    })
  })

  it('does not say that nothing was signed once a signature left', async () => {
    const { deps, request } = await tradingAtHandOver()
    let prompts = 0
    const error = await replaceOrder(deps, request, { confirm: () => ++prompts < 2 }).catch((one) => one)
    expect(error).toMatchObject({ code: 'RECEIPT_MISSING', details: { session_id: 'ses_1' } })
  })

  it.each(['cancelled', 'replaced', 'expired', 'not_registered'] as const)(
    'signs nothing for an order that is %s at the co-signer',
    async (after) => {
      const { deps, state, id, request } = await openStop()
      state.ended.set(id, after)
      expect(await codeOf(replaceOrder(deps, request))).toBe('NO_ORDER')
      expect(state.placed).toEqual([])
    },
  )

  it.each(RECEIPT_LIES)('signs nothing if the receipt of what was spent %s', async (_, lies) => {
    const { deps, request } = await openStop()
    const lying = await open(lies)
    const states = { 'hosted.orders.states': lying.deps.api['hosted.orders.states'] }
    const api = { ...deps.api, ...states } as never
    expect(await codeOf(replaceOrder({ ...deps, api }, request))).toBe('RECEIPT_MISSING')
    expect(lying.state.placed).toEqual([])
  })

  it('signs nothing for another kind of trigger, terms it cannot verify, or another session', async () => {
    const { deps, state, request } = await openStop()
    const upward = { trigger: { ...moved, kind: 'at_or_above' as const } }
    expect(await codeOf(replaceOrder(deps, { ...request, change: upward }))).toBe('BAD_ORDER')
    const [list] = await deps.records.orderLists()
    const withLists = (lists: never[]) => ({
      ...deps,
      records: { ...deps.records, orderLists: async () => lists },
    })
    expect(await codeOf(replaceOrder(withLists([]), request))).toBe('INTENT_NEEDED')
    const elsewhere = [{ ...list, session: word('8') }] as never[]
    expect(await codeOf(replaceOrder(withLists(elsewhere), request))).toBe('NO_ORDER')
    expect(state.placed).toEqual([])
  })
})
