import { expect, it } from 'vitest'
import { PitRefusal } from './errors.ts'
import { type Fate, watchBytes } from './verbs/watchBytes.ts'

// `npm run types` compiles this file: an unused expectation is an error.

const hash = '0x0b' as const

it('is built from the own node’s answers only', async () => {
  // @ts-expect-error plain facts are not a fate
  const copied: Fate = { state: 'dead', hash, by: 'nonce' }
  // @ts-expect-error not even with the class’s own member
  const branded: Fate = { state: 'dead', hash, by: 'nonce', byOwnNode: true }
  // @ts-expect-error fields of a server are not facts
  const refusal = new PitRefusal('NOT_MINED', 'no', { fate: JSON.parse('{}') as Record<string, unknown> })
  expect([copied, branded, refusal]).toHaveLength(3)
  const answers = [{ status: '0x1', blockNumber: '0x2a' }]
  const deps = { rpc: { all: async () => answers }, account: {}, nowMs: () => 0 } as never
  const { fate } = await watchBytes(deps, hash, { deadlineS: 1 })
  const ownFate: Fate = fate
  expect(new PitRefusal('NOT_MINED', 'no', { fate: ownFate }).fate).toEqual({
    state: 'mined',
    hash,
    block: 42,
    reverted: false,
  })
})
