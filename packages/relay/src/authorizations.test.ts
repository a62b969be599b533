import { createCrypto, type SignedAuthorization, signAuthorization, signTx } from '@pit/chain'
import { describe, expect, it } from 'vitest'
import { diffsOf } from './diffs.ts'
import { type Built, packed, planHash, unpacked } from './planHash.ts'
import { builtOf, readSigned } from './readSigned.ts'

const crypto = await createCrypto()
const KEY = `0x${'01'.repeat(32)}` as const
const EXECUTOR = `0x${'02'.repeat(32)}` as const
const authorize = (nonce: number): SignedAuthorization =>
  signAuthorization(crypto, { chainId: 4663, address: `0x${'dd'.repeat(20)}`, nonce }, KEY)
const [seven, eight] = [authorize(7), authorize(8)]
const plain: Built = {
  from: crypto.addressOf(EXECUTOR),
  to: `0x${'db'.repeat(20)}`,
  valueWei: 0n,
  data: '0xcef6d209',
}
const built: Built = { ...plain, authorizations: [seven] }

describe('a set-code transaction', () => {
  it('is decoded with its authorizations, and found by the hash of its plan', () => {
    const { raw } = signTx(
      crypto,
      {
        type: 4,
        chainId: 4663,
        nonce: 0,
        gas: 500_000n,
        maxFeePerGas: 10n,
        maxPriorityFeePerGas: 1n,
        to: plain.to,
        value: 0n,
        data: plain.data,
        accessList: [],
        authorizationList: [seven],
      },
      EXECUTOR,
    )
    expect(planHash(crypto, builtOf(readSigned(crypto, raw)))).toBe(planHash(crypto, built))
  })

  it('has another hash without them, with others, or with more', () => {
    const hashes = [
      plain,
      built,
      { ...plain, authorizations: [] },
      { ...plain, authorizations: [eight] },
      { ...plain, authorizations: [seven, eight] },
      { ...plain, authorizations: [{ ...seven, yParity: (1 - seven.yParity) as 0 | 1 }] },
      { ...plain, authorizations: [{ ...seven, chainId: 0 }] },
    ].map((one) => planHash(crypto, one))
    expect(new Set(hashes).size).toBe(hashes.length)
  })

  it('is stored completely', () => {
    expect(unpacked(packed([seven, eight]))).toEqual([seven, eight])
    expect(unpacked(packed([]))).toEqual([])
  })

  it('lists differences that a person can compare', () => {
    expect(diffsOf(built, plain)).toEqual([{ field: 'type', expected: 4, got: 2 }])
    expect(diffsOf(plain, built)).toEqual([{ field: 'type', expected: 2, got: 4 }])
    expect(diffsOf(built, { ...plain, authorizations: [eight] })).toMatchObject([
      { field: 'authorization_list', expected: [{ nonce: 7 }], got: [{ nonce: 8 }] },
    ])
    expect(diffsOf(built, { ...plain, authorizations: [seven] })).toEqual([])
  })
})
