import type { PitError } from '@pit/protocol'
import { toWireDelegation, toWireExecution } from '@pit/signer-wire'
import { describe, expect, it } from 'vitest'
import { grant, swapCall } from '../../test/kit.ts'
import { readCosign, readFreeze, readRegister, readRevoke } from './readCalls.ts'

const { binding, root } = grant()
const HASH = `0x${'ab'.repeat(32)}`
const leaf = { root_hash: HASH, execution: toWireExecution(swapCall()) }
const register = { session_id: 's_1', binding, root: toWireDelegation(root), curve_roots: [] }

const fieldOf = (read: () => unknown): unknown => {
  try {
    read()
    return 'taken'
  } catch (error) {
    expect((error as PitError).code).toBe('BAD_REQUEST')
    return (error as PitError).extras['field']
  }
}

describe('bodies', () => {
  it('are read as they were written', () => {
    expect(readRegister(register)).toEqual({ sessionId: 's_1', binding, root, curveRoots: [] })
    const more = { curve_fee: { amount_wei: '7' }, fee_bps: 25, slippage_bps: 50, sequence: 3 }
    expect(readCosign({ ...leaf, ...more }, 'n')).toEqual({
      rootHash: HASH,
      execution: swapCall(),
      curveFeeWei: 7n,
      feeBps: 25,
      slippageBps: 50,
      sequence: 3,
      callNonce: 'n',
    })
    expect(readRevoke({ root_hash: HASH })).toEqual({ rootHash: HASH })
    expect(readFreeze({ frozen: true })).toEqual({ frozen: true })
  })

  const { salt: _, ...saltless } = toWireDelegation(root)
  it.each([
    ['session_id', { ...register, session_id: '' }],
    ['session_id', { ...register, session_id: 'a b' }],
    ['root', { ...register, root: null }],
    ['root', { ...register, root: saltless }],
    ['root', { ...register, root: { ...toWireDelegation(root), extra: 1 } }],
    ['root', { ...register, root: { ...toWireDelegation(root), salt: '7' } }],
    ['root', { ...register, root: { ...toWireDelegation(root), delegate: '0x12' } }],
    ['root', { ...register, root: { ...toWireDelegation(root), caveats: [{}] } }],
    ['root', { ...register, root: { ...toWireDelegation(root), signature: '0x1' } }],
    ['curve_roots', { ...register, curve_roots: undefined }],
    ['curve_roots', { ...register, curve_roots: [1, 2] }],
    ['curve_roots', { ...register, curve_roots: [root, root, root] }],
    ['extra', { ...register, extra: 1 }],
  ])('of a root name %s as at fault', (field, body) => expect(fieldOf(() => readRegister(body))).toBe(field))

  it.each([
    ['root_hash', { ...leaf, root_hash: HASH.toUpperCase() }],
    ['root_hash', { ...leaf, root_hash: 5 }],
    ['execution', { ...leaf, execution: undefined }],
    ['execution', { ...leaf, execution: { ...leaf.execution, value_wei: 5 } }],
    ['execution', { ...leaf, execution: { ...leaf.execution, value_wei: '05' } }],
    ['execution', { ...leaf, execution: { ...leaf.execution, value_wei: '-5' } }],
    ['execution', { ...leaf, execution: { ...leaf.execution, calldata: '0x123' } }],
    ['execution', { ...leaf, execution: { ...leaf.execution, target: 'router' } }],
    ['execution', { ...leaf, execution: { ...leaf.execution, gas: '1' } }],
    ['curve_fee', { ...leaf, curve_fee: null }],
    ['curve_fee', { ...leaf, curve_fee: { amount_wei: 5 } }],
    ['curve_fee', { ...leaf, curve_fee: { amount_wei: '5', recipient: HASH } }],
    ['fee_bps', { ...leaf, fee_bps: '25' }],
    ['fee_bps', { ...leaf, fee_bps: -1 }],
    ['slippage_bps', { ...leaf, slippage_bps: 10_001 }],
    ['sequence', { ...leaf, sequence: 1.5 }],
    ['sequence', { ...leaf, sequence: 2 ** 40 }],
    ['price', { ...leaf, price: '1' }],
  ])('of a trade name %s as at fault', (field, body) =>
    expect(fieldOf(() => readCosign(body, 'n'))).toBe(field),
  )

  it('of the rest too', () => {
    expect(fieldOf(() => readRevoke({}))).toBe('root_hash')
    expect(fieldOf(() => readRevoke({ root_hash: HASH, wallet: HASH }))).toBe('wallet')
    expect(fieldOf(() => readFreeze({ frozen: 1 }))).toBe('frozen')
    expect(fieldOf(() => readFreeze({}))).toBe('frozen')
  })
})
