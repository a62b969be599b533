import { expect, it } from 'vitest'
import { createStateHistory } from './stateHistory.ts'

const A = '0xaa'
const B = '0xbb'
const read = (state: ReturnType<ReturnType<typeof createStateHistory>['since']>) =>
  state && Object.fromEntries([...state].map(([address, fields]) => [address, Object.fromEntries(fields)]))

it('has the value before the first change after a block, also for changes noted later', () => {
  const history = createStateHistory(5)
  history.note(6, A, 'balance', '0x1')
  history.note(6, A, 'balance', '0x2')
  history.note(8, A, 'balance', '0x3')
  expect(read(history.since(5))).toEqual({ [A]: { balance: '0x1' } })
  expect(read(history.since(6))).toEqual({ [A]: { balance: '0x3' } })
  expect(read(history.since(8))).toEqual({})
  history.note(9, B, '0x01', '0x4')
  history.note(9, A, 'balance', '0x5')
  expect(read(history.since(5))).toEqual({ [A]: { balance: '0x1' }, [B]: { '0x01': '0x4' } })
  expect(read(history.since(8))).toEqual({ [A]: { balance: '0x5' }, [B]: { '0x01': '0x4' } })
})

it('knows nothing before it began, nor what was dropped', () => {
  const history = createStateHistory(5, 100)
  expect(history.since(4)).toBeNull()
  for (let block = 6; block < 406; block++) history.note(block, A, 'nonce', `0x${block.toString(16)}`)
  expect(history.since(5)).toBeNull()
  expect(history.since(290)).toBeNull()
  const oldest = Array.from({ length: 400 }, (_, i) => i + 6).find((block) => history.since(block))!
  expect(oldest).toBeGreaterThan(290)
  for (const block of [oldest, 350, 404])
    expect(read(history.since(block))).toEqual({ [A]: { nonce: `0x${(block + 1).toString(16)}` } })
  expect(read(history.since(405))).toEqual({})
})
