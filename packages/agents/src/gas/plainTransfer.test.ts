import type { Hex } from '@pit/chain'
import { crypto, KEYS, WHO } from '@pit/sessions/test/sessionFixtures'
import type { SignedRefund } from '@pit/signer-wire'
import { address } from '@pit/trading/test/tradeFixtures'
import { describe, expect, it } from 'vitest'
import { GAS, signRefund } from '../../test/hostedSigner.ts'
import { readRefund, readTransfer } from './plainTransfer.ts'

const parties = { executor: WHO.executor, owner: WHO.owner }
const balance = 10n ** 16n
const value = balance - BigInt(GAS.limit) * GAS.maxFeeWei
const terms = { to: WHO.owner, value, nonce: 3, balance }
const sign = (over: Partial<typeof terms> = {}, bent = {}, key: Hex = KEYS.executor) =>
  signRefund(crypto, key, { ...terms, ...over }, bent)
const read = (answer: SignedRefund) => readRefund(crypto, answer, parties)

describe('a refund', () => {
  it('is the balance less its maximum gas cost', () => {
    expect(read(sign())).toMatchObject({
      from: WHO.executor,
      to: WHO.owner,
      valueWei: value,
      balanceWei: balance,
      nonce: 3,
      gas: GAS.limit,
    })
  })

  it.each<[string, SignedRefund]>([
    ['goes to another address', sign({ to: WHO.stranger })],
    ['leaves a wei behind', sign({ value: value - 1n })],
    ['takes one wei too much', sign({ value: value + 1n })],
    ['carries calldata', sign({}, { data: '0x00' })],
    ['is for another chain', sign({}, { chainId: 1 })],
    ['has more gas than stated', sign({}, { gas: 30_000n })],
    ['has an access list', sign({}, { accessList: [{ address: address('9'), storageKeys: [] }] })],
    ['is signed by another key', sign({}, {}, KEYS.stranger)],
    ['states another hash', { ...sign(), tx_hash: `0x${'00'.repeat(32)}` }],
    ['states another receiver', { ...sign(), to: WHO.stranger }],
    ['states another executor', { ...sign(), executor: WHO.stranger }],
    ['states another nonce', { ...sign(), nonce: 4 }],
    ['states another fee', { ...sign(), max_fee_per_gas: '1' }],
    ['states another value', { ...sign(), value_wei: '1' }],
    ['states another balance', { ...sign(), balance_wei: (balance + 1n).toString() }],
    ['states a malformed number', { ...sign(), balance_wei: '1e16' }],
    ['is not a transaction', { ...sign(), raw: '0x02' }],
    ['has bytes after its end', { ...sign(), raw: `${sign().raw}00` }],
    ['sends nothing', sign({ value: 0n, balance: BigInt(GAS.limit) * GAS.maxFeeWei })],
  ])('is rejected if it %s', (_, answer) => expect(read(answer)).toBeUndefined())

  it('is read from its bytes alone by the relay', () => {
    expect(readTransfer(crypto, sign().raw)?.hash).toBe(sign().tx_hash)
    expect(readTransfer(crypto, sign({}, { data: '0x00' }).raw)).toBeUndefined()
  })
})
