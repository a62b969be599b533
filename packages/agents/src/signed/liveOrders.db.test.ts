import { type Hex, orderId, orderListHash, toWireOrders } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { refusal } from '@pit/protocol'
import { expect, it } from 'vitest'
import { openLiveWorld } from '../../test/liveTicks.ts'
import { at, buy, listOf, sell } from '../../test/orderWorld.ts'
import { ETH, ETHER, USD, usd } from '../../test/paperWorld.ts'
import { decisionOf, orderOf } from '../../test/tickWorld.ts'
import { insertList, newestLists } from './store.ts'

withDb('signed orders of live agents', (db) => {
  function open() {
    const world = openLiveWorld(db)
    const { crypto } = world.options
    /** Registered at the co-signer and stored. */
    async function place(id: string, list: ReturnType<typeof listOf>): Promise<Hex[]> {
      const hash = orderListHash(crypto, list)
      const ids = list.orders.map((_, index) => orderId(crypto, hash, index))
      const nowS = Math.floor(world.clock.ms / 1_000)
      await insertList(db, {
        agentId: id,
        hash,
        ids,
        sessionId: world.session.id,
        wire: toWireOrders(list),
        signature: '0x',
        registeredAtS: nowS,
        placedAtMs: world.clock.ms,
      })
      return ids
    }
    let round = 7n
    async function price(dollars: number): Promise<void> {
      world.clock.ms += 1_000
      const mark = usd(dollars, {
        token: ETH,
        roundId: ++round,
        updatedAtS: Math.floor(world.clock.ms / 1_000),
      })
      world.paper.marks.set(ETH, mark)
      await world.meetRounds([mark])
      await world.drain()
    }
    const orders = async (id: string) =>
      (await newestLists(db, { agentId: id, limit: 10 }, world.clock.ms)).flatMap((list) => list.orders)
    const states = async (id: string) => (await orders(id)).map(({ state }) => state)
    const after = async (ms: number) => {
      world.clock.ms += ms
      await world.drain()
    }
    const addOrders = () => world.addLive({ brain: 'orders', params: {}, intervalS: 3_600 })
    return { ...world, place, price, orders, states, after, addOrders }
  }

  it('names order, part, rounds and exact bounds, and settles the leaf after mining', async () => {
    const world = open()
    world.script.relayed = 'pending'
    const id = await world.addOrders()
    const [order] = await world.place(
      id,
      listOf([buy({ trigger: at('at_or_below', 2_500), minAmountOut: ETHER / 30n })]),
    )
    await world.drain()
    expect(await world.states(id)).toEqual(['armed'])
    await world.price(2_500)
    expect(world.script.inputs).toMatchObject([
      {
        amountIn: 100n * USD,
        orderBounds: { amountIn: 100n * USD, minAmountOut: ETHER / 30n, maxSlippageBps: 100 },
        order: { id: order, part: 1, rounds: ['8'] },
      },
    ])
    expect(world.script.inputs[0]).not.toHaveProperty('notionalUsd')
    expect(await world.states(id)).toEqual(['sent'])
    // Not mined: nothing else is sent.
    await world.after(2_000)
    expect(world.script.trades).toBe(1)
    await db.query(
      `update trades set status = 'mined', amount_in = 100000000, amount_out = 40 where session_id = $1`,
      [world.session.id],
    )
    world.script.received = '39'
    await world.after(2_000)
    expect(await world.orders(id)).toMatchObject([
      { state: 'filled', amountOut: 40n, fills: { spentIn: 100n * USD, receivedOut: 39n } },
    ])
    expect(world.script.settled).toMatchObject([{ root_hash: world.session.rootHash, sequence: 5 }])
  })

  it('names an unconfirmed transaction in the orders that wait for it', async () => {
    const world = open()
    world.script.relayed = 'pending'
    const id = await world.addOrders()
    await world.place(id, listOf([buy()]))
    await world.drain()
    await world.place(id, listOf([buy({ amountIn: 50n * USD })]))
    await world.place(id, listOf([buy({ trigger: at('at_or_below', 1_000) })]))
    await world.after(2_000)
    const others = async () => (await world.orders(id)).filter(({ state }) => state !== 'sent')
    expect((await others()).map(({ state, why }) => [state, why]).sort()).toEqual([
      ['armed', null],
      ['armed', null],
    ])
    await world.after(20_000)
    const [sent] = await world.ordersOf(id)
    expect((await others()).map(({ state, why }) => [state, why]).sort()).toEqual([
      ['armed', null],
      ['waiting', `An earlier transaction of the agent is not confirmed: ${sent!.tx_hash}.`],
    ])
    await db.query(
      `update trades set status = 'mined', amount_in = 100000000, amount_out = 40 where session_id = $1`,
      [world.session.id],
    )
    world.script.relayed = 'mined'
    await world.after(2_000)
    await world.after(2_000)
    expect((await others()).map(({ why }) => why)).not.toContain(expect.stringContaining('not confirmed'))
    expect(world.script.trades).toBe(2)
  })

  it('tries a reverted part again under its number, with growing pauses', async () => {
    const world = open()
    world.script.relayed = 'reverted'
    const id = await world.addOrders()
    await world.place(id, listOf([buy()]))
    await world.drain()
    for (let i = 0; i < 6; i++) await world.after(2_000)
    const tried = world.script.trades
    expect(tried).toBeGreaterThan(1)
    expect(tried).toBeLessThan(6)
    expect(new Set(world.script.inputs.map(({ order }) => order?.part))).toEqual(new Set([1]))
    world.script.relayed = 'mined'
    await world.after(60_000)
    await world.after(2_000)
    expect(await world.states(id)).toEqual(['filled'])
  })

  it('waits under the name of the co-signer’s rule, and ends if it ended the order', async () => {
    const world = open()
    const refuseBy = (rule: string) => () => {
      throw refusal('REFUSED', { signer_checks: [{ rule, ok: false, message: 'no' }] })
    }
    const id = await world.addOrders()
    await world.place(id, listOf([buy()]))
    world.script.refuse = refuseBy('BREAKER')
    await world.drain()
    expect(await world.orders(id)).toMatchObject([
      { state: 'waiting', why: 'A brake of the session has tripped.' },
    ])
    expect((await world.ordersOf(id))[0]).toMatchObject({ status: 'held', code: 'BREAKER' })
    world.script.refuse = refuseBy('ORDER_ENDED')
    await world.after(60_000)
    expect(await world.states(id)).toEqual(['cancelled'])
  })

  it('says both figures while the quote is worse than its slippage allows, and trades again after', async () => {
    const world = open()
    const id = await world.addOrders()
    await world.place(id, listOf([buy()]))
    const message = 'The quote is 130 bps worse than mark; the order allows 125 bps, fee included.'
    world.script.refuse = () => {
      throw refusal('LIMIT_NOT_REACHABLE', { message })
    }
    await world.drain()
    expect(await world.orders(id)).toMatchObject([{ state: 'waiting', why: message }])
    world.script.refuse = null
    await world.after(60_000)
    await world.after(2_000)
    expect(await world.states(id)).toEqual(['filled'])
  })

  it('arms an exit when the co-signer has settled its entry, and counts later rounds only', async () => {
    const world = open()
    const id = await world.addOrders()
    const stop = sell({ amountIn: ETHER, parent: 1, trigger: at('at_or_below', 3_000) })
    world.script.isSettled = false
    world.script.received = `${ETHER / 25n}`
    await world.place(id, listOf([buy(), stop]))
    await world.drain()
    await world.after(2_000)
    const watched = async () => (await world.orders(id))[1]!
    expect(await watched()).toMatchObject({ state: 'waiting', watchedFromS: null })
    await world.price(2_400)
    world.script.isSettled = true
    await world.after(2_000)
    const settledS = Math.floor(world.clock.ms / 1_000)
    expect(await watched()).toMatchObject({ watchedFromS: settledS, metRounds: null })
    await world.price(2_400)
    expect(await watched()).toMatchObject({ metRounds: ['9'] })
  })

  it('uses the whole room of the day that its session has left', async () => {
    const world = open()
    const id = await world.addOrders()
    // The session counted a micro-dollar more than the agent, and trades that never reached the chain.
    world.script.sessionUsed = 999_999_989_999_999n
    world.session.binding.limits.max_day_micro_usd = 1e12
    await world.place(id, listOf([buy()]))
    await world.drain()
    expect(world.script.inputs).toHaveLength(0)
    world.script.sessionUsed = 1_000_000_000_000n - 10_000_001n
    await world.after(60_000)
    expect(world.script.inputs.map(({ amountIn }) => amountIn)).toEqual([10_000_001n])
  })

  it('ends orders when the session ends', async () => {
    const world = open()
    const id = await world.addOrders()
    await world.place(id, listOf([buy({ trigger: at('at_or_below', 1_000) })]))
    await world.drain()
    world.session.status = 'revoked'
    await db.query('update hosted_agents set next_tick_ms = $2 where id = $1', [id, world.clock.ms])
    await world.drain()
    expect(await world.orders(id)).toMatchObject([{ state: 'unfillable', why: 'The session ended.' }])
  })

  it('keeps the list that any agent’s trade needs signed, and trades it once it is placed', async () => {
    const world = open()
    world.state.brain = () => decisionOf(orderOf('ETH/USDG', 'buy', 20))
    const list = listOf([buy({ amountIn: 20n * USD })])
    const request = {
      id: orderListHash(world.options.crypto, list),
      why: 'a trade above the limit',
      list: toWireOrders(list),
      typed_data: {},
      valid_until: 1_900_000_000,
    }
    world.script.refuse = () => {
      throw refusal('REFUSED', {
        signer_checks: [{ rule: 'SIGNATURE_REQUIRED', ok: false, message: 'no' }],
        orders: request as never,
      })
    }
    const id = await world.addLive()
    await world.drain()
    expect((await world.logsOf(id)).at(-1)).toMatchObject({ kind: 'hold', code: 'SIGNATURE_REQUIRED' })
    const rows = await db.query('select id, why from wanted_signatures where agent_id = $1', [id])
    expect(rows).toEqual([{ id: request.id, why: request.why }])
    world.script.refuse = null
    const [order] = await world.place(id, list)
    const calls = world.state.decisions.length
    await world.after(120_000)
    expect(world.script.inputs.at(-1)).toMatchObject({ amountIn: 20n * USD, order: { id: order, part: 1 } })
    // That tick carried out the order instead of asking the brain.
    expect(world.state.decisions.length).toBe(calls)
  })
})
