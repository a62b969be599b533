import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { getAddress, hashMessage, isAddress, keccak256, recoverAddress } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { type Address, bytesToHex, decodeByTable, type Hex, hexToBytes, tryHexToBytes } from '../bytes/hex.ts'
import { type Crypto, createCrypto } from './createCrypto.ts'
import type { CurveName } from './curve.ts'
import { CURVE_ORDER, isLowS, serializeSignature } from './signature.ts'

/** Share of the random rounds to run: npm test runs a fifth of them. */
const SHARE = Number(process.env['ROUNDS_SHARE'] ?? 1)

// Thousands of inputs through viem, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 })

const random = (size: number): Hex => bytesToHex(randomBytes(size))
const word = (value: bigint): string => value.toString(16).padStart(64, '0')
const bytes = () => fc.uint8Array({ maxLength: 700 })

// Without a compiler or a matching prebuilt binary the native curve is absent, as intended.
const present = await createCrypto({ curve: 'native' }).then(
  (): CurveName[] => ['native', 'wasm'],
  (): CurveName[] => ['wasm'],
)

it('takes the native curve where it loads and the wasm one elsewhere', async () => {
  expect((await createCrypto()).curve).toBe(present[0])
})

describe.each<CurveName>(present)('with the %s curve', (name) => {
  let crypto: Crypto
  beforeAll(async () => {
    crypto = await createCrypto({ curve: name })
  })

  it('really runs on that curve', () => expect(crypto.curve).toBe(name))

  it('hashes as viem does, bytes and hex alike', () => {
    fc.assert(
      fc.property(bytes(), (data) => {
        expect(crypto.keccak256(data)).toBe(keccak256(data))
        expect(crypto.keccak256(bytesToHex(data))).toBe(keccak256(data))
        expect(bytesToHex(crypto.keccakBytes(data))).toBe(keccak256(data))
      }),
      { numRuns: 2000 * SHARE },
    )
  })

  it('hashes messages as viem does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(crypto.hashMessage(text)).toBe(hashMessage(text))
      }),
      { numRuns: 1000 * SHARE },
    )
    fc.assert(
      fc.property(bytes(), (raw) => {
        expect(crypto.hashMessage(raw)).toBe(hashMessage({ raw }))
      }),
    )
  })

  it('signs as viem does and recovers who signed', async () => {
    for (let i = 0; i < 400; i++) {
      const privateKey = random(32)
      const hash = random(32)
      const ours = crypto.sign(hash, privateKey)
      const theirs = await sign({ hash, privateKey })
      expect({ r: ours.r, s: ours.s, yParity: ours.yParity }).toEqual({
        r: `0x${word(BigInt(theirs.r))}`,
        s: `0x${word(BigInt(theirs.s))}`,
        yParity: theirs.yParity,
      })
      const signature = serializeSignature(ours)
      const address = privateKeyToAccount(privateKey).address.toLowerCase()
      expect(crypto.recover(hash, signature)).toBe(address)
      expect(crypto.addressOf(privateKey)).toBe(address)
      expect(isLowS(hexToBytes(signature).subarray(0, 64))).toBe(true)
      // The same signature with a plain parity byte.
      expect(crypto.recover(hash, `${signature.slice(0, 130)}0${ours.yParity}` as Hex)).toBe(address)
    }
  })

  it('recovers what viem recovers from random r and s, and nothing where viem refuses', async () => {
    let recovered = 0
    for (let i = 0; i < 500; i++) {
      const hash = random(32)
      const signature = `${random(64)}${i & 1 ? '1b' : '1c'}` as Hex
      const theirs = await recoverAddress({ hash, signature }).catch(() => undefined)
      expect(crypto.recover(hash, signature)).toBe(theirs?.toLowerCase())
      if (theirs) recovered++
    }
    expect(recovered).toBeGreaterThan(100)
  })

  it('recovers the same from the high-s twin, which isLowS tells apart', () => {
    const hash = random(32)
    const privateKey = random(32)
    const { r, s, yParity } = crypto.sign(hash, privateKey)
    const twin: Hex = `${r}${word(CURVE_ORDER - BigInt(s))}${yParity === 0 ? '1c' : '1b'}`
    expect(crypto.recover(hash, twin)).toBe(crypto.addressOf(privateKey))
    expect(isLowS(hexToBytes(twin).subarray(0, 64))).toBe(false)
  })

  it.each([
    ['empty', '0x'],
    ['64 bytes', `0x${'11'.repeat(64)}`],
    ['66 bytes', `0x${'11'.repeat(64)}1b00`],
    ['v of 2', `0x${'11'.repeat(64)}02`],
    ['v of 26', `0x${'11'.repeat(64)}1a`],
    ['v of 29', `0x${'11'.repeat(64)}1d`],
    ['v of 255', `0x${'11'.repeat(64)}ff`],
    ['zero r', `0x${word(0n)}${word(1n)}1b`],
    ['zero s', `0x${word(1n)}${word(0n)}1b`],
    ['r of the order', `0x${word(CURVE_ORDER)}${word(1n)}1b`],
    ['s of the order', `0x${word(1n)}${word(CURVE_ORDER)}1b`],
    ['s past the order', `0x${word(1n)}${'f'.repeat(64)}1b`],
    ['not hex', `0x${'zz'.repeat(65)}`],
    ['non-ASCII digits', `0x${'１１'.repeat(65)}`],
    ['no prefix', '11'.repeat(65)],
  ])('recovers nothing from a signature with %s', (_, signature) => {
    expect(crypto.recover(random(32), signature as Hex)).toBeUndefined()
  })

  it('refuses a hash or a key of another length', () => {
    expect(() => crypto.recover(random(31), `0x${'11'.repeat(64)}1b`)).toThrow()
    expect(() => crypto.sign(random(33), random(32))).toThrow()
    expect(() => crypto.sign(random(32), random(31))).toThrow()
    expect(() => crypto.sign(random(32), `0x${word(0n)}`)).toThrow()
    expect(() => crypto.sign(random(32), `0x${word(CURVE_ORDER)}`)).toThrow()
  })
})

