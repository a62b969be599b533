import { expect, it, vi } from 'vitest'
import { afterChange } from './afterChange.ts'

function open() {
  const state = { nowMs: 0, changes: 1 as number | null }
  const read = vi.fn(async () => {})
  const clock = { nowMs: () => state.nowMs }
  return { state, read, run: afterChange({ changes: () => state.changes, clock, maxMs: 1_000 }, read) }
}

it('reads after a change, and after the longest time without one', async () => {
  const { state, read, run } = open()
  await run()
  state.nowMs = 999
  await run()
  expect(read).toHaveBeenCalledTimes(1)
  state.changes = 2
  await run()
  expect(read).toHaveBeenCalledTimes(2)
  state.nowMs = 1_999
  await run()
  expect(read).toHaveBeenCalledTimes(3)
})

it('reads each time while blocks are not followed, and again after a failure', async () => {
  const { state, read, run } = open()
  state.changes = null
  await run()
  await run()
  expect(read).toHaveBeenCalledTimes(2)
  state.changes = 1
  read.mockRejectedValueOnce(new Error('no answer'))
  await expect(run()).rejects.toThrow('no answer')
  await run()
  await run()
  expect(read).toHaveBeenCalledTimes(4)
})

it('reads again when a block came during the reading', async () => {
  const { state, read, run } = open()
  read.mockImplementationOnce(async () => {
    state.changes = 2
  })
  await run()
  await run()
  expect(read).toHaveBeenCalledTimes(2)
})
