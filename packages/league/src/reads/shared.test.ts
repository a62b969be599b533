import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createSharedAnswers, serialise } from './shared.ts'

describe('a shared answer', () => {
  const opened = () => {
    const clock = { ms: 1_000_000, nowMs: () => clock.ms }
    const built: string[] = []
    let fails = false
    const answers = createSharedAnswers({
      clock,
      max: 2,
      async build(key) {
        built.push(key)
        await setImmediate()
        if (fails) throw new Error('no')
        return { key, n: built.length }
      },
    })
    return { clock, built, answers, fail: (next: boolean) => (fails = next) }
  }

  it('is built once for all callers, and again when it expires', async () => {
    const { clock, built, answers } = opened()
    const many = await Promise.all(Array.from({ length: 50 }, () => answers.get('a')))
    expect(new Set(many).size).toBe(1)
    clock.ms += 900
    expect(await answers.get('a')).toBe(many[0])
    clock.ms += 30_000
    expect(JSON.parse((await answers.get('a')).toString())).toEqual({ key: 'a', n: 2 })
    expect(built).toEqual(['a', 'a'])
  })

  it('caches a limited number, and no failures', async () => {
    const { built, answers, fail } = opened()
    for (const key of ['a', 'b', 'c', 'b', 'c']) await answers.get(key)
    expect(built).toEqual(['a', 'b', 'c'])
    await answers.get('a')
    expect(built).toHaveLength(4)
    fail(true)
    await expect(answers.get('d')).rejects.toThrow('no')
    fail(false)
    expect(JSON.parse((await answers.get('d')).toString())).toMatchObject({ key: 'd' })
  })
})

describe('an answer’s bytes', () => {
  it.each([0, 1, 500, 501, 1_234])('are the same JSON with %i rows', async (count) => {
    const rows = Array.from({ length: count }, (_, i) => ({ rank: i + 1, label: `"}] ${i} é` }))
    const answer = { board: 'prize', season: null, rows, now: 5 }
    expect(JSON.parse((await serialise(answer)).toString())).toEqual(answer)
  })
})
