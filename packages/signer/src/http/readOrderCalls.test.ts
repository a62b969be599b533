import { toWireOrders } from '@pit/chain'
import type { PitError } from '@pit/protocol'
import { toWireExecution } from '@pit/signer-wire'
import { describe, expect, it } from 'vitest'
import { CHALLENGE, makeList, makeOrder, signList } from '../../test/controlKit.ts'
import { STOCK, swapCall } from '../../test/kit.ts'
import { readCosign, readRevoke } from './readCalls.ts'
import { readCancelOrders, readRegisterOrders, readSettle } from './readOrderCalls.ts'

const HASH = `0x${'ab'.repeat(32)}` as const
const TRAILING = { kind: 'trailing', token: STOCK, priceE18: 0n, trailBps: 500 } as const
const list = makeList(HASH, [makeOrder(), makeOrder({ trigger: TRAILING })], {
  replaces: [{ id: HASH, spentIn: 7n }],
})
const wire = JSON.parse(JSON.stringify(toWireOrders(list)))
const [first, second] = wire.orders
const register = { root_hash: HASH, list: wire, signature: signList(list), challenge: CHALLENGE }
const withOrder = (change: object) => ({ ...register, list: { ...wire, orders: [{ ...first, ...change }] } })
const cancel = { root_hash: HASH, challenge: CHALLENGE, ids: [HASH] }
const settle = { root_hash: HASH, sequence: 3, tx_hash: HASH }
const leaf = { root_hash: HASH, execution: toWireExecution(swapCall()) }
const order = { id: HASH, part: 1, rounds: ['18446744073709551617'] }

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
    expect(readRegisterOrders(register)).toEqual({
      rootHash: HASH,
      list: wire,
      signature: register.signature,
      challenge: CHALLENGE,
    })
    expect(readCancelOrders(cancel)).toEqual({ rootHash: HASH, challenge: CHALLENGE, which: [HASH] })
    const all = { root_hash: HASH, challenge: CHALLENGE, all: true }
    expect(readCancelOrders(all)).toEqual({ rootHash: HASH, challenge: CHALLENGE, which: 'all' })
    expect(readSettle(settle)).toEqual({ rootHash: HASH, sequence: 3, txHash: HASH })
    expect(readRevoke({ root_hash: HASH, challenge: CHALLENGE })).toEqual({
      rootHash: HASH,
      challenge: CHALLENGE,
    })
    expect(readCosign({ ...leaf, order }, 'n').order).toEqual({ id: HASH, part: 1, rounds: [2n ** 64n + 1n] })
  })

  it.each<[string, object]>([
    ['more', { ...register, more: 1 }],
    ['signature', { ...register, signature: register.signature.slice(0, -2) }],
    ['signature', { ...register, signature: `${register.signature}00` }],
    ['challenge', { ...register, challenge: undefined }],
    ['challenge', { ...register, challenge: '0x12' }],
    ['list', { ...register, list: null }],
    ['list', { ...register, list: [] }],
    ['more', { ...register, list: { ...wire, more: 1 } }],
    ['nonce', { ...register, list: { ...wire, nonce: 1 } }],
    ['session', { ...register, list: { ...wire, session: HASH.toUpperCase() } }],
    ['replaces', { ...register, list: { ...wire, replaces: 'x' } }],
    ['0', { ...register, list: { ...wire, replaces: ['x'] } }],
    ['id', { ...register, list: { ...wire, replaces: [{ id: 'x', spent_in: '0' }] } }],
    ['spent_in', { ...register, list: { ...wire, replaces: [{ id: HASH, spent_in: '-1' }] } }],
    ['replaces', { ...register, list: { ...wire, replaces: Array(51).fill(HASH) } }],
    ['orders', { ...register, list: { ...wire, orders: {} } }],
    ['orders', { ...register, list: { ...wire, orders: Array(17).fill(first) } }],
    ['0', { ...register, list: { ...wire, orders: [null] } }],
    ['more', withOrder({ more: 1 })],
    ['token_in', withOrder({ token_in: '0x1' })],
    ['amount_in', withOrder({ amount_in: 5 })],
    ['amount_in', withOrder({ amount_in: '-5' })],
    ['amount_in', withOrder({ amount_in: '1'.repeat(78) })],
    ['min_amount_out', withOrder({ min_amount_out: '01' })],
    ['max_slippage_bps', withOrder({ max_slippage_bps: 65_536 })],
    ['slices', withOrder({ slices: 1.5 })],
    ['every_s', withOrder({ every_s: 2 ** 32 })],
    ['starts_at', withOrder({ starts_at: -1 })],
    ['expires_at', withOrder({ expires_at: '5' })],
    ['group', withOrder({ group: 256 })],
    ['parent', withOrder({ parent: undefined })],
    ['trigger', withOrder({ trigger: 'none' })],
    ['kind', withOrder({ trigger: { kind: 'never' } })],
    ['token', withOrder({ trigger: { kind: 'none', token: STOCK } })],
    ['price_e18', withOrder({ trigger: { kind: 'at_or_below', token: STOCK } })],
    ['price_e18', withOrder({ trigger: { ...second.trigger, price_e18: '1' } })],
    ['trail_bps', withOrder({ trigger: { kind: 'trailing', token: STOCK } })],
  ])('of lists are refused for %s', (field, body) => {
    expect(fieldOf(() => readRegisterOrders(body as never))).toBe(field)
  })

  it.each<[string, () => unknown]>([
    ['all', () => readCancelOrders({ root_hash: HASH, challenge: CHALLENGE })],
    ['all', () => readCancelOrders({ ...cancel, all: true })],
    ['all', () => readCancelOrders({ root_hash: HASH, challenge: CHALLENGE, all: false })],
    ['ids', () => readCancelOrders({ ...cancel, ids: [] })],
    ['ids', () => readCancelOrders({ ...cancel, ids: Array(51).fill(HASH) })],
    ['ids', () => readCancelOrders({ ...cancel, ids: [1] })],
    ['more', () => readCancelOrders({ ...cancel, more: 1 })],
    ['sequence', () => readSettle({ ...settle, sequence: undefined })],
    ['tx_hash', () => readSettle({ ...settle, tx_hash: '0x' })],
    ['more', () => readSettle({ ...settle, more: 1 })],
    ['challenge', () => readRevoke({ root_hash: HASH, challenge: 'x' })],
    ['order', () => readCosign({ ...leaf, order: 'x' }, 'n')],
    ['id', () => readCosign({ ...leaf, order: { ...order, id: 1 } }, 'n')],
    ['part', () => readCosign({ ...leaf, order: { ...order, part: 0 } }, 'n')],
    ['part', () => readCosign({ ...leaf, order: { ...order, part: 10_001 } }, 'n')],
    ['rounds', () => readCosign({ ...leaf, order: { ...order, rounds: ['1', '2', '3'] } }, 'n')],
    ['rounds', () => readCosign({ ...leaf, order: { ...order, rounds: [1] } }, 'n')],
    ['rounds', () => readCosign({ ...leaf, order: { ...order, rounds: [(2n ** 80n).toString()] } }, 'n')],
    ['more', () => readCosign({ ...leaf, order: { ...order, more: 1 } }, 'n')],
  ])('are refused for %s', (field, read) => expect(fieldOf(read)).toBe(field))
})
