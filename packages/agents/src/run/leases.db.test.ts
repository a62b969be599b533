import { withDb } from '@pit/platform/test/withStore'
import { beforeEach, expect, it } from 'vitest'
import { openTickWorld } from '../../test/tickWorld.ts'
import { SLOW_PER_WALLET, takeDue } from './leases.ts'

const wallet = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as const

withDb('which agents tick next', (db) => {
  const world = openTickWorld(db)
  const nowMs = world.clock.ms
  const add = (owner: number, lateMs: number, more: object = {}) =>
    world.addAgent({ wallet: wallet(owner), nextTickMs: nowMs - lateMs, ...more })
  let taken = 0
  const take = async (limit: number) => {
    const queues = ['quick', 'slow', 'live'] as const
    const due = await takeDue(db, { nowMs, token: `t${++taken}`, limit, queues, running: [] })
    return due.map(({ id }) => id)
  }
  beforeEach(() => db.query('update hosted_agents set status = $1', ['stopped']))

  it('wallets take turns, however many agents one has due and for however long', async () => {
    const many = await Promise.all(Array.from({ length: 20 }, (_, i) => add(1, 60_000 - i)))
    const [second, third] = [await add(2, 5), await add(3, 1)]
    expect(new Set(await take(5))).toEqual(new Set([...many.slice(0, 3), second, third]))
    // What runs of a wallet counts: others' first still come before its fourth.
    const fourth = await add(4, 0)
    expect((await take(1))[0]).toBe(fourth)
    expect(await take(50)).toHaveLength(17)
  })

  it.each([
    ['live', { mode: 'live', live: true }],
    ['paper', { brain: 'webhook', params: { url: 'http://127.0.0.1:9' } }],
  ])('no wallet takes all the lanes of slow %s ticks', async (_, kind) => {
    await Promise.all(Array.from({ length: 12 }, (_one, i) => add(5, 60_000 - i, kind)))
    const other = await add(6, 0, kind)
    const first = await take(200)
    expect(first).toHaveLength(SLOW_PER_WALLET + 1)
    expect(first).toContain(other)
    expect(await take(200)).toEqual([])
    // Those that have to wait keep nobody else out.
    const late = await add(7, 0, kind)
    expect(await take(1)).toEqual([late])
  })
})
