import { expect, it } from 'vitest'
import { createTurns } from './turns.ts'

it('runs up to the limit at once, the rest in order, past failures too', async () => {
  const turn = createTurns(2)
  let inside = 0
  let most = 0
  const order: number[] = []
  const visit = (n: number) =>
    turn(async () => {
      inside += 1
      most = Math.max(most, inside)
      order.push(n)
      await new Promise((resolve) => setTimeout(resolve, 1))
      inside -= 1
      if (n === 3) throw new Error('fell')
      return n
    })
  const visits = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => visit(n)))
  expect(most).toBe(2)
  expect(order).toEqual(Array.from({ length: 20 }, (_, n) => n))
  expect(visits.filter(({ status }) => status === 'rejected')).toHaveLength(1)
  expect(inside).toBe(0)
})
