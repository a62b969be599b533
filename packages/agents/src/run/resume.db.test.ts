import { withDb } from '@pit/platform/test/withStore'
import { expect, it } from 'vitest'
import { WALLET } from '../../test/paperWorld.ts'
import { decisionOf, openTickWorld, orderOf } from '../../test/tickWorld.ts'
import type { HostedDeps } from '../deps.ts'
import { pauseByOwner, resumeAgent } from '../life/pause.ts'

withDb('an agent paused and resumed during its decision', (db) => {
  /** A world whose brains wait for a signal. */
  function openWaiting() {
    const world = openTickWorld(db)
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    world.state.brain = async () => {
      await held
      return decisionOf(orderOf('ETH/USDG', 'buy', 10))
    }
    const deps = {
      ...world.options,
      paper: world.paper,
      isInLeague: async () => false,
      signerAnswers: () => true,
      nextHolds: async () => [],
      brains: { aiHolds: async () => [] },
    } as unknown as HostedDeps
    const by = { keyId: 1, wallet: WALLET }
    return {
      ...world,
      letGo,
      async pauseAndResume(id: string) {
        await pauseByOwner(deps, { by, id })
        await resumeAgent(deps, { by, id })
      },
      askedTimes: (id: string) => world.state.decisions.filter(({ agent }) => agent === id).length,
    }
  }
  const untilAsked = (world: ReturnType<typeof openWaiting>, id: string) =>
    expect.poll(() => world.askedTimes(id), { timeout: 20_000 }).toBe(1)

  it('does not call a model again before its interval has passed', async () => {
    const world = openWaiting()
    const id = await world.addAgent({ brain: 'partner_llm', params: {}, intervalS: 900 })
    // As after many ticks: the previous tick was an interval ago.
    await db.query('update hosted_agents set last_decision = $2 where id = $1', [
      id,
      JSON.stringify({ at: Math.floor(world.clock.ms / 1_000) - 900 }),
    ])
    const drained = world.drain()
    await untilAsked(world, id)
    await world.pauseAndResume(id)
    world.letGo()
    await drained
    await world.drain()
    expect(world.askedTimes(id)).toBe(1)
    expect(await world.agentRow(id)).toMatchObject({ tick: 1, next_tick_ms: world.clock.ms + 900_000 })
    expect(await world.ordersOf(id)).toEqual([])
    world.clock.ms += 900_000
    await world.drain()
    expect(world.askedTimes(id)).toBe(2)
    expect(await world.ordersOf(id)).toMatchObject([{ tick: 2, status: 'filled' }])
  })

  it('calls a webhook once more and discards its earlier response', async () => {
    const world = openWaiting()
    const id = await world.addAgent({ brain: 'webhook', params: { url: 'http://127.0.0.1:9' } })
    const drained = world.drain()
    await untilAsked(world, id)
    await world.pauseAndResume(id)
    await world.pauseAndResume(id)
    world.letGo()
    await drained
    await world.drain()
    expect(world.askedTimes(id)).toBe(2)
    expect(await world.ordersOf(id)).toMatchObject([{ tick: 2, status: 'filled' }])
    expect((await world.logsOf(id)).map(({ code }) => code)).toContain('CHANGED')
  })
})
