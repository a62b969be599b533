import { randomBytes } from 'node:crypto'
import type { Clock } from '@pit/platform/clock'
import type { SessionBindingV3 } from '@pit/protocol'
import { expect } from 'vitest'
import type { Ledger } from '../src/ledger/openLedger.ts'
import type { LeafRequest, StoredRoot } from '../src/ledger/types.ts'
import { grant, LIMITS, makeBinding, NOW_S, storedOf } from './kit.ts'

/** The ledger's clock; only a test moves it. */
export const time = { nowMs: NOW_S * 1000 }
export const clock: Clock = { nowMs: () => time.nowMs }
export const resetTime = () => {
  time.nowMs = NOW_S * 1000
}
export const nonce = () => randomBytes(16).toString('hex')

export async function register(
  ledger: Ledger,
  limits: Partial<SessionBindingV3['limits']> = {},
): Promise<StoredRoot> {
  const stored = storedOf(grant(makeBinding({ limits: { ...LIMITS, ...limits } })))
  expect(await ledger.register(stored)).toBe('registered')
  return stored
}
export const leaf = ({ hash, binding }: StoredRoot, change: Partial<LeafRequest> = {}): LeafRequest => ({
  rootHash: hash,
  limits: binding.limits,
  microUsd: 10_000_000n,
  touchesStock: false,
  failures: [],
  sequence: undefined,
  executionHash: 'aa',
  callNonce: nonce(),
  ...change,
})
export async function ask(ledger: Ledger, request: LeafRequest): Promise<string> {
  const verdict = await ledger.countLeaf(request)
  return verdict.ok ? `leaf ${verdict.sequence}` : verdict.failures.map(({ rule }) => rule).join(' ')
}
