import { expect, it } from 'vitest'
import { timeText } from '../client/show.ts'
import { brakesText } from './brakesText.ts'

const level = (max_fall_usd: number, best_usd: number | null, now_usd: number | null) => ({
  max_fall_usd,
  best_usd,
  now_usd,
  tripped_until: null as number | null,
})
const controlsWith = (...breakers: ReturnType<typeof level>[]) => ({
  signature_above_usd: null,
  breakers: [],
  levels: { unsigned_usd: 0, breakers },
})

it('names the breaker nearest to its bound', () => {
  expect(brakesText(controlsWith(level(20, 3, -2.5), level(50, 3, -2.5)))).toBe('$5.50 of $20')
  expect(brakesText(controlsWith(level(20, 3, 4)))).toBe('$0.00 of $20')
})

it('names the end of a cool-down, and a missing price', () => {
  const tripped = { ...level(50, null, -2.5), tripped_until: 1_790_000_000 }
  expect(brakesText(controlsWith(level(20, 3, 1), tripped))).toBe(`tripped until ${timeText(1_790_000_000)}`)
  expect(brakesText(controlsWith(level(20, null, null)))).toBe('no price')
})

it('is empty without breakers or levels', () => {
  for (const controls of [null, undefined, controlsWith(), { ...controlsWith(), levels: null }])
    expect(brakesText(controls)).toBeNull()
})
