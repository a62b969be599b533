import type { Sql } from '@pit/platform/db'
import { withDb } from '@pit/platform/test/withStore'
import { beforeEach, expect, it } from 'vitest'
import { openTickWorld } from '../../test/tickWorld.ts'
import { SLOW_PER_WALLET, takeDue } from './leases.ts'

const wallet = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as const

withDb('order of due agents', (db) => {
  const world = openTickWorld(db)
  const nowMs = world.clock.ms
  const add = (owner: number, lateMs: number, more: object = {}) =>
    world.addAgent({ wallet: wallet(owner), nextTickMs: nowMs - lateMs, ...more })
  let leaseCount = 0
  const take = async (limit: number) => {
    const queues = ['quick', 'slow', 'live'] as const
    const due = await takeDue(db, { nowMs, token: `t${++leaseCount}`, limit, queues, running: [] })
    return due.map(({ id }) => id)
  }
  beforeEach(() => db.query('update hosted_agents set status = $1', ['stopped']))

  it('takes agents of all wallets in turn, however many of one wallet are due', async () => {
    const many = await Promise.all(Array.from({ length: 20 }, (_, i) => add(1, 60_000 - i)))
    const [second, third] = [await add(2, 5), await add(3, 1)]
    expect(new Set(await take(5))).toEqual(new Set([...many.slice(0, 3), second, third]))
    // A wallet's running ticks count: first agents of other wallets come before its fourth.
    const fourth = await add(4, 0)
    expect((await take(1))[0]).toBe(fourth)
    expect(await take(50)).toHaveLength(17)
  })

  it.each([
    ['live', { mode: 'live', live: true }],
    ['paper', { brain: 'webhook', params: { url: 'http://127.0.0.1:9' } }],
  ])('does not let one wallet occupy all lanes of slow %s ticks', async (_, kind) => {
    await Promise.all(Array.from({ length: 12 }, (_one, i) => add(5, 60_000 - i, kind)))
    const other = await add(6, 0, kind)
    const first = await take(200)
    expect(first).toHaveLength(SLOW_PER_WALLET + 1)
    expect(first).toContain(other)
    expect(await take(200)).toEqual([])
    // Agents that have to wait do not block others.
    const late = await add(7, 0, kind)
    expect(await take(1)).toEqual([late])
  })

  it('scans each due agent only a few times after an outage', async () => {
    const one = await add(8, 60_000)
    await db.query(
      `insert into hosted_agents select (jsonb_populate_record(a,
         jsonb_build_object('id', 'agt_due_' || n, 'wallet', '0x' || lpad((n % 500)::text, 40, '0')))).*
       from hosted_agents a, generate_series(1, ${DUE}) n where a.id = $1`,
      [one],
    )
    const discarded: number[] = []
    const watched: Sql = {
      async query(text, values) {
        const [row] = await db.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
          `explain (analyze, format json) ${text}`,
          values,
        )
        discarded.push(discardedBy(row!['QUERY PLAN'][0]!.Plan))
        return []
      },
    }
    const queues = ['quick', 'slow', 'live'] as const
    // Planned without statistics, and with statistics from a day without due agents.
    await takeDue(watched, { nowMs, token: 'first', limit: 25, queues, running: [] })
    await db.query('update hosted_agents set next_tick_ms = next_tick_ms + 86400000 where lease_by is null')
    await db.query('analyze hosted_agents')
    await db.query('update hosted_agents set next_tick_ms = next_tick_ms - 86400000 where lease_by is null')
    await takeDue(watched, { nowMs, token: 'second', limit: 25, queues, running: [] })
    expect(discarded).toHaveLength(2)
    expect(Math.max(...discarded)).toBeLessThan(4 * DUE)
  })
})

const DUE = 3_000

interface Plan {
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: Plan[]
}
/** Rows that a statement scanned and discarded. */
const discardedBy = (plan: Plan): number =>
  plan['Actual Loops'] *
    ((plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Join Filter'] ?? 0)) +
  (plan.Plans ?? []).reduce((sum, one) => sum + discardedBy(one), 0)
