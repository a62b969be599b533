import { isPitError, toEnvelope } from '@pit/protocol'
import type { RelayOutcome } from '@pit/relay'
import { expect, it } from 'vitest'
import { relayedOrRefused } from './afterRelay.ts'

const HASH = `0x${'12'.repeat(32)}` as const
const SIGNER = `0x${'ab'.repeat(20)}` as const
const rpc = { request: async () => '0x7' } as unknown as Parameters<typeof relayedOrRefused>[0]['rpc']
const rejected = (reason: 'sequencer' | 'dropped' | 'late', nonceRefused = false) =>
  ({ kind: 'rejected', hash: HASH, reason, words: 'x', nonceRefused }) as unknown as RelayOutcome

async function refusalOf(outcome: RelayOutcome) {
  const error: unknown = await relayedOrRefused({ rpc }, outcome, { signer: SIGNER, nonce: 6 }).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!isPitError(error)) throw error
  const { code, retry } = toEnvelope(error).error
  return [code, retry]
}

it.each([
  ['a sequencer that refuses', rejected('sequencer'), 'SUBMIT_REJECTED'],
  ['a transaction relayed before and not mined', rejected('dropped'), 'SUBMIT_REJECTED'],
  ['a refused nonce', rejected('sequencer', true), 'NONCE'],
  ['a lost answer', { kind: 'unreachable', hash: HASH } as unknown as RelayOutcome, 'SEQUENCER_UNREACHABLE'],
  ['a concurrent relay', { kind: 'in_flight', hash: HASH } as unknown as RelayOutcome, 'IN_FLIGHT'],
])('after %s the caller has to look for the transaction first', async (_, outcome, code) => {
  expect(await refusalOf(outcome)).toEqual([code, 'look_first'])
})

it('a plan that was not sent in time may be repeated', async () => {
  expect(await refusalOf(rejected('late'))).toEqual(['LIVE_UNAVAILABLE', 'pause'])
})
