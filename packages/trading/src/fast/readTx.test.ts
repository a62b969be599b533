import { createCrypto, type FeeMarketTx, signTx } from '@pit/chain'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { readTx } from './readTx.ts'

const crypto = await createCrypto()
const key = generatePrivateKey()
const account = privateKeyToAccount(key)
const tx: FeeMarketTx = {
  type: 2,
  chainId: 4663,
  nonce: 0,
  maxPriorityFeePerGas: 0n,
  maxFeePerGas: 2n,
  gas: 21_000n,
  to: `0x${'11'.repeat(20)}`,
  value: 1n,
  data: '0x1234',
  accessList: [],
}
const { raw, hash } = signTx(crypto, tx, key)

it('reads all fields of a valid transaction', () => {
  const sender = account.address.toLowerCase()
  expect(readTx(crypto, raw)).toMatchObject({ type: 2, fault: null, sender, hash, tx: { nonce: 0 } })
})

it.each([
  ['nothing', '0x', null, null],
  ['an RLP text', '0x80', null, null],
  ['a byte between the types and the lists', `0xb8${'00'.repeat(60)}`, null, null],
  ['a type 0 byte', '0x00c0', null, null],
  ['a blob transaction', '0x03f800', 3, null],
  ['an unknown type', '0x7fc0', 127, null],
  ['a truncated transaction', raw.slice(0, -2), 2, 'NOT_CANONICAL'],
  ['a transaction with trailing bytes', `${raw}00`, 2, 'TRAILING_BYTES'],
  ['a malformed legacy transaction', '0xc0', 0, 'WRONG_FIELDS'],
])('reports type and fault of %s', (_, text, type, fault) => {
  expect(readTx(crypto, text)).toEqual({
    type,
    fault: fault && expect.any(String),
    tx: null,
    sender: null,
    hash: null,
  })
})

it('reads a transaction with an access list and reports a fault', () => {
  const accessList = [{ address: tx.to!, storageKeys: [] }]
  const listed = signTx(crypto, { ...tx, accessList }, key)
  expect(readTx(crypto, listed.raw)).toMatchObject({ type: 2, fault: 'ACCESS_LIST', hash: listed.hash })
})
