import type { Hex } from '@pit/chain'
import { receiptText } from '@pit/chain'
import { until } from '@pit/platform/test/until'
import { keccak256, recoverMessageAddress, stringToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { done, grantTo, NATIVE } from './hosted/liveAgent.ts'
import { type List, listOf, orderIds, orderOf, randomWord, signList } from './orders/signedList.ts'
import { openParty, type Party, type SessionTrade } from './session/party.ts'
import { openSessionWorld, type SessionWorld } from './session/world.ts'
import { balanceOf, receiptOf } from './trading/trader.ts'

// Signed orders on a devnet with signer and server as `npm start` runs them: the owner signs, the price moves,
// the agent trades, and nothing unsigned can happen.

const ETH = 10n ** 18n
const USDG = 10n ** 6n
const GAS_WEI = 20_000_000_000_000_001n
const LIMITS = { max_trade_usd: 60, max_day_usd: 600, max_position_usd: 100_000 }
const CONTROLS = {
  signature_above_usd: 0,
  breakers: [{ max_fall_usd: 500, window_s: null, cool_down_s: 3_600 }],
}
const E18 = 10n ** 18n

interface Agent {
  id: string
  executor: Hex
  status: string
}
interface Row {
  id: Hex
  state: string
  why: string | null
  filled_in: string
  filled_out: string
  transactions: Hex[]
}
const isGoing = (state: string): boolean => ['armed', 'triggered', 'sent', 'partially_filled'].includes(state)
interface Receipt {
  what: 'registered' | 'cancelled' | 'revoked'
  session: Hex
  id: Hex
  at: number
  outstanding: string
  until: number
  challenge: Hex
  cosigner: Hex
  signature: Hex
}

let world: SessionWorld
let owner: Party
let agent: Agent
let session: { id: string; hash: Hex; cosigner: Hex }
let manager: Hex

const ethPrice = async (): Promise<number> => {
  const { body } = await owner.get<{ assets: { symbol: string; mark: number }[] }>('stats')
  return body.assets.find(({ symbol }) => symbol === 'ETH')!.mark
}
const e18 = (usd: number): string => ((BigInt(Math.round(usd * 1e6)) * E18) / 1_000_000n).toString()
const setEth = (price: number) => world.devnet.rpc('devnet_setFeed', ['ETH', { price }])
const ordersOf = async (): Promise<Row[]> =>
  (await owner.get<{ orders: Row[] }>(`hosted/${agent.id}/orders`)).body.orders
const logsOf = async () => (await owner.get<{ rows: object[] }>(`hosted/${agent.id}/logs?limit=30`)).body.rows

async function place(orders: Parameters<typeof listOf>[1], replaces: Hex[] = []) {
  const list = listOf(session.hash, orders, replaces)
  const signature = await signList(owner, manager, list)
  const challenge = randomWord()
  const answer = await done<{ list: Hex; orders: Row[]; receipt: Receipt }>(
    owner,
    `hosted/${agent.id}/orders`,
    { list, signature, challenge },
  )
  await checkReceipt(answer.receipt, { what: 'registered', id: answer.list, challenge })
  return answer.orders.map(({ id }) => id)
}

async function checkReceipt(receipt: Receipt, expected: Partial<Receipt>): Promise<void> {
  expect(receipt).toMatchObject({ session: session.hash, cosigner: session.cosigner, ...expected })
  const { signature } = receipt
  expect((await recoverMessageAddress({ message: receiptText(receipt), signature })).toLowerCase()).toBe(
    session.cosigner,
  )
}

const inState = (id: Hex, states: readonly string[], withinMs = 60_000) =>
  until(
    async () => {
      const row = (await ordersOf()).find((one) => one.id === id)
      return row && states.includes(row.state) ? row : null
    },
    { withinMs, everyMs: 200, said: async () => [await ordersOf(), await logsOf()] },
  )

beforeAll(async () => {
  world = await openSessionWorld({ devnet: { MARKET: 'on' } })
  owner = await openParty(world.server.url, keccak256(stringToHex('orders story owner')))
  await world.fund(owner.wallet, { wei: 2n * ETH, usdg: 2_000n * USDG })
  // The feed then moves only as this story sets it; pools follow it.
  await setEth(await ethPrice())
  manager = world.profile.delegation.delegation_manager.toLowerCase() as Hex
  agent = await done<Agent>(owner, 'hosted', {
    brain: 'orders',
    params: {},
    interval_s: 3_600,
    pairs: ['ETH/USDG'],
    mode: 'live',
    limits: LIMITS,
  })
  await world.fund(agent.executor, { wei: GAS_WEI })
  const pending = await grantTo(world, owner, agent.executor, {
    tokens: ['ETH', 'USDG'],
    max_trade_usd: LIMITS.max_trade_usd,
    max_day_usd: LIMITS.max_day_usd,
    expires_in_s: 7_200,
    controls: CONTROLS,
  })
  session = {
    id: pending.session_id,
    hash: pending.sign.delegation.delegation_hash,
    cosigner: pending.cosigner.toLowerCase() as Hex,
  }
  await done(owner, `hosted/${agent.id}/session`, { session_id: session.id })
  await done(owner, `hosted/${agent.id}/update`, { live: true })
})
afterAll(async () => {
  await world?.close()
})

describe('signed orders, live', () => {
  it('nothing unsigned is co-signed when every trade needs a signature', async () => {
    const { status, body } = await owner.post<{ error: Refusal }>('live/session/trade', {
      session_id: session.id,
      token_in: 'USDG',
      token_out: 'ETH',
      notional_usd: 10,
    })
    expect(status, JSON.stringify(body)).toBe(422)
    expect(body.error.code).toBe('TRADE_REFUSED')
    expect(body.error.signer_checks).toContainEqual(expect.objectContaining({ rule: 'SIGNATURE_REQUIRED' }))
    expect(body.error.orders).toMatchObject({ list: { session: session.hash } })
  })

  it('a market order trades at once, within the signed amount', async () => {
    const before = await balanceOf(world.devnet, world.core('USDG'), owner.wallet)
    const [id] = await place([
      orderOf({ token_in: world.core('USDG'), token_out: NATIVE, amount_in: (20n * USDG).toString() }),
    ])
    const row = await inState(id!, ['filled'])
    expect(row).toMatchObject({ filled_in: (20n * USDG).toString() })
    expect(row.transactions).toHaveLength(1)
    expect((await receiptOf(world.devnet, row.transactions[0]!)).status).toBe('0x1')
    expect(before - (await balanceOf(world.devnet, world.core('USDG'), owner.wallet))).toBe(20n * USDG)
  })

  it('a stop sells when a feed round crosses it, and not before', async () => {
    const price = await ethPrice()
    const amount = (ETH * 20n) / BigInt(Math.round(price))
    const [id] = await place([
      orderOf({
        token_in: NATIVE,
        token_out: world.core('USDG'),
        amount_in: amount.toString(),
        trigger: { kind: 'at_or_below', token: NATIVE, price_e18: e18(price * 0.99) },
      }),
    ])
    await setEth(price * 0.995)
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    expect((await ordersOf()).find((one) => one.id === id)?.state).toBe('armed')
    await setEth(price * 0.985)
    const row = await inState(id!, ['filled'])
    expect(row.filled_in).toBe(amount.toString())
  })

  it('a bracket arms its exits with the fill of its entry, and one cancels the other', async () => {
    const price = await ethPrice()
    const usdg = 30n * USDG
    const most = ((ETH * 30n) / BigInt(Math.round(price)) / 100n) * 102n
    const exit = (trigger: { kind: string; token: Hex; price_e18: string }) =>
      orderOf({
        token_in: NATIVE,
        token_out: world.core('USDG'),
        amount_in: most.toString(),
        trigger,
        group: 1,
        parent: 1,
      })
    const [entry, target, stop] = await place([
      orderOf({ token_in: world.core('USDG'), token_out: NATIVE, amount_in: usdg.toString() }),
      exit({ kind: 'at_or_above', token: NATIVE, price_e18: e18(price * 1.02) }),
      exit({ kind: 'at_or_below', token: NATIVE, price_e18: e18(price * 0.97) }),
    ])
    const bought = BigInt((await inState(entry!, ['filled'])).filled_out)
    await inState(target!, ['armed'])
    await setEth(price * 1.025)
    const sold = await inState(target!, ['filled', 'partially_filled'])
    expect(BigInt(sold.filled_in)).toBeLessThanOrEqual(bought)
    expect(BigInt(sold.filled_in) * 1_000n).toBeGreaterThan(bought * 950n)
    const other = await inState(stop!, ['cancelled', 'filled', 'unfillable'])
    expect(other.filled_in).toBe('0')
  })

  it('a stop is moved without a gap, and cancelled permanently', async () => {
    const price = await ethPrice()
    const stopAt = (at: number) =>
      orderOf({
        token_in: NATIVE,
        token_out: world.core('USDG'),
        amount_in: (ETH / 1_000n).toString(),
        trigger: { kind: 'at_or_below', token: NATIVE, price_e18: e18(at) },
      })
    const [first] = await place([stopAt(price * 0.9)])
    const [second] = await place([stopAt(price * 0.8)], [first!])
    expect((await ordersOf()).find(({ id }) => id === first)?.state).toBe('replaced')
    const challenge = randomWord()
    const { receipts } = await done<{ receipts: Receipt[] }>(owner, `hosted/${agent.id}/orders/cancel`, {
      ids: [second],
      challenge,
    })
    await checkReceipt(receipts[0]!, { what: 'cancelled', id: second!, outstanding: '0', challenge })
    expect((await ordersOf()).find(({ id }) => id === second)?.state).toBe('cancelled')
  })

  it('refuses lists of another signer, session or chain, and a used nonce', async () => {
    const order = orderOf({
      token_in: world.core('USDG'),
      token_out: NATIVE,
      amount_in: (10n * USDG).toString(),
    })
    const good = listOf(session.hash, [order])
    const thief = await openParty(world.server.url, keccak256(stringToHex('orders story thief')))
    const wrong: [string, object][] = [
      ['another signer', { list: good, signature: await signList(thief, manager, good) }],
      ['another chain', { list: good, signature: await signList(owner, manager, good, 1) }],
      [
        'another session',
        await (async () => {
          const list = listOf(randomWord(), [order])
          return { list, signature: await signList(owner, manager, list) }
        })(),
      ],
      [
        'more than was signed',
        {
          list: { ...good, orders: [{ ...order, amount_in: (11n * USDG).toString() }] },
          signature: await signList(owner, manager, good),
        },
      ],
    ]
    for (const [name, body] of wrong) {
      const { status } = await owner.post(`hosted/${agent.id}/orders`, body)
      expect(status, name).toBeGreaterThanOrEqual(400)
      expect(status, name).toBeLessThan(500)
    }
    const stolen = await thief.post(`hosted/${agent.id}/orders`, {
      list: good,
      signature: await signList(owner, manager, good),
    })
    expect(stolen.status).toBe(403)
  })

  it('an executor of the owner trades above the limit once the owner has signed', async () => {
    const executor = await openParty(world.server.url, keccak256(stringToHex('orders story executor')))
    await world.fund(executor.wallet, { wei: GAS_WEI })
    const pending = await grantTo(world, owner, executor.wallet, {
      tokens: ['ETH', 'USDG'],
      max_trade_usd: 50,
      max_day_usd: 500,
      controls: { signature_above_usd: 5 },
    })
    const request = {
      session_id: pending.session_id,
      token_in: 'USDG',
      token_out: 'ETH',
      notional_usd: 20,
      slippage_bps: 200,
    }
    const rehearsed = await owner.post<{ ok: boolean; signer_checks: { rule: string; ok: boolean }[] }>(
      'live/session/trade',
      { ...request, check_only: true },
    )
    expect(rehearsed.status, JSON.stringify(rehearsed.body)).toBe(200)
    expect(rehearsed.body.ok).toBe(false)
    expect(rehearsed.body.signer_checks.filter(({ ok }) => !ok)).toMatchObject([
      { rule: 'SIGNATURE_REQUIRED' },
    ])
    const refused = await executor.post<{ error: Refusal }>('live/session/trade', request)
    expect(refused.body.error.code).toBe('REFUSED')
    const { list } = refused.body.error.orders!
    const signature = await signList(owner, manager, list)
    const [id] = orderIds(list)
    const order = { id, part: 1, rounds: [], list, signature }
    const signed = await executor.post<SessionTrade>('live/session/trade', { ...request, order })
    expect(signed.status, JSON.stringify(signed.body)).toBe(200)
    const raw_tx = await executor.signTx(signed.body.tx!)
    const { tx_hash } = await done<{ tx_hash: Hex }>(executor, 'live/submit', { raw_tx })
    expect((await receiptOf(world.devnet, tx_hash)).status).toBe('0x1')
    // The order is used up; unsigned trades still have their own five dollars.
    const again = await executor.post<{ error: Refusal }>('live/session/trade', {
      ...request,
      order: { ...order, part: 2 },
    })
    expect(again.body.error.signer_checks).toContainEqual(expect.objectContaining({ rule: 'ORDER_AMOUNT' }))
    const small = await executor.post('live/session/trade', { ...request, notional_usd: 4 })
    expect(small.status, JSON.stringify(small.body)).toBe(200)

    // A list that is cancelled before it is registered can never be.
    const other = await executor.post<{ error: Refusal }>('live/session/trade', request)
    const next = other.body.error.orders!.list
    const [nextId] = orderIds(next)
    const cancelled = await done<{ receipts: { what: string; id: Hex }[] }>(
      owner,
      'live/session/orders/cancel',
      { session_id: pending.session_id, ids: [nextId], challenge: randomWord() },
    )
    expect(cancelled.receipts).toMatchObject([{ what: 'cancelled', id: nextId }])
    const late = await executor.post<{ error: Refusal }>('live/session/trade', {
      ...request,
      order: { id: nextId, part: 1, rounds: [], list: next, signature: await signList(owner, manager, next) },
    })
    expect(late.body.error.code, JSON.stringify(late.body)).toBe('REFUSED')
  })

  it('an agent with another brain trades once its owner has signed its trade', async () => {
    const dca = await done<Agent>(owner, 'hosted', {
      brain: 'dca',
      params: { usd: 7 },
      interval_s: 10,
      pairs: ['ETH/USDG'],
      mode: 'live',
      limits: LIMITS,
    })
    await world.fund(dca.executor, { wei: GAS_WEI })
    const { session_id } = await grantTo(world, owner, dca.executor, {
      tokens: ['ETH', 'USDG'],
      max_trade_usd: LIMITS.max_trade_usd,
      max_day_usd: LIMITS.max_day_usd,
      controls: { signature_above_usd: 0 },
    })
    await done(owner, `hosted/${dca.id}/session`, { session_id })
    await done(owner, `hosted/${dca.id}/update`, { live: true })
    // A price that leaves the signed bound makes the agent wait for another signature.
    const signed = new Set<string>()
    const filled = await until(
      async () => {
        const { body } = await owner.get<{ orders: Row[]; wanted: { id: string; list: List }[] }>(
          `hosted/${dca.id}/orders`,
        )
        const request = body.wanted.find(({ id }) => !signed.has(id))
        if (request && !body.orders.some(({ state }) => isGoing(state))) {
          signed.add(request.id)
          const signature = await signList(owner, manager, request.list)
          await done(owner, `hosted/${dca.id}/orders`, {
            list: request.list,
            signature,
            challenge: randomWord(),
          })
        }
        return body.orders.find(({ state }) => state === 'filled') ?? null
      },
      {
        withinMs: 120_000,
        everyMs: 500,
        said: async () => (await owner.get<{ orders: Row[] }>(`hosted/${dca.id}/orders`)).body.orders,
      },
    )
    expect(signed.size).toBeGreaterThan(0)
    expect((await receiptOf(world.devnet, filled!.transactions[0]!)).status).toBe('0x1')
    await done(owner, `hosted/${dca.id}/stop`)
  })

  it('one transaction of the wallet ends the session without Pit', async () => {
    const to = world.profile.delegation.enforcers['NonceEnforcer'] as Hex
    const nonce = Number(await world.devnet.rpc<Hex>('eth_getTransactionCount', [owner.wallet, 'pending']))
    const raw = await owner.account.signTransaction({
      type: 'eip1559',
      chainId: 4663,
      nonce,
      to,
      data: `0xf5743c4c${manager.slice(2).padStart(64, '0')}`,
      gas: 200_000n,
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 1n,
    })
    await world.devnet.rpc('eth_sendRawTransaction', [raw])
    expect((await receiptOf(world.devnet, keccak256(raw))).status).toBe('0x1')
    // The co-signer reads the nonce at most twice a second.
    await until(
      async () => {
        const { body } = await owner.post<{ error: Refusal }>('live/session/trade', {
          session_id: session.id,
          token_in: 'USDG',
          token_out: 'ETH',
          notional_usd: 10,
        })
        return body.error.signer_checks?.some(({ rule }) => rule === 'SESSION_NONCE') || null
      },
      { withinMs: 5_000, everyMs: 300 },
    )
  })
})

interface Refusal {
  code: string
  signer_checks?: { rule: string }[]
  orders?: { list: List }
}
