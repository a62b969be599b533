import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import {
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type Signature as SerializedSignature,
  serializeTransaction,
  type TransactionSerializable,
  type TransactionSerialized,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, vi } from 'vitest'
import { type Address, bytesToHex, type Hex, hexToBytes } from '../bytes/hex.ts'
import { createCrypto } from '../crypto/createCrypto.ts'
import { parseSignedTx } from './parseSignedTx.ts'
import { authorityOf, hashTx, senderOf, serializeTx, signAuthorization, signTx } from './signTx.ts'
import type { SignedTx, UnsignedTx } from './types.ts'

/** Share of the random rounds to run: npm test runs a fifth of them. */
const SHARE = Number(process.env['ROUNDS_SHARE'] ?? 1)

// Thousands of inputs through viem, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 })

const crypto = await createCrypto()
const key = bytesToHex(randomBytes(32))
const account = privateKeyToAccount(key)

/** Whole numbers below n, the same in every run. */
function seeded(seed: number): (n: number) => number {
  let state = seed
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}

const hex = (size: number) => fc.uint8Array({ minLength: size, maxLength: size }).map((b) => bytesToHex(b))
const address = () => hex(20) as fc.Arbitrary<Address>
const atoms = () =>
  fc.oneof(fc.constant(0n), fc.bigInt(0n, 300n), fc.bigInt(0n, 2n ** 64n), fc.bigInt(0n, 2n ** 256n - 1n))
const gas = () => fc.oneof(fc.constant(0n), fc.bigInt(0n, 2n ** 64n - 1n))
const count = () => fc.oneof(fc.constantFrom(0, 1, 127, 128, 255, 256), fc.nat({ max: 2 ** 31 }))
const chain = () => fc.oneof(fc.constantFrom(1, 4663, 127, 128), fc.integer({ min: 1, max: 2 ** 31 }))
const data = () =>
  fc.oneof(
    fc.constantFrom<Hex>('0x', '0x00', '0x7f', '0x80'),
    fc.uint8Array({ maxLength: 120 }).map((b) => bytesToHex(b)),
    fc.integer({ min: 50, max: 70 }).chain((n) => hex(n)),
    fc.integer({ min: 250, max: 3000 }).map((n) => bytesToHex(randomBytes(n))),
  )
const accessList = () =>
  fc.array(fc.record({ address: address(), storageKeys: fc.array(hex(32), { maxLength: 3 }) }), {
    maxLength: 3,
  })
