import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createBatch } from './batch.ts'

const bounds = { maxItems: 4, maxWaiting: 8, maxWaitMs: 20, nowMs: () => 0 }

function latch() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

describe('a batch', () => {
  it('runs concurrent items in order, up to its size', async () => {
    const runs: number[][] = []
    const batch = createBatch<number, number>({
      ...bounds,
      run: async (items) => {
        runs.push([...items])
        await sleep(1)
        return items.map((item) => item * 10)
      },
    })
    const results = [1, 2, 3, 4, 5, 6].map(batch.submit)
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50, 60])
    expect(runs).toEqual([
      [1, 2, 3, 4],
      [5, 6],
    ])
    expect(await batch.submit(7)).toBe(70)
  })

  it('runs one after another', async () => {
    let running = 0
    let most = 0
    const batch = createBatch<number, number>({
      ...bounds,
      run: async (items) => {
        most = Math.max(most, ++running)
        await sleep(1)
        running--
        return items
      },
    })
    await Promise.all([
      batch.submit(1),
      sleep(0).then(() => batch.submit(2)),
      sleep(2).then(() => batch.submit(3)),
    ])
    expect(most).toBe(1)
  })

  it('fails all of a batch that fails, and goes on', async () => {
    let fails = true
    const batch = createBatch<number, number>({
      ...bounds,
      run: async (items) => {
        if (fails) throw new Error('the store is away')
        return items
      },
    })
    const both = await Promise.allSettled([batch.submit(1), batch.submit(2)])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    fails = false
    expect(await batch.submit(3)).toBe(3)
  })

  it('is BUSY past its limits of number and time', async () => {
    const [gate, started] = [latch(), latch()]
    let nowMs = 0
    const ran: number[] = []
    const batch = createBatch<number, number>({
      ...bounds,
      nowMs: () => nowMs,
      run: async (items) => {
        started.open()
        await gate.opened
        ran.push(...items)
        return items
      },
    })
    const first = batch.submit(0)
    await started.opened
    const waiting = Array.from({ length: 8 }, (_, i) => batch.submit(i + 1).catch((error) => error.code))
    await expect(batch.submit(9)).rejects.toMatchObject({ code: 'BUSY' })
    nowMs = 21
    gate.open()
    expect(await first).toBe(0)
    expect(await Promise.all(waiting)).toEqual(Array(8).fill('BUSY'))
    expect(ran).toEqual([0])
    await batch.idle()
  })
})
