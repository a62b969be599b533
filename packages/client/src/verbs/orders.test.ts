import {
  type Hex,
  NATIVE,
  type OrderList,
  orderId,
  orderListHash,
  orderSigner,
  orderTypedData,
  toWireOrders,
} from '@pit/chain'
import { describe, expect, it } from 'vitest'
import {
  account,
  codeOf,
  crypto,
  EXECUTOR,
  NOW_S,
  open,
  pins,
  RECEIPT_LIES,
  refusedWith,
  SELL,
  stranger,
  USDG,
  word,
} from '../../test/ordersKit.ts'
import { PitRefusal } from '../errors.ts'
import type { OrderIntent } from '../orders/intent.ts'
import { limitOrder, stopOrder } from '../orders/kinds.ts'
import { cancelSessionOrders } from './cancelSessionOrders.ts'
import { endAllSessions } from './endAllSessions.ts'
import { placeBracket, placeOrders } from './placeOrders.ts'
import { revokeSession } from './revokeSession.ts'
import { checkWanted, type WantedSignature } from './signWanted.ts'

describe('placeOrders', () => {
  it('signs a list of the client’s own session, built from the intent', async () => {
    const { deps, state, hash } = await open()
    const orders = [stopOrder(pins, SELL, '2400.5'), limitOrder(pins, SELL, '3000')]
    const placed = await placeOrders(deps, { agentId: 'agt_1', orders, replaces: [word('c')] })
    const [{ list, signature }] = state.placed as [{ list: OrderList; signature: Hex }]
    expect(list).toMatchObject({ session: hash, replaces: [{ id: word('c'), spentIn: 0n }] })
    expect(list.orders).toMatchObject([
      {
        tokenIn: NATIVE,
        tokenOut: USDG,
        amountIn: 5n * 10n ** 17n,
        minAmountOut: 0n,
        trigger: { kind: 'at_or_below', token: NATIVE, priceE18: 24_005n * 10n ** 17n },
        expiresAt: NOW_S + 86_400,
      },
      { minAmountOut: 1_500_000_000n, trigger: { kind: 'none' } },
    ])
    expect(orderSigner(crypto, pins.addresses, list, signature)).toBe(account.address)
    expect(placed.ids).toEqual([0, 1].map((i) => orderId(crypto, placed.list, i)))
    expect(placed.terms.lines[0]).toBe(
      '1. Sell up to 0.5 ETH for USDG, once ETH is at or below 2,400.5 USD, with at most 1% slippage, ' +
        'until 2027-01-16 08:00:00 UTC.',
    )
    expect(placed.terms.warnings).toEqual([
      'Order 1: it has no minimum: it sells at the price of that moment, within 1% slippage, also after a gap.',
    ])
  })

  it('buys with a limit in the other direction, never at a worse price than stated', async () => {
    const { deps, state } = await open()
    const buy = { sell: 'USDG', buy: 'ETH', amount: '100' }
    await placeOrders(deps, { agentId: 'agt_1', orders: [limitOrder(pins, buy, '3000')] })
    expect(state.placed[0]!.list.orders[0]!.minAmountOut).toBe(33_333_333_333_333_334n)
  })

  it('warns that a stop with a minimum may wait for ever', async () => {
    const { deps } = await open()
    const orders = [stopOrder(pins, SELL, '2400', '2300')]
    const { terms } = await placeOrders(deps, { agentId: 'agt_1', orders })
    expect(terms.warnings[0]).toContain('may wait for ever')
  })

  it('arms both exits of a bracket by its entry, in one group', async () => {
    const { deps, state } = await open()
    const entry = { sell: 'USDG', buy: 'ETH', amount: '100' }
    const exits = { amount: '0.1', stopUsd: '2000', profitUsd: '4000' }
    await placeBracket(deps, { agentId: 'agt_1', entry, exits })
    expect(state.placed[0]!.list.orders).toMatchObject([
      { parent: 0, group: 0 },
      { parent: 1, group: 1, trigger: { kind: 'at_or_below' } },
      { parent: 1, group: 1, trigger: { kind: 'at_or_above' } },
    ])
  })

  it('signs nothing on paper', async () => {
    const { deps, state } = await open({ mode: 'paper' })
    const { receipt } = await placeOrders(deps, { agentId: 'agt_1', orders: [SELL] })
    expect([receipt, state.placed[0]!.signature]).toEqual([null, undefined])
    expect(state.placed[0]!.list.session).toBe(word('0'))
  })

  it.each<[string, OrderIntent]>([
    ['a token outside the session', { ...SELL, buy: 'cbBTC' }],
    ['an amount finer than atoms', { sell: 'USDG', buy: 'ETH', amount: '0.0000001' }],
    ['no amount', { ...SELL, amount: '0' }],
    ['too narrow a trail', { ...SELL, trigger: { kind: 'trailing', trailBps: 50 } }],
  ])('refuses %s before anything is signed', async (_, order) => {
    const { deps, state } = await open()
    expect(await codeOf(placeOrders(deps, { agentId: 'agt_1', orders: [order] }))).toMatch(
      /BAD_ORDER|UNKNOWN/,
    )
    expect(state.placed).toEqual([])
  })

  it('signs nothing without confirmation, or for a session without controls', async () => {
    const { deps, state } = await open()
    const request = { agentId: 'agt_1', orders: [SELL] }
    expect(await codeOf(placeOrders(deps, request, { confirm: () => false }))).toBe('NOT_CONFIRMED')
    const plain = await open({ withControls: false })
    expect(await codeOf(placeOrders(plain.deps, request))).toBe('SESSION_NEEDED')
    expect([...state.placed, ...plain.state.placed]).toEqual([])
  })

  it.each(RECEIPT_LIES)('is not confirmed if the receipt %s', async (_, lies) => {
    const { deps } = await open(lies)
    expect(await codeOf(placeOrders(deps, { agentId: 'agt_1', orders: [SELL] }))).toBe('RECEIPT_MISSING')
  })

  it.each(['SIGNER_UNAVAILABLE', 'ORDER_LIMIT', 'BAD_REQUEST'])(
    'does not believe the refusal %s of a list whose signature left',
    async (placeRefusal) => {
      const { deps, state, hash } = await open({ placeRefusal })
      const error = await placeOrders(deps, { agentId: 'agt_1', orders: [SELL] }).catch((one) => one)
      const [first, second] = state.placed
      expect(first).toEqual(second)
      const list = orderListHash(crypto, first!.list)
      expect(error).toMatchObject({
        code: 'RECEIPT_MISSING',
        details: {
          ...{ list, ids: [orderId(crypto, list, 0)], nonce: first!.list.nonce, session_id: 'ses_1' },
        },
        hint: expect.stringContaining('pit session revoke --all'),
        server: { code: placeRefusal },
      })
      expect(await deps.records.orderLists()).toMatchObject([{ hash: list, session: hash, agentId: 'agt_1' }])
    },
  )

  it('takes the receipt of a second request after a refusal that hid the registration', async () => {
    const { deps, state } = await open()
    const place = deps.api['hosted.orders.place'] as unknown as (request: object) => Promise<unknown>
    const challenges: string[] = []
    const hiding = async (request: { body: { challenge: string } }) => {
      challenges.push(request.body.challenge)
      const answer = await place(request)
      if (challenges.length === 1) throw refusedWith('BAD_REQUEST', 400)
      return answer
    }
    const api = { ...deps.api, 'hosted.orders.place': hiding } as never
    const placed = await placeOrders({ ...deps, api }, { agentId: 'agt_1', orders: [SELL] })
    expect(placed.receipt?.challenge).toBe(challenges[1])
    expect(new Set([...challenges])).toHaveLength(2)
    expect(new Set(state.placed.map(({ list }) => list.nonce))).toHaveLength(1)
  })

  it('signs the same list for the same nonce', async () => {
    const { deps, state } = await open()
    const request = { agentId: 'agt_1', orders: [SELL], nonce: word('6') }
    const [first, second] = [await placeOrders(deps, request), await placeOrders(deps, request)]
    expect(second.list).toBe(first.list)
    expect(state.placed).toHaveLength(2)
  })

  it('shows what a replaced order sold, and signs nothing unasked if it is more than stated', async () => {
    const { deps, state } = await open()
    const { ids } = await placeOrders(deps, { agentId: 'agt_1', orders: [SELL] })
    state.spent.set(ids[0]!, 10n ** 17n)
    const request = { agentId: 'agt_1', orders: [SELL], replaces: ids }
    const refused = await placeOrders(deps, request).catch((one) => one)
    expect(refused).toMatchObject({
      code: 'ORDER_REPLACED',
      details: { spent: [{ id: ids[0], spent_in: String(10n ** 17n) }] },
    })
    expect(state.placed).toHaveLength(1)
    const shown: string[] = []
    const confirm = ({ lines }: { lines: readonly string[] }) => shown.push(lines.at(-1)!) > 0
    await placeOrders(deps, request, { confirm })
    expect(shown).toEqual([`Ends order ${ids[0]}: 0.1 ETH of it was or may still be sold.`])
    expect(state.placed[1]!.list.replaces).toEqual([{ id: ids[0], spentIn: 10n ** 17n }])
    const replaces = [{ id: ids[0]!, spentIn: 10n ** 17n }]
    await placeOrders(deps, { ...request, replaces })
    expect(state.placed).toHaveLength(3)
  })

  it('refuses a session of another executor that the server names for the agent', async () => {
    const { deps } = await open()
    const stranger = `0x${'3'.repeat(40)}` as const
    const record = (await deps.records.session('ses_1'))!
    const records = { ...deps.records, session: async () => ({ ...record, executor: stranger }) }
    const placing = placeOrders({ ...deps, records }, { agentId: 'agt_1', orders: [SELL] })
    expect(await codeOf(placing)).toBe('VERIFICATION_FAILED')
  })

  it('names the way out when the server stays silent', async () => {
    const { deps } = await open()
    const silence = async () => Promise.reject(new PitRefusal('SERVER_UNREACHABLE', 'No response.'))
    const silent = { ...deps.api, 'hosted.orders.place': silence }
    const placing = placeOrders({ ...deps, api: silent as never }, { agentId: 'agt_1', orders: [SELL] })
    await expect(placing).rejects.toMatchObject({
      code: 'RECEIPT_MISSING',
      hint: expect.stringContaining('pit session revoke --all'),
    })
  })
})

