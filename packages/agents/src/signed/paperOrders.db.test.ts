import { withDb } from '@pit/platform/test/withStore'
import { describe, expect, it } from 'vitest'
import { at, buy, listOf, openOrderWorld, sell, trailing } from '../../test/orderWorld.ts'
import { ETH, ETHER, USD } from '../../test/paperWorld.ts'

/** Sells at a tenth below the peak. */
const TRAILING = sell({ amountIn: ETHER / 30n, trigger: trailing(1_000) })

withDb('signed orders on paper', (db) => {
  async function openAgent(terms: { usd?: number; intervalS?: number } = {}) {
    const world = openOrderWorld(db)
    return { world, id: await world.addOrders(terms) }
  }

  /** An agent that has bought ETH for 100 USDG at 2,500 dollars. */
  async function holdEth(terms: { usd?: number } = {}) {
    const { world, id } = await openAgent(terms)
    await world.price(2_500)
    await world.place(id, listOf([buy()]))
    await world.drain()
    return { world, id }
  }

  it('fills a market order at once, and then sleeps', async () => {
    const { world, id } = await openAgent()
    await world.drain()
    await world.place(id, listOf([buy()]))
    expect(await world.states(id)).toEqual(['armed'])
    await world.drain()
    const [order] = await world.orders(id)
    expect(order).toMatchObject({ state: 'filled', why: null, fills: { spentIn: 100n * USD, parts: 1 } })
    expect(order!.amountOut).toBeGreaterThan((ETHER * 39n) / 1_000n)
    expect((await world.logsOf(id)).map(({ kind, code }) => code ?? kind)).toEqual([
      'ORDER_ARMED',
      'trade',
      'ORDER_FILLED',
    ])
    const { next_tick_ms } = await world.agentRow(id)
    expect(next_tick_ms! - world.clock.ms).toBeGreaterThan(60_000)
  })

  it('waits with a limit until the price reaches it', async () => {
    const { world, id } = await openAgent()
    await world.price(2_500)
    // At most 2,400 dollars an ETH.
    await world.place(id, listOf([buy({ minAmountOut: (100n * ETHER) / 2_400n })]))
    await world.drain()
    expect(await world.orders(id)).toMatchObject([
      { state: 'waiting', why: 'The price is beyond its minimum.' },
    ])
    await world.price(2_380)
    await world.after(60_000)
    expect(await world.states(id)).toEqual(['filled'])
    const [order] = await world.orders(id)
    expect(order!.amountOut).toBeGreaterThanOrEqual((100n * ETHER) / 2_400n)
  })

  it('sells at a stop as soon as a round is at or below it, and not before', async () => {
    const { world, id } = await holdEth()
    await world.place(id, listOf([sell({ amountIn: ETHER / 30n, trigger: at('at_or_below', 2_300) })]))
    await world.drain()
    const { tick } = await world.agentRow(id)
    await world.price(2_301)
    await world.drain()
    expect((await world.agentRow(id)).tick).toBe(tick)
    expect(await world.states(id)).toEqual(['armed', 'filled'])
    await world.price(2_300)
    await world.drain()
    expect(await world.states(id)).toEqual(['filled', 'filled'])
    const codes = (await world.logsOf(id)).map(({ kind, code }) => code ?? kind)
    expect(codes.slice(-4)).toEqual(['ORDER_ARMED', 'ORDER_TRIGGERED', 'trade', 'ORDER_FILLED'])
  })

  it('sells after a rise and a fall by the trail, with both rounds', async () => {
    const { world, id } = await holdEth()
    await world.place(id, listOf([TRAILING]))
    for (const dollars of [2_500, 2_600, 2_800, 2_600, 2_521]) await world.price(dollars)
    await world.drain()
    expect(await world.orders(id)).toMatchObject([{ state: 'armed', peak: { priceE18: 2_800n * ETHER } }, {}])
    await world.price(2_520)
    await world.drain()
    const [order] = await world.orders(id)
    expect(order).toMatchObject({ state: 'filled' })
    expect(order!.metRounds).toEqual([order!.peak!.round, expect.any(String)])
  })

  describe('rounds between two readings of the marks', () => {
    it('are the peak of a trailing order', async () => {
      const { world, id } = await holdEth()
      await world.place(id, listOf([TRAILING]))
      await world.price(2_500)
      world.unseenRound(2_800)
      await world.price(2_510)
      await world.drain()
      const [order] = await world.orders(id)
      expect(order).toMatchObject({ state: 'filled', peak: { priceE18: 2_800n * ETHER } })
      expect(order!.metRounds).toEqual([order!.peak!.round, String(BigInt(order!.peak!.round) + 1n)])
    })

    it('meet a stop that the next reading is above again', async () => {
      const { world, id } = await openAgent()
      await world.price(2_500)
      await world.place(id, listOf([buy({ trigger: at('at_or_below', 2_400) })]))
      await world.price(2_500)
      world.unseenRound(2_390)
      await world.price(2_450)
      await world.drain()
      expect(await world.states(id)).toEqual(['filled'])
    })

    it('meet it after a restart, but not if they are older than the order', async () => {
      const { world, id } = await openAgent()
      world.unseenRound(2_300)
      await world.price(2_500)
      await world.place(id, listOf([buy({ trigger: at('at_or_below', 2_400) })]))
      await world.place(id, listOf([buy({ trigger: at('at_or_below', 2_350) })]))
      world.unseenRound(2_390)
      for (let n = 0; n < 40; n++) world.unseenRound(2_450)
      const restarted = world.another()
      world.feed.isDown = true
      await expect(world.price(2_460, undefined, restarted)).rejects.toThrow('down')
      world.feed.isDown = false
      await world.price(2_460, undefined, restarted)
      await world.drain()
      // The newest list comes first.
      expect(await world.states(id)).toEqual(['armed', 'filled'])
    })

    it('do not count before the peak of a trailing order', async () => {
      const { world, id } = await holdEth()
      await world.place(id, listOf([TRAILING]))
      await world.price(2_500)
      const early = world.paper.marks.get(ETH)!
      await world.price(2_900)
      await world.another().meetRounds([early])
      await world.drain()
      expect(await world.orders(id)).toMatchObject([{ state: 'armed' }, { state: 'filled' }])
    })
  })

  it('trades slices at least their interval apart, missed ones one by one, and the rest last', async () => {
    const { world, id } = await openAgent()
    await world.place(id, listOf([buy({ amountIn: 100n * USD + 1n, slices: 3, everyS: 600 })]))
    await world.drain()
    expect(await world.states(id)).toEqual(['partially_filled'])
    await world.after(599_000)
    expect((await world.orders(id))[0]!.fills.parts).toBe(1)
    await world.after(1_000)
    expect((await world.orders(id))[0]!.fills.parts).toBe(2)
    // Long after both others were due there is still one part.
    await world.after(5_000_000)
    expect(await world.orders(id)).toMatchObject([
      { state: 'filled', fills: { parts: 3, spentIn: 100n * USD + 1n } },
    ])
    expect((await world.ordersOf(id)).map(({ status }) => status)).toEqual(['filled', 'filled', 'filled'])
  })

  it('arms a bracket with the fill of its entry; one exit ends the other', async () => {
    const { world, id } = await openAgent()
    await world.price(2_500)
    const exits = { parent: 1, group: 1, amountIn: ETHER }
    await world.place(
      id,
      listOf([
        buy({ trigger: at('at_or_below', 2_400) }),
        sell({ ...exits, trigger: at('at_or_below', 2_300) }),
        sell({ ...exits, trigger: at('at_or_above', 2_450) }),
      ]),
    )
    await world.drain()
    expect(await world.states(id)).toEqual(['armed', 'waiting', 'waiting'])
    // Above the profit target before the entry: does not count.
    await world.price(2_600)
    await world.price(2_400)
    await world.drain()
    expect(await world.states(id)).toEqual(['filled', 'armed', 'armed'])
    await world.price(2_449)
    await world.drain()
    expect(await world.states(id)).toEqual(['filled', 'armed', 'armed'])
    await world.price(2_450)
    await world.drain()
    expect(await world.states(id)).toEqual(['filled', 'cancelled', 'filled'])
    const [entry, , profit] = await world.orders(id)
    expect(profit!.fills.spentIn).toBe(entry!.amountOut)
  })

  it('spends the budget of a group once, even if both triggers are met', async () => {
    const { world, id } = await holdEth({ usd: 1_000 })
    const amountIn = ETHER / 30n
    const oco = listOf([
      sell({ amountIn, group: 1, trigger: at('at_or_below', 2_510) }),
      sell({ amountIn, group: 1, trigger: at('at_or_above', 2_490) }),
    ])
    await world.place(id, oco)
    await world.price(2_500)
    await world.drain()
    expect((await world.states(id)).slice(0, 2)).toEqual(['filled', 'cancelled'])
    const spent = (await world.orders(id)).slice(0, 2).reduce((sum, { fills }) => sum + fills.spentIn, 0n)
    expect(spent).toBe(amountIn)
  })

  it('expires, and says what waits: balance, caps and a closed market', async () => {
    const { world, id } = await openAgent({ usd: 50 })
    const nowS = Math.floor(world.clock.ms / 1_000)
    await world.place(id, listOf([sell({ expiresAt: nowS + 7_200 })]))
    await world.drain()
    expect(await world.orders(id)).toMatchObject([{ state: 'waiting', why: 'The balance is too small.' }])
    await world.after(7_200_000)
    expect(await world.states(id)).toEqual(['expired'])
    expect((await world.logsOf(id)).at(-1)).toMatchObject({ kind: 'state', code: 'ORDER_EXPIRED' })
  })

  it('never pauses itself for errors', async () => {
    const { world, id } = await openAgent({ intervalS: 10 })
    await world.place(id, listOf([buy()]))
    const find = world.options.tokens.find
    world.options.tokens.find = () => Promise.reject(new Error('broken'))
    const { fill } = world.paper
    world.paper.fill = () => Promise.reject(new Error('broken'))
    for (let i = 0; i < 25; i++) await world.after(60_000)
    expect((await world.agentRow(id)).status).toBe('active')
    Object.assign(world.options.tokens, { find })
    world.paper.fill = fill
    await world.after(120_000)
    expect(await world.states(id)).toEqual(['filled'])
  })

  it('repeats a part under its number if the worker dies between decision and trade', async () => {
    const { world, id } = await openAgent()
    await world.place(id, listOf([buy()]))
    const { fill } = world.paper
    world.paper.fill = () => Promise.reject(new Error('killed'))
    await world.drain()
    expect(await world.ordersOf(id)).toMatchObject([{ status: 'intended' }])
    expect(await world.states(id)).toEqual(['armed'])
    world.paper.fill = fill
    await world.after(20_000)
    await world.after(20_000)
    expect(await world.ordersOf(id)).toMatchObject([
      { status: 'failed', code: 'TRADE_LOST' },
      { status: 'filled' },
    ])
    expect(await world.orders(id)).toMatchObject([
      { state: 'filled', fills: { spentIn: 100n * USD, parts: 1 } },
    ])
    const parts = await db.query('select part from hosted_orders where agent_id = $1', [id])
    expect(parts).toEqual([{ part: 1 }, { part: 1 }])
  })

  it('executes once with two processes', async () => {
    const world = openOrderWorld(db)
    const other = world.another()
    const ids = await Promise.all(Array.from({ length: 8 }, () => world.addOrders()))
    await world.price(2_500)
    for (const id of ids) await world.place(id, listOf([buy({ trigger: at('at_or_below', 2_400) })]))
    await world.drain()
    const mark = () => world.paper.marks.get('0x0000000000000000000000000000000000000000')!
    await world.price(2_390)
    await Promise.all([other.meetRounds([mark()]), world.drain(), other.drain()])
    for (const id of ids) {
      expect(await world.ordersOf(id)).toMatchObject([{ status: 'filled' }])
      expect(await world.states(id)).toEqual(['filled'])
    }
  })
})
