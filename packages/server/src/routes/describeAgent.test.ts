import { readFileSync } from 'node:fs'
import { FEE, type SessionBinding } from '@pit/protocol'
import { expect, it } from 'vitest'
import { sessionTermsJson } from './describeAgent.ts'

/** Sessions as each version of the binding stored them. */
const file = new URL('../../../signer/test/storedSessions.json', import.meta.url)
const stored: { binding: SessionBinding }[] = JSON.parse(readFileSync(file, 'utf8'))
const termsOf = (version: number) =>
  sessionTermsJson(stored.find(({ binding }) => binding.version === version)!.binding)

it.each([1, 2])('shows the single rate of schedule 1 for a session of binding version %d', (version) => {
  expect(termsOf(version)).toMatchObject({
    fee_schedule: 1,
    fee_bps: 30,
    fees: { major_max_bps: 30, major_min_bps: 30, other_bps: 30 },
  })
})

it('shows the rates of schedule 2 for a session of binding version 3', () => {
  const terms = termsOf(3)
  expect(terms).toMatchObject({ fee_schedule: 2, fees: { other_bps: FEE.otherBps } })
  expect(terms).not.toHaveProperty('fee_bps')
})