describe('cancelSessionOrders', () => {
  const request = { sessionId: 'ses_1', ids: [word('c'), word('d')] }

  it('needs a receipt for every order', async () => {
    const { deps } = await open()
    expect((await cancelSessionOrders(deps, request)).map(({ id }) => id)).toEqual(request.ids)
  })

  it('needs a session that was signed here', async () => {
    const { deps } = await open()
    expect(await codeOf(cancelSessionOrders(deps, { ...request, sessionId: 'ses_2' }))).toBe('SESSION_NEEDED')
  })

  it.each(RECEIPT_LIES.filter(([why]) => !why.includes('something else')))(
    'is not confirmed if the receipt %s',
    async (_, lies) => {
      const { deps } = await open(lies)
      expect(await codeOf(cancelSessionOrders(deps, request))).toBe('RECEIPT_MISSING')
    },
  )
})

describe('a list that the server wants signed', () => {
  const session = { id: 'ses_1', hash: word('5'), tokens: [NATIVE, USDG], expiresS: NOW_S + 86_400 }
  const listOf = (change: Partial<OrderList['orders'][number]> = {}, whole: Partial<OrderList> = {}) => ({
    session: session.hash,
    nonce: word('6'),
    replaces: [],
    orders: [
      {
        tokenIn: NATIVE,
        tokenOut: USDG,
        amountIn: 10n ** 16n,
        minAmountOut: 24_000_000n,
        maxSlippageBps: 50,
        trigger: { kind: 'none' as const, token: NATIVE, priceE18: 0n, trailBps: 0 },
        slices: 1,
        everyS: 0,
        startsAt: 0,
        expiresAt: NOW_S + 3_600,
        group: 0,
        parent: 0,
        ...change,
      },
    ],
    ...whole,
  })
  const requestFor = (list: OrderList, shown = list): WantedSignature => ({
    id: orderListHash(crypto, list),
    why: 'x',
    list: toWireOrders(list) as never,
    typed_data: JSON.parse(
      JSON.stringify(orderTypedData(pins.addresses, shown), (_, value) =>
        typeof value === 'bigint' ? value.toString() : value,
      ),
    ),
    valid_until: NOW_S + 3_600,
  })
  const check = (request: WantedSignature) =>
    codeOf(
      (async () => checkWanted({ pins, nowMs: () => NOW_S * 1000 }, session, request))().then(() => {
        throw Object.assign(new Error('accepted'), { isAccepted: true })
      }),
    )

  it('is accepted if it is exactly what it says', () => {
    expect(
      checkWanted({ pins, nowMs: () => NOW_S * 1000 }, session, requestFor(listOf())).orders[0]!.amountIn,
    ).toBe(10n ** 16n)
  })

  it.each<[string, WantedSignature, string]>([
    ['of another session', requestFor(listOf({}, { session: word('7') })), 'VERIFICATION_FAILED'],
    [
      'that ends other orders',
      requestFor(listOf({}, { replaces: [{ id: word('8'), spentIn: 0n }] })),
      'VERIFICATION_FAILED',
    ],
    [
      'valid for longer than an hour',
      requestFor(listOf({ expiresAt: NOW_S + 7_200 })),
      'VERIFICATION_FAILED',
    ],
    ['without a minimum', requestFor(listOf({ minAmountOut: 0n })), 'VERIFICATION_FAILED'],
    ['of a foreign token', requestFor(listOf({ tokenOut: EXECUTOR })), 'VERIFICATION_FAILED'],
    ['with other typed data', requestFor(listOf(), listOf({ amountIn: 1n })), 'SIGNING_MISMATCH'],
    ['with another id', { ...requestFor(listOf()), id: word('9') }, 'SIGNING_MISMATCH'],
    ['that is malformed', { ...requestFor(listOf()), list: {} as never }, 'TypeError'],
  ])('is refused %s', async (_, request, code) => {
    if (code === 'TypeError') await expect(check(request)).rejects.toBeInstanceOf(TypeError)
    else expect(await check(request)).toBe(code)
  })
})

