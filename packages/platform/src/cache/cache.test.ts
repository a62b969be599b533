import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createManualClock } from '../../test/manualClock.ts'
import { createCache } from './cache.ts'

/** A read whose result the test supplies. */
function reads() {
  const reads: { key: string; answer(value: number): void; fail(error: Error): void }[] = []
  const read = (key: string) =>
    new Promise<number>((answer, fail) => {
      reads.push({ key, answer, fail })
    })
  return { asked: reads, read }
}

it('shares one read among concurrent callers, then returns synchronously', async () => {
  const cache = createCache<string, number>({ max: 10 })
  const { asked, read } = reads()
  const both = [cache.load('a', read), cache.load('a', read)]
  expect(asked).toHaveLength(1)
  asked[0]!.answer(7)
  expect(await Promise.all(both)).toEqual([7, 7])
  expect(cache.load('a', read)).toBe(7)
  expect(cache.get('a')).toBe(7)
})

it('does not cache errors', async () => {
  const cache = createCache<string, number>({ max: 10 })
  const { asked, read } = reads()
  const both = [cache.load('a', read), cache.load('a', read)]
  asked[0]!.fail(new Error('no'))
  for (const each of both) await expect(each).rejects.toThrow('no')
  const next = cache.load('a', read)
  asked[1]!.answer(1)
  expect(await next).toBe(1)
})

it('does not cache a read whose key was deleted or set meanwhile', async () => {
  const change = {
    delete: () => cache.delete('a'),
    deleteWhere: () => cache.deleteWhere(() => false),
    clear: () => cache.clear(),
    set: () => cache.set('a', 2),
  }
  const cache = createCache<string, number>({ max: 10 })
  for (const [name, run] of Object.entries(change)) {
    cache.clear()
    const { asked, read } = reads()
    const before = cache.load('a', read)
    run()
    asked[0]!.answer(1)
    expect(await before).toBe(1)
    expect(cache.get('a')).toBe(name === 'set' ? 2 : undefined)
  }
})

it('reads again after a deletion, and the older read does not end the newer one', async () => {
  const cache = createCache<string, number>({ max: 10 })
  const { asked, read } = reads()
  const first = cache.load('a', read)
  cache.delete('a')
  const second = cache.load('a', read)
  asked[0]!.answer(1)
  expect(await first).toBe(1)
  expect(cache.load('a', read)).toBe(second)
  asked[1]!.answer(2)
  expect(await second).toBe(2)
  expect(cache.get('a')).toBe(2)
})

it('counts age from before the read, and takes a clock set back for old', async () => {
  const clock = createManualClock(1_000)
  const cache = createCache<string, number>({ max: 10, ttlMs: 100, clock })
  const { asked, read } = reads()
  const first = cache.load('a', read)
  clock.set(1_060)
  asked[0]!.answer(1)
  await first
  clock.set(1_099)
  expect(cache.get('a')).toBe(1)
  clock.set(1_100)
  expect(cache.get('a')).toBeUndefined()
  expect(cache.latest('a')).toMatchObject({ value: 1, atMs: 1_000 })
  clock.set(999)
  expect(cache.get('a')).toBeUndefined()
})

it('applies a lifetime per value', async () => {
  const clock = createManualClock()
  const cache = createCache<string, number>({ max: 10, ttlMs: (value) => value, clock })
  for (const ms of [0, 10, 20, Number.POSITIVE_INFINITY]) await cache.load(`${ms}`, async () => ms)
  const cachedKeys = () => ['0', '10', '20', 'Infinity'].filter((key) => cache.get(key) !== undefined)
  expect(cachedKeys()).toEqual(['10', '20', 'Infinity'])
  clock.set(10)
  expect(cachedKeys()).toEqual(['20', 'Infinity'])
  clock.set(-1)
  expect(cachedKeys()).toEqual(['Infinity'])
  // A lifetime of 0 removes the previous value.
  await cache.load('10', async () => 0)
  expect(cache.latest('10')).toBeUndefined()
})

it('deletes matching entries', () => {
  const cache = createCache<string, number>({ max: 10 })
  for (let i = 0; i < 6; i++) cache.set(`${i}`, i)
  cache.deleteWhere((value) => value % 2 === 0)
  expect([cache.size(), cache.get('1'), cache.get('2')]).toEqual([3, 1, undefined])
})

it('evicts the least recently used key', () => {
  const key = fc.integer({ min: 0, max: 9 })
  const step = fc.oneof(
    fc.record({ act: fc.constant('set' as const), key }),
    fc.record({ act: fc.constant('get' as const), key }),
    fc.record({ act: fc.constant('delete' as const), key }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), fc.integer({ min: 1, max: 6 }), (steps, max) => {
      const cache = createCache<number, number>({ max })
      let model: [number, number][] = []
      for (const [i, { act, key }] of steps.entries()) {
        const entry = model.find(([own]) => own === key)
        const others = model.filter(([own]) => own !== key)
        if (act === 'get') {
          expect(cache.get(key)).toBe(entry?.[1])
          if (entry) model = [...others, entry]
        } else if (act === 'set') {
          cache.set(key, i)
          model = [...others, [key, i] as [number, number]].slice(-max)
        } else {
          cache.delete(key)
          model = others
        }
        expect(cache.size()).toBe(model.length)
      }
    }),
  )
})

it('costs a small multiple of a map', () => {
  const clock = createManualClock()
  const keys = Array.from({ length: 1_000 }, (_, i) => `0x${i.toString(16).padStart(64, '0')}`)
  const map = new Map(keys.map((name, i) => [name, i]))
  const cache = createCache<string, number>({ max: 1_000, ttlMs: 1_000, clock })
  for (const [i, name] of keys.entries()) cache.set(name, i)
  // Sum the results, or the compiler may drop the loop.
  const timeOf = (get: (name: string) => number | undefined) => {
    const startedMs = performance.now()
    let sum = 0
    for (let round = 0; round < 300; round++) for (const name of keys) sum += get(name)!
    expect(sum).toBe(300 * 499_500)
    return performance.now() - startedMs
  }
  const best = (get: (name: string) => number | undefined) =>
    Math.min(...Array.from({ length: 5 }, () => timeOf(get)))
  const [ofMap, ofCache] = [best((name) => map.get(name)), best((name) => cache.get(name))]
  expect(ofCache / ofMap).toBeLessThan(20)
})
