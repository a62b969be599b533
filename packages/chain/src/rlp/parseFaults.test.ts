import { toRlp } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import type { Hex } from '../bytes/hex.ts'
import { createCrypto } from '../crypto/createCrypto.ts'
import { CURVE_ORDER } from '../crypto/signature.ts'
import { parseSignedTx } from './parseSignedTx.ts'
import { signTx } from './signTx.ts'
import type { UnsignedTx } from './types.ts'

const crypto = await createCrypto()
// Always the same: one signature in 128 has a leading zero, which RLP drops.
const key: Hex = `0x${'11'.repeat(32)}`
const account = privateKeyToAccount(key)

describe('faults by name', () => {
  const base: UnsignedTx = {
    type: 2,
    chainId: 4663,
    nonce: 0,
    maxPriorityFeePerGas: 1n,
    maxFeePerGas: 2n,
    gas: 21_000n,
    to: account.address,
    value: 0n,
    data: '0x',
    accessList: [],
  }
  const read = parseSignedTx(signTx(crypto, base, key).raw)
  if (!read.ok) throw new Error(read.why)
  const good = read.tx
  const fields = (over: Record<number, Hex | Hex[]>): Hex => {
    const list: (Hex | Hex[])[] = [
      '0x1237',
      '0x',
      '0x01',
      '0x02',
      '0x5208',
      account.address,
      '0x',
      '0x',
      [],
      good.yParity ? '0x01' : '0x',
      good.r,
      good.s,
    ]
    for (const [at, value] of Object.entries(over)) list[Number(at)] = value
    return `0x02${toRlp(list).slice(2)}`
  }
  const word = (n: bigint): Hex => `0x${n.toString(16).padStart(64, '0')}`

  it('takes the untouched one', () => {
    expect(parseSignedTx(fields({})).ok).toBe(true)
    expect(withBody((body) => body)).toBe(fields({}))
  })

  it.each([
    ['odd text', '0x0', 'NOT_HEX'],
    ['no text', '', 'NOT_HEX'],
    ['no bytes', '0x', 'UNKNOWN_TYPE'],
    ['a blob transaction', `0x03${fields({}).slice(4)}`, 'UNKNOWN_TYPE'],
    ['a string', '0x80', 'UNKNOWN_TYPE'],
    ['bytes after the end', `${fields({})}00`, 'TRAILING_BYTES'],
    ['bytes missing', fields({}).slice(0, -2), 'NOT_CANONICAL'],
    ['a leading zero in the nonce', fields({ 1: '0x0001' }), 'NOT_CANONICAL'],
    ['a nonce of one zero byte', fields({ 1: '0x00' }), 'NOT_CANONICAL'],
    ['a nonce past a number', fields({ 1: '0xffffffffffffffff' }), 'BAD_NUMBER'],
    ['gas past 64 bits', fields({ 4: '0x010000000000000000' }), 'BAD_NUMBER'],
    ['a value of 33 bytes', fields({ 6: `0x01${'00'.repeat(32)}` }), 'BAD_NUMBER'],
    ['an address of 19 bytes', fields({ 5: `0x${'11'.repeat(19)}` }), 'BAD_ADDRESS'],
    ['a list for a value', fields({ 6: [] }), 'WRONG_FIELDS'],
    ['a value for the access list', fields({ 8: '0x' }), 'WRONG_FIELDS'],
    ['a field too many', fields({ 12: '0x' }), 'WRONG_FIELDS'],
    ['a parity of 2', fields({ 9: '0x02' }), 'BAD_SIGNATURE'],
    ['a parity of 27', fields({ 9: '0x1b' }), 'BAD_SIGNATURE'],
    ['an r of zero', fields({ 10: '0x' }), 'BAD_SIGNATURE'],
    ['an s of the order', fields({ 11: word(CURVE_ORDER) }), 'BAD_SIGNATURE'],
    ['a high s', fields({ 11: word(CURVE_ORDER - BigInt(good.s)) }), 'HIGH_S'],
    ['more bytes than a node takes', `0x${'00'.repeat(131_073)}`, 'TOO_LONG'],
    ['an empty authorization list', setCodeWithout(), 'BAD_AUTHORIZATION'],
    [
      'a single byte with a length',
      withBody((body) => body.replace('821237800102', '82123780810102')),
      'NOT_CANONICAL',
    ],
  ])('%s', (_, raw, why) => expect(parseSignedTx(raw)).toEqual({ ok: false, why }))

  /** The same fields with the list's digits changed by hand. */
  function withBody(change: (body: string) => string): Hex {
    const body = change(fields({}).slice(8))
    return `0x02f8${(body.length / 2).toString(16)}${body}`
  }

  function setCodeWithout(): Hex {
    return `0x04${toRlp(['0x1237', '0x', '0x01', '0x02', '0x5208', account.address, '0x', '0x', [], [], '0x', good.r, good.s]).slice(2)}`
  }

  it('a legacy v of chain 0', () => {
    for (const v of ['0x23', '0x24', '0x1a', '0x', '0x01'] as Hex[]) {
      const raw = toRlp(['0x', '0x01', '0x5208', account.address, '0x', '0x', v, good.r, good.s])
      expect(parseSignedTx(raw)).toEqual({ ok: false, why: 'BAD_SIGNATURE' })
    }
  })
})
