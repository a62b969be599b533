import { signAuthorization } from '@pit/chain'
import type { PitError } from '@pit/protocol'
import { toWireExecutorTx } from '@pit/signer-wire'
import { describe, expect, it } from 'vitest'
import { crypto, KEYS, PINS, STRANGER, WHO } from '../../test/kit.ts'
import { readAttest, readCreate, readExecutor, readSign } from './readCalls.ts'

const HASH = `0x${'ab'.repeat(32)}` as const
const SIGNATURE = `0x${'cd'.repeat(65)}` as const
const authorization = signAuthorization(
  crypto,
  { chainId: 4663, address: PINS.addresses.delegator, nonce: 2 },
  KEYS.wallet,
)
const tx = {
  to: PINS.addresses.manager,
  value_wei: 0n,
  data: '0xabcd',
  nonce: 3,
  gas: 900_000,
  max_fee_per_gas: 10n ** 9n,
  max_priority_fee_per_gas: 1n,
  authorizations: [authorization],
} as const
const wire = toWireExecutorTx(tx)
const word = {
  executor: WHO.executor,
  agent_id: 'agt_1',
  owner: WHO.wallet,
  session_id: 'ses_1',
  root_hash: HASH,
  issued: 1,
  expires: 2,
  signature: SIGNATURE,
}

const fieldOf = (read: () => unknown): unknown => {
  try {
    read()
    return 'taken'
  } catch (error) {
    expect((error as PitError).code).toBe('BAD_REQUEST')
    return (error as PitError).extras['field']
  }
}

describe('bodies about executors', () => {
  it('are read as they were written', () => {
    const created = { agentId: 'agt_1', owner: WHO.wallet, callNonce: 'n' }
    const body = { agent_id: 'agt_1', owner: WHO.wallet }
    expect(readCreate(body, 'n')).toEqual({ ...created, isFirst: false })
    expect(readCreate({ ...body, first: true }, 'n')).toEqual({ ...created, isFirst: true })
    expect(readExecutor({ executor: WHO.executor.toUpperCase().replace('X', 'x') })).toEqual({
      executor: WHO.executor,
    })
    expect(readSign({ executor: WHO.executor, tx: JSON.parse(JSON.stringify(wire)) })).toEqual({
      executor: WHO.executor,
      tx,
    })
    expect(readAttest(word)).toEqual({
      executor: WHO.executor,
      agentId: 'agt_1',
      owner: WHO.wallet,
      sessionId: 'ses_1',
      rootHash: HASH,
      issuedS: 1,
      expiresS: 2,
      signature: SIGNATURE,
    })
  })

  it.each([
    ['to', { ...wire, to: '0x12' }],
    ['value_wei', { ...wire, value_wei: 0 }],
    ['data', { ...wire, data: '0x1' }],
    ['nonce', { ...wire, nonce: -1 }],
    ['gas', { ...wire, gas: '900000' }],
    ['max_fee_per_gas', { ...wire, max_fee_per_gas: '0x1' }],
    ['max_priority_fee_per_gas', { ...wire, max_priority_fee_per_gas: undefined }],
    ['authorizations', { ...wire, authorizations: [authorization, authorization] }],
    ['authorizations', { ...wire, authorizations: [null] }],
    ['authorizations', { ...wire, authorizations: [{ ...authorization, yParity: 2 }] }],
    ['authorizations', { ...wire, authorizations: [{ ...authorization, r: '0x1' }] }],
    ['from', { ...wire, from: STRANGER }],
    ['tx', null],
    ['tx', []],
  ])('name %s of a transaction as at fault', (field, given) => {
    expect(fieldOf(() => readSign({ executor: WHO.executor, tx: given }))).toBe(field)
  })

  it.each([
    ['agent_id', { ...word, agent_id: 'a\nb' }],
    ['owner', { ...word, owner: 5 }],
    ['root_hash', { ...word, root_hash: '0x' }],
    ['issued', { ...word, issued: undefined }],
    ['expires', { ...word, expires: 1e15 }],
    ['signature', { ...word, signature: '0x00' }],
    ['force', { ...word, force: true }],
  ])('name %s of an attestation as at fault', (field, given) =>
    expect(fieldOf(() => readAttest(given))).toBe(field),
  )

  it('take no recipient of a refund', () => {
    expect(fieldOf(() => readExecutor({ executor: WHO.executor, to: STRANGER }))).toBe('to')
    expect(fieldOf(() => readCreate({ agent_id: '', owner: WHO.wallet }, 'n'))).toBe('agent_id')
  })
})