const authorizations = () =>
  fc
    .array(fc.record({ chainId: fc.constantFrom(0, 4663), address: address(), nonce: count() }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((list) => list.map((one) => signAuthorization(crypto, one, key)))

const call = { nonce: count(), gas: gas(), value: atoms(), data: data() }
const fees = { maxPriorityFeePerGas: atoms(), maxFeePerGas: atoms() }
const shortData = () => fc.uint8Array({ maxLength: 80 }).map((b) => bytesToHex(b))
const feeMarket = (calldata = data()) =>
  fc.record({
    type: fc.constant<2>(2),
    chainId: chain(),
    to: fc.option(address()),
    accessList: accessList(),
    ...call,
    ...fees,
    data: calldata,
  })
const setCode = (calldata = data()) =>
  fc.record({
    type: fc.constant<4>(4),
    chainId: chain(),
    to: address(),
    accessList: accessList(),
    authorizationList: authorizations(),
    ...call,
    ...fees,
    data: calldata,
  })
const legacy = () =>
  fc.record({
    type: fc.constant<0>(0),
    chainId: fc.option(chain()),
    gasPrice: atoms(),
    to: fc.option(address()),
    ...call,
  })
const accessListTx = () =>
  fc.record({
    type: fc.constant<1>(1),
    chainId: chain(),
    gasPrice: atoms(),
    to: fc.option(address()),
    accessList: accessList(),
    ...call,
  })

const VIEM_TYPE = { 0: 'legacy', 1: 'eip2930', 2: 'eip1559', 4: 'eip7702' } as const
type Shape = { type: 0 | 1 | 2 | 4; chainId: number | null } & Fees
type Fees = { maxFeePerGas?: bigint; maxPriorityFeePerGas?: bigint; gasPrice?: bigint }

/** viem forbids a tip above the fee cap and caps fees; these tests only care about encodings. */
function forViem(tx: Shape): TransactionSerializable {
  const { type, chainId, ...rest } = tx
  return {
    ...rest,
    type: VIEM_TYPE[type],
    ...(chainId === null ? {} : { chainId }),
  } as unknown as TransactionSerializable
}
function viemCanHold(tx: {
  maxFeePerGas?: bigint
  maxPriorityFeePerGas?: bigint
  gasPrice?: bigint
}): boolean {
  const cap = tx.maxFeePerGas ?? tx.gasPrice ?? 0n
  return cap < 2n ** 256n - 1n && (tx.maxPriorityFeePerGas ?? 0n) <= cap
}
/** viem's encoding with a quick signature: its own curve would make these tests slow. */
function signByViem(shape: Shape): Hex {
  const tx = forViem(shape)
  const { r, s, yParity } = crypto.sign(keccak256(serializeTransaction(tx)), key)
  return serializeTransaction(tx, { r, s, yParity, v: yParity === 0 ? 27n : 28n } as SerializedSignature)
}

function parsed(raw: Hex): SignedTx {
  const result = parseSignedTx(raw)
  if (!result.ok) throw new Error(`${result.why} for ${raw}`)
  return result.tx
}

/** Ours without what viem has no word for, zeros where viem leaves fields out. */
function plain(tx: SignedTx) {
  const { source: _source, ...fields } = tx
  return fields
}
function plainViem(raw: Hex) {
  const tx = parseTransaction(raw as TransactionSerialized) as Record<string, unknown> & { type: string }
  const type = Number(Object.entries(VIEM_TYPE).find(([, name]) => name === tx.type)?.[0])
  const word = (value: unknown): Hex =>
    `0x${BigInt(value as Hex)
      .toString(16)
      .padStart(64, '0')}`
  const { v: _v, ...rest } = tx
  return {
    ...rest,
    type,
    nonce: tx['nonce'] ?? 0,
    gas: tx['gas'] ?? 0n,
    value: tx['value'] ?? 0n,
    data: tx['data'] ?? '0x',
    to: tx['to'] ?? null,
    chainId: tx['chainId'],
    r: word(tx['r']),
    s: word(tx['s']),
    yParity: tx['yParity'],
    ...(type === 0 || type === 1
      ? { gasPrice: tx['gasPrice'] ?? 0n }
      : { maxFeePerGas: tx['maxFeePerGas'] ?? 0n, maxPriorityFeePerGas: tx['maxPriorityFeePerGas'] ?? 0n }),
    ...(type === 0 ? {} : { accessList: tx['accessList'] ?? [] }),
    ...(type === 4
      ? {
          authorizationList: (tx['authorizationList'] as Record<string, unknown>[]).map((one) => ({
            chainId: one['chainId'],
            address: one['address'],
            nonce: one['nonce'],
            yParity: one['yParity'],
            r: word(one['r']),
            s: word(one['s']),
          })),
        }
      : {}),
  }
}

describe.each([
  ['legacy', legacy()],
  ['access list', accessListTx()],
  ['fee market', feeMarket()],
  ['set code', setCode()],
] as [string, fc.Arbitrary<Shape>][])('%s transactions', (_, arbitrary) => {
  it('are read as viem reads them, with the same hash and sender', () => {
    fc.assert(
      fc.property(
        arbitrary.filter((tx) => viemCanHold(tx)),
        (tx) => {
          const raw = signByViem(tx)
          const ours = parsed(raw)
          expect(plain(ours)).toEqual(plainViem(raw))
          expect(hashTx(crypto, ours)).toBe(keccak256(raw))
          expect(senderOf(crypto, ours)).toBe(account.address.toLowerCase())
        },
      ),
      { numRuns: 1200 * SHARE },
    )
  })
})

describe.each([
  ['fee market', feeMarket()],
  ['set code', setCode()],
] as [string, fc.Arbitrary<UnsignedTx>][])('%s transactions of ours', (_, arbitrary) => {
  it('are the bytes viem signs, and read back as they went in', () => {
    fc.assert(
      fc.property(arbitrary, (tx) => {
        const { raw, hash } = signTx(crypto, tx, key)
        const back = parsed(raw)
        expect(back).toMatchObject(tx)
        expect(hash).toBe(hashTx(crypto, back))
        expect(senderOf(crypto, back)).toBe(account.address.toLowerCase())
        expect(serializeTx(tx, back)).toBe(raw)
        if (viemCanHold(tx)) expect(raw).toBe(signByViem(tx))
      }),
      { numRuns: 1000 * SHARE },
    )
  })
})

it('recovers who gave an authorization', async () => {
  const authorization = { chainId: 4663, address: account.address.toLowerCase() as Address, nonce: 7 }
  const ours = signAuthorization(crypto, authorization, key)
  const theirs = await account.signAuthorization(authorization)
  expect(BigInt(ours.r)).toBe(BigInt(theirs.r))
  expect(BigInt(ours.s)).toBe(BigInt(theirs.s))
  expect(authorityOf(crypto, ours)).toBe(account.address.toLowerCase())
})

describe('anything but the one encoding', () => {
  it('is refused or read to the very bytes it came from', () => {
    let refused = 0
    let acceptedCount = 0
    const random = seeded(7)
    const samples = fc.sample(fc.oneof(feeMarket(shortData()), setCode(shortData())), {
      numRuns: 60,
      seed: 7,
    })
    for (const tx of samples) {
      const signed = hexToBytes(signTx(crypto, tx, key).raw)
      for (let round = 0; round < 200; round++) {
        const bytes = [...signed]
        for (let edits = 1 + random(2); edits > 0; edits--) {
          const at = random(bytes.length)
          bytes.splice(at, random(3) === 0 ? 0 : 1, ...(random(3) === 0 ? [] : [random(256)]))
        }
        const raw = bytesToHex(Uint8Array.from(bytes))
        const result = parseSignedTx(raw)
        if (!result.ok) {
          refused++
        } else {
          acceptedCount++
          if (result.tx.type !== 2 && result.tx.type !== 4) throw new Error('another type came of it')
          expect(serializeTx(result.tx, result.tx)).toBe(raw)
        }
      }
    }
    expect(refused).toBeGreaterThan(500)
    expect(acceptedCount).toBeGreaterThan(500)
  })

  it('is what viem refuses too, wherever viem refuses', () => {
    const tx: UnsignedTx = {
      type: 2,
      chainId: 4663,
      nonce: 1,
      maxFeePerGas: 2n,
      maxPriorityFeePerGas: 1n,
      gas: 90_000n,
      to: account.address,
      value: 1n,
      data: '0x1234',
      accessList: [],
    }
    const bytes = hexToBytes(signTx(crypto, tx, key).raw)
    for (let at = 0; at < bytes.length; at++) {
      for (let byte = 0; byte < 256; byte += 5) {
        const changed = bytes.slice()
        changed[at] = byte
        const raw = bytesToHex(changed)
        const ours = parseSignedTx(raw)
        // viem also judges fees when it reads; that is a rule about meaning, not about encoding.
        if (!ours.ok || !viemCanHold(ours.tx)) continue
        expect(() => parseTransaction(raw as TransactionSerialized)).not.toThrow()
      }
    }
  })
})

it('recovers what viem recovers', async () => {
  const raw = signTx(
    crypto,
    {
      type: 2,
      chainId: 4663,
      nonce: 1,
      maxFeePerGas: 2n,
      maxPriorityFeePerGas: 1n,
      gas: 90_000n,
      to: null,
      value: 1n,
      data: '0x60',
      accessList: [],
    },
    key,
  ).raw
  const theirs = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })
  expect(senderOf(crypto, parsed(raw))).toBe(theirs.toLowerCase())
})
