import { NATIVE } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { microUsdDown } from '@pit/protocol'
import { expect, it } from 'vitest'
import { openLiveWorld } from '../../test/liveTicks.ts'
import { ETHER } from '../../test/paperWorld.ts'
import { AGENT_TOKENS, decisionOf, openTickWorld, orderOf } from '../../test/tickWorld.ts'
import { readAgent } from '../store.ts'

const limits = (position: number, day = 2_000) => ({
  maxTradeMicroUsd: microUsdDown(20),
  maxDayMicroUsd: microUsdDown(day),
  maxPositionMicroUsd: microUsdDown(position),
})
/** State before the owner grants, attaches and switches live on. */
const NOT_STARTED = { live: false, sessionId: null, status: 'paused', nextTickMs: null } as const

withDb('predicted holds of the next tick', (db) => {
  type World = Pick<ReturnType<typeof openTickWorld>, 'nextHolds'>
  const holdsOf = async (world: World, id: string) => world.nextHolds((await readAgent(db, id))!)
  const codesOf = async (world: World, id: string) => (await holdsOf(world, id)).map(({ code }) => code)

  it('shows the position limit of a live rule agent, even without a log row for it', async () => {
    const world = openLiveWorld(db)
    const params = { usd: 10, side: 'buy' }
    const id = await world.addLive({ brain: 'dca', params, limits: limits(100) })
    world.chain.held.set(NATIVE, ETHER)
    await world.drain()
    expect((await world.logsOf(id)).map(({ code }) => code)).toEqual([null])
    expect((await world.agentRow(id)).last_decision).toMatchObject({
      orders: [],
      reason: expect.stringContaining('position limit'),
    })
    expect(await holdsOf(world, id)).toEqual([
      {
        code: 'MAX_POSITION',
        message: expect.stringMatching(/USD of ETH are held; the limit is 100 USD/),
        pair: 'ETH/USDG',
        side: 'buy',
      },
    ])
  })

  it('shows it before the agent has a session and is live', async () => {
    const world = openLiveWorld(db)
    world.chain.held.set(NATIVE, ETHER)
    const id = await world.addLive({ ...NOT_STARTED, limits: limits(100) })
    expect(await holdsOf(world, id)).toMatchObject([{ code: 'MAX_POSITION', side: 'buy' }])
    const roomy = await world.addLive({ ...NOT_STARTED, limits: limits(1_000_000) })
    expect(await holdsOf(world, roomy)).toEqual([])
  })

  it('predicts the holds of a tick, and none if it trades', async () => {
    const world = openLiveWorld(db)
    world.state.brain = () => decisionOf(orderOf('ETH/USDG', 'buy', 1))
    for (const [position, hold] of [
      [100, 'MAX_POSITION'],
      [1_000_000, undefined],
    ] as const) {
      world.chain.held.set(NATIVE, ETHER)
      const id = await world.addLive({ limits: limits(position) })
      expect((await codesOf(world, id))[0]).toBe(hold)
      await world.drain()
      const { outcome } = (await world.agentRow(id)).last_decision as { outcome: { code?: string }[] }
      expect(outcome[0]?.code).toBe(hold)
    }
  })

  it('shows an exhausted daily limit once for all pairs', async () => {
    const world = openLiveWorld(db)
    world.state.brain = () => decisionOf(orderOf('ETH/USDG', 'buy', 20))
    const pairs = {
      pairs: ['ETH/USDG', 'cbBTC/USDG'],
      tokens: [AGENT_TOKENS.ETH, AGENT_TOKENS.USDG, AGENT_TOKENS.cbBTC],
    }
    const id = await world.addLive({ ...pairs, limits: limits(5_000, 20) })
    expect(await codesOf(world, id)).toEqual([])
    await world.drain()
    expect(await holdsOf(world, id)).toEqual([{ code: 'MAX_DAY', message: expect.any(String) }])
  })

  it('shows an executor without gas, and a trade that may still land', async () => {
    const world = openLiveWorld(db)
    world.state.brain = () => decisionOf(orderOf('ETH/USDG', 'buy', 20))
    world.script.relayed = 'pending'
    const id = await world.addLive()
    expect(await codesOf(world, id)).toEqual([])
    await world.drain()
    expect(await codesOf(world, id)).toEqual(['TRADE_PENDING'])
    world.chain.executorWei = 0n
    expect(await codesOf(world, id)).toEqual(['EXECUTOR_GAS', 'TRADE_PENDING'])
    // A mined trade holds nothing, even before a tick has settled the order.
    await db.query(`update trades set status = 'mined'`)
    expect(await codesOf(world, id)).toEqual(['EXECUTOR_GAS'])
  })

  it('shows a stock token without its owner’s attestation, by pair', async () => {
    const world = openLiveWorld(db)
    const id = await world.addLive({
      pairs: ['ETH/USDG', 'NVDA/USDG'],
      tokens: [AGENT_TOKENS.ETH, AGENT_TOKENS.USDG, AGENT_TOKENS.NVDA],
    })
    expect(await holdsOf(world, id)).toEqual([
      { code: 'STOCK_ATTESTATION', message: expect.any(String), pair: 'NVDA/USDG' },
    ])
  })

  it('checks only the side that the agent orders', async () => {
    const world = openLiveWorld(db)
    world.chain.held.set(NATIVE, ETHER)
    const selling = { brain: 'dca', params: { usd: 5, side: 'sell' }, limits: limits(100) } as const
    const id = await world.addLive(selling)
    expect(await holdsOf(world, id)).toEqual([])
    world.chain.held.set(NATIVE, 0n)
    expect(await holdsOf(world, id)).toMatchObject([{ code: 'NOTHING_TO_SELL', side: 'sell' }])
    // An agent that may also buy is not held by an empty position.
    expect(await holdsOf(world, await world.addLive())).toEqual([])
  })

  it('throws when the chain does not answer', async () => {
    const world = openLiveWorld(db)
    const id = await world.addLive()
    world.chain.isDown = true
    await expect(holdsOf(world, id)).rejects.toThrow()
  })

  it('shows those of a paper agent by its book, and of a practice entrant between seasons', async () => {
    const world = openTickWorld(db)
    const id = await world.addAgent({ usd: 1_000, limits: limits(10) })
    expect(await holdsOf(world, id)).toEqual([])
    await world.drain()
    expect((await world.ordersOf(id)).map(({ status }) => status)).toEqual(['filled'])
    expect(await holdsOf(world, id)).toMatchObject([{ code: 'MAX_POSITION', pair: 'ETH/USDG', side: 'buy' }])
    world.state.gate = { hold: 'SEASON_CLOSED', message: 'No season is open.' }
    expect(await holdsOf(world, id)).toEqual([{ code: 'SEASON_CLOSED', message: 'No season is open.' }])
  })
})
