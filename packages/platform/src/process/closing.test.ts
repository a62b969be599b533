import { expect, it } from 'vitest'
import { createClosing } from './closing.ts'

it('closes in reverse order of opening, one at a time, even if one throws', async () => {
  const seen: string[] = []
  const closing = createClosing({ warn: () => seen.push('warned') })
  closing.add(() => seen.push('store'))
  closing.add(() => {
    throw new Error('stuck')
  })
  closing.add(async () => {
    await Promise.resolve()
    seen.push('edge')
  })
  await closing.close()
  expect(seen).toEqual(['edge', 'warned', 'store'])
})

it('closes each part only once', async () => {
  let ended = 0
  const closing = createClosing({ warn: () => {} })
  closing.add(() => ++ended)
  await Promise.all([closing.close(), closing.close()])
  expect(ended).toBe(1)
})
