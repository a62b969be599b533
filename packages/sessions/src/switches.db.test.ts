import { withDb } from '@pit/platform/test/withStore'
import { expect, it } from 'vitest'
import { createSwitches, writeSwitch } from './switches.ts'

withDb('the operator’s switches', (db) => {
  it('have defaults, and a change is visible within half a second', async () => {
    let nowMs = 1_000_000
    let reads = 0
    const counted = {
      query: <Row>(text: string, values?: readonly unknown[]) => {
        reads++
        return db.query<Row>(text, values)
      },
    }
    const switches = createSwitches({ db: counted, clock: { nowMs: () => nowMs } })
    expect(await Promise.all([switches.killed(), switches.liveEnabled()])).toEqual([false, true])
    expect(reads).toBe(1)

    const kill = { name: 'kill', on: true, reason: 'drill', changedAtS: 1_000 } as const
    expect(await writeSwitch(db, kill)).toBe(true)
    expect(await writeSwitch(db, kill)).toBe(false)
    await writeSwitch(db, { name: 'live', on: false, reason: null, changedAtS: 1_000 })
    nowMs += 499
    expect(await switches.killed()).toBe(false)
    nowMs += 1
    expect(await Promise.all([switches.killed(), switches.liveEnabled()])).toEqual([true, false])
    expect(reads).toBe(2)
    // A clock set back does not extend the cache.
    await writeSwitch(db, { ...kill, on: false })
    nowMs -= 60_000
    expect(await switches.killed()).toBe(false)
  })

  it('throw if the store cannot be read', async () => {
    let works = false
    const flaky = {
      query: <Row>(text: string) =>
        works ? db.query<Row>(text) : Promise.reject(new Error('store is down')),
    }
    const switches = createSwitches({ db: flaky, clock: { nowMs: () => 5_000 } })
    await expect(switches.killed()).rejects.toThrow('store is down')
    works = true
    expect(await switches.killed()).toBe(false)
  })
})