describe('addresses', async () => {
  const crypto = await createCrypto()

  it('agrees with viem on checksums, right and wrong', () => {
    let refused = 0
    for (let i = 0; i < 2000; i++) {
      const lower = random(20) as Address
      const checksummed = getAddress(lower)
      expect(crypto.toChecksum(lower)).toBe(checksummed)
      expect(crypto.parseAddress(lower)).toBe(lower)
      expect(crypto.parseAddress(checksummed)).toBe(lower)
      expect(crypto.parseAddress(`0x${lower.slice(2).toUpperCase()}`)).toBe(lower)
      const at = 2 + (i % 40)
      const char = checksummed[at] as string
      const flipped = char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase()
      const mixed = checksummed.slice(0, at) + flipped + checksummed.slice(at + 1)
      const oneCase =
        mixed.slice(2) === mixed.slice(2).toLowerCase() || mixed.slice(2) === mixed.slice(2).toUpperCase()
      if (flipped === char || oneCase) continue
      expect(isAddress(mixed)).toBe(false)
      expect(crypto.parseAddress(mixed)).toBeUndefined()
      refused++
    }
    expect(refused).toBeGreaterThan(500)
  })

  it.each([
    '',
    '0x',
    '0x12',
    `0X${'ab'.repeat(20)}`,
    `0x${'ab'.repeat(21)}`,
    `0x${'ag'.repeat(20)}`,
    ` 0x${'ab'.repeat(20)}`,
  ])('refuses %j', (text) => expect(crypto.parseAddress(text)).toBeUndefined())
})

describe('hex', () => {
  it('goes both ways', () => {
    fc.assert(
      fc.property(bytes(), (data) => {
        expect(hexToBytes(bytesToHex(data))).toEqual(data)
        expect(decodeByTable(bytesToHex(data), data.length)).toEqual(data)
        expect(hexToBytes(`0x${bytesToHex(data).slice(2).toUpperCase()}`)).toEqual(data)
      }),
    )
  })
  it.each(['', '0', '0x1', 'x0', '0xg0', '0x0g', '0X00', '0x0\u0130', '0x\u0161\u0161', '0x\u3030\u3030'])(
    'refuses %j, short or long',
    (text) => {
      expect(tryHexToBytes(text)).toBeUndefined()
      if (text.length % 2 === 1 || text.length <= 2 || text.startsWith('0X')) return
      for (const filler of ['00'.repeat(5), '00'.repeat(50), '00'.repeat(500)]) {
        expect(tryHexToBytes(text + filler)).toBeUndefined()
        if (text.startsWith('0x')) expect(tryHexToBytes(`0x${filler}${text.slice(2)}`)).toBeUndefined()
      }
    },
  )
})