describe('endAllSessions', () => {
  it('raises the nonce by the client’s own transaction, without the server', async () => {
    const { deps, state } = await open()
    const api = new Proxy({}, { get: () => () => Promise.reject(new Error('the server is down')) })
    const ended = await endAllSessions({ ...deps, api: api as never })
    expect(ended).toMatchObject({ nonce: { before: 3n, after: 4n }, ended: ['ses_1'], left: [] })
    expect(state.sent[0]).toContain('f5743c4c')
  })

  it('is refused if the chain shows no higher nonce', async () => {
    const { deps } = await open({ isIgnored: true })
    expect(await codeOf(endAllSessions(deps))).toBe('REVOCATION_INCOMPLETE')
  })
})

describe('revoking a session with controls', () => {
  it('returns the co-signer’s receipt', async () => {
    const { deps, hash } = await open()
    const { receipt, cosignerConfirmed } = await revokeSession(deps, { sessionId: 'ses_1', onChain: false })
    expect([receipt?.id, cosignerConfirmed]).toEqual([hash, true])
  })

  it('takes the receipt of an earlier revocation for a new challenge', async () => {
    const { deps } = await open({ receipt: { at: NOW_S - 600 } })
    const { receipt } = await revokeSession(deps, { sessionId: 'ses_1', onChain: false })
    expect(receipt?.at).toBe(NOW_S - 600)
  })

  it('is not confirmed by a false receipt, and has no proof without one', async () => {
    for (const lies of [{ signer: stranger }, { receipt: { challenge: word('9') } }]) {
      const { deps } = await open(lies)
      const revoking = revokeSession(deps, { sessionId: 'ses_1', onChain: false })
      expect(await codeOf(revoking)).toBe('REVOCATION_INCOMPLETE')
    }
    const { deps } = await open({ isMissing: true })
    expect((await revokeSession(deps, { sessionId: 'ses_1', onChain: false })).receipt).toBeNull()
  })
})
