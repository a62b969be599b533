import { expect, it } from 'vitest'
import { createSharedReads } from './sharedReads.ts'

function open({ keepMs = 100, max = 10 } = {}) {
  const clock = { ms: 1_000, nowMs: () => clock.ms }
  const asked: string[] = []
  const state = { failing: false }
  const reads = createSharedReads({
    clock,
    keepMs,
    max,
    async read(key) {
      const nth = asked.push(key)
      await Promise.resolve()
      if (state.failing) throw new Error('no')
      return `${key}${nth}`
    },
  })
  return { ...reads, clock, asked, state }
}

it('reads once for all who ask at the same time', async () => {
  const reads = open()
  const answers = await Promise.all([reads.get('a'), reads.get('a'), reads.get('b')])
  expect(answers.map(({ value }) => value)).toEqual(['a1', 'a1', 'b2'])
  expect(answers.map(({ reused }) => reused)).toEqual([false, false, false])
})

it('keeps a reading for its time and no longer, and not at all when the clock is set back', async () => {
  const reads = open()
  await reads.get('a')
  reads.clock.ms += 99
  expect(await reads.get('a')).toEqual({ value: 'a1', reused: true })
  reads.clock.ms += 1
  expect(await reads.get('a')).toEqual({ value: 'a2', reused: false })
  reads.clock.ms -= 50
  expect(await reads.get('a')).toEqual({ value: 'a3', reused: false })
})

it('pushes out what was used least recently', async () => {
  const reads = open({ max: 2 })
  await reads.get('a')
  await reads.get('b')
  await reads.get('a')
  await reads.get('c')
  expect(reads.latest('b')).toBeUndefined()
  expect([reads.latest('a')?.value, reads.latest('c')?.value]).toEqual(['a1', 'c3'])
})

it('keeps no failure, and forgets no reading for one', async () => {
  const reads = open()
  await reads.get('a')
  reads.clock.ms += 200
  reads.state.failing = true
  await expect(Promise.all([reads.get('a'), reads.get('a')])).rejects.toThrow('no')
  expect(reads.latest('a')?.value).toBe('a1')
  reads.state.failing = false
  expect((await reads.get('a')).value).toBe('a3')
})
