import type { Hex } from '@pit/chain'
import { until } from '@pit/platform/test/until'
import { keccak256, stringToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { done, grantTo } from './hosted/liveAgent.ts'
import {
  buyEth,
  ETH,
  ethPrice,
  type LiveOrderAgent,
  type OrderRow,
  openLiveAgent,
  sellEth,
  setEth,
  USDG,
  when,
} from './orders/orderAgent.ts'
import { checkReceipt, type Receipt } from './orders/receipt.ts'
import { type List, listOf, orderIds, randomWord, signList } from './orders/signedList.ts'
import { openParty, type Party, type SessionTrade } from './session/party.ts'
import { openSessionWorld, type SessionWorld } from './session/world.ts'
import { balanceOf, receiptOf } from './trading/trader.ts'

// Signed orders on a devnet with signer and server as `npm start` runs them: the owner signs, the price moves,
// the agent trades, and nothing unsigned can happen.

const GAS_WEI = 20_000_000_000_000_001n
const LIMITS = { max_trade_usd: 60, max_day_usd: 600, max_position_usd: 100_000 }
const isGoing = (state: string): boolean => ['armed', 'triggered', 'sent', 'partially_filled'].includes(state)

let world: SessionWorld
let owner: Party
let agent: LiveOrderAgent
let manager: Hex

const stateOf = async (id: Hex) => (await agent.rows()).find((row) => row.id === id)?.state

beforeAll(async () => {
  world = await openSessionWorld({ devnet: { MARKET: 'on' } })
  owner = await openParty(world.server.url, keccak256(stringToHex('orders story owner')))
  await world.fund(owner.wallet, { wei: 2n * ETH, usdg: 2_000n * USDG })
  // The feed then moves only as this story sets it; pools follow it.
  await setEth(world, await ethPrice(owner))
  manager = world.profile.delegation.delegation_manager.toLowerCase() as Hex
  agent = await openLiveAgent(world, owner)
})
afterAll(async () => {
  await world?.close()
})

describe('signed orders, live', () => {
  it('nothing unsigned is co-signed when every trade needs a signature', async () => {
    const { status, body } = await owner.post<{ error: Refusal }>('live/session/trade', {
      session_id: agent.session.id,
      token_in: 'USDG',
      token_out: 'ETH',
      notional_usd: 10,
    })
    expect(status, JSON.stringify(body)).toBe(422)
    expect(body.error.code).toBe('TRADE_REFUSED')
    expect(body.error.signer_checks).toContainEqual(expect.objectContaining({ rule: 'SIGNATURE_REQUIRED' }))
    expect(body.error.orders).toMatchObject({ list: { session: agent.session.hash } })
  })

  it('a market order trades at once, within the signed amount', async () => {
    const before = await balanceOf(world.devnet, world.core('USDG'), owner.wallet)
    const [id] = await agent.place([buyEth(world, 20n * USDG)])
    const row = await agent.inState(id!, ['filled'])
    expect(row).toMatchObject({ filled_in: (20n * USDG).toString() })
    expect(row.transactions).toHaveLength(1)
    expect((await receiptOf(world.devnet, row.transactions[0]!)).status).toBe('0x1')
    expect(before - (await balanceOf(world.devnet, world.core('USDG'), owner.wallet))).toBe(20n * USDG)
  })

  it('a stop sells when a feed round crosses it, and not before', async () => {
    const price = await ethPrice(owner)
    const amount = (ETH * 20n) / BigInt(Math.round(price))
    const [id] = await agent.place([sellEth(world, amount, { trigger: when('at_or_below', price * 0.99) })])
    await setEth(world, price * 0.995)
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    expect(await stateOf(id!)).toBe('armed')
    await setEth(world, price * 0.985)
    const row = await agent.inState(id!, ['filled'])
    expect(row.filled_in).toBe(amount.toString())
  })

  it('a bracket arms its exits with the fill of its entry, and one cancels the other', async () => {
    const price = await ethPrice(owner)
    const usdg = 30n * USDG
    const most = ((ETH * 30n) / BigInt(Math.round(price)) / 100n) * 102n
    const exit = (trigger: ReturnType<typeof when>) => sellEth(world, most, { trigger, group: 1, parent: 1 })
    const [entry, target, stop] = await agent.place([
      buyEth(world, usdg),
      exit(when('at_or_above', price * 1.02)),
      exit(when('at_or_below', price * 0.97)),
    ])
    const bought = BigInt((await agent.inState(entry!, ['filled'])).filled_out)
    await agent.inState(target!, ['armed'])
    await setEth(world, price * 1.025)
    const sold = await agent.inState(target!, ['filled', 'partially_filled'])
    expect(BigInt(sold.filled_in)).toBeLessThanOrEqual(bought)
    expect(BigInt(sold.filled_in) * 1_000n).toBeGreaterThan(bought * 950n)
    const other = await agent.inState(stop!, ['cancelled', 'filled', 'unfillable'])
    expect(other.filled_in).toBe('0')
  })

  it('a stop is moved without a gap, and cancelled permanently', async () => {
    const price = await ethPrice(owner)
    const stopAt = (usd: number) => sellEth(world, ETH / 1_000n, { trigger: when('at_or_below', usd) })
    const [first] = await agent.place([stopAt(price * 0.9)])
    const [second] = await agent.place([stopAt(price * 0.8)], [first!])
    expect(await stateOf(first!)).toBe('replaced')
    const challenge = randomWord()
    const { receipts } = await done<{ receipts: Receipt[] }>(owner, `hosted/${agent.id}/orders/cancel`, {
      ids: [second],
      challenge,
    })
    const expected = { what: 'cancelled', id: second!, outstanding: '0', challenge } as const
    await checkReceipt(receipts[0]!, agent.session, expected)
    expect(await stateOf(second!)).toBe('cancelled')
  })

  it('refuses lists of another signer, session or chain, and a used nonce', async () => {
    const order = buyEth(world, 10n * USDG)
    const good = listOf(agent.session.hash, [order])
    const foreign = listOf(randomWord(), [order])
    const thief = await openParty(world.server.url, keccak256(stringToHex('orders story thief')))
    const wrong: [string, object][] = [
      ['another signer', { list: good, signature: await signList(thief, manager, good) }],
      ['another chain', { list: good, signature: await signList(owner, manager, good, 1) }],
      ['another session', { list: foreign, signature: await signList(owner, manager, foreign) }],
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
    await done(owner, `hosted/${agent.id}/orders`, {
      list: good,
      signature: await signList(owner, manager, good),
    })
    const reused = { ...listOf(agent.session.hash, [buyEth(world, 9n * USDG)]), nonce: good.nonce }
    const again = await owner.post(`hosted/${agent.id}/orders`, {
      list: reused,
      signature: await signList(owner, manager, reused),
    })
    expect(again.status, JSON.stringify(again.body)).toBe(422)
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

    // A list whose order is cancelled before it is registered can never be.
    const other = await executor.post<{ error: Refusal }>('live/session/trade', request)
    const next = other.body.error.orders!.list
    const [nextId] = orderIds(next)
    const cancelled = await done<{ receipts: { what: string; id: Hex; after: string }[] }>(
      owner,
      'live/session/orders/cancel',
      { session_id: pending.session_id, ids: [nextId], challenge: randomWord() },
    )
    expect(cancelled.receipts).toMatchObject([{ what: 'not_registered', id: nextId, after: 'blocked' }])
    const late = await executor.post<{ error: Refusal }>('live/session/trade', {
      ...request,
      order: { id: nextId, part: 1, rounds: [], list: next, signature: await signList(owner, manager, next) },
    })
    expect(late.body.error.code, JSON.stringify(late.body)).toBe('REFUSED')
  })

  it('an agent with another brain trades once its owner has signed its trade', async () => {
    const dca = await done<{ id: string; executor: Hex }>(owner, 'hosted', {
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
        const { body } = await owner.get<{ orders: OrderRow[]; wanted: { id: string; list: List }[] }>(
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
        said: async () => (await owner.get<{ orders: OrderRow[] }>(`hosted/${dca.id}/orders`)).body.orders,
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
          session_id: agent.session.id,
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
