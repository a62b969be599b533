import { randomBytes } from 'node:crypto'
import { createCrypto } from '@pit/chain'
import { describe, expect, it, vi } from 'vitest'
import { openKey, parseSealed, type SealedKey, sealKey } from './sealKey.ts'

vi.setConfig({ testTimeout: 60_000 })

const crypto = await createCrypto()
const key = randomBytes(32)
const address = crypto.addressOf(key)
const passphrase = 'correct horse battery staple'
/** The lowest accepted cost. */
const sealed = await sealKey(key, { address, passphrase, n: 2 ** 15 })

describe('a sealed key', () => {
  it('opens with its passphrase', async () => {
    expect(await openKey(JSON.parse(JSON.stringify(sealed)), { passphrase })).toEqual(key)
  })

  it('shows nothing of the key and is never sealed the same way twice', async () => {
    expect(JSON.stringify(sealed)).not.toContain(key.toString('hex'))
    const again = await sealKey(key, { address, passphrase, n: 2 ** 15 })
    expect(again.kdf.salt).not.toBe(sealed.kdf.salt)
    expect(again.cipher.iv).not.toBe(sealed.cipher.iv)
    expect(again.cipher.data).not.toBe(sealed.cipher.data)
  })

  it('is as dear to guess as it says by default', async () => {
    const { kdf } = await sealKey(key, { address, passphrase })
    expect(kdf).toMatchObject({ n: 131_072, r: 8, p: 1 })
  })

  it('does not open with another passphrase', async () => {
    const wrong = openKey(sealed, { passphrase: `${passphrase} ` })
    await expect(wrong).rejects.toThrow('the passphrase does not open')
  })

  const flip = (hex: string): string => (hex[0] === '0' ? '1' : '0') + hex.slice(1)
  const changes: [string, SealedKey][] = [
    ['data', { ...sealed, cipher: { ...sealed.cipher, data: flip(sealed.cipher.data) } }],
    ['tag', { ...sealed, cipher: { ...sealed.cipher, tag: flip(sealed.cipher.tag) } }],
    ['iv', { ...sealed, cipher: { ...sealed.cipher, iv: flip(sealed.cipher.iv) } }],
    ['salt', { ...sealed, kdf: { ...sealed.kdf, salt: flip(sealed.kdf.salt) } }],
    ['address', { ...sealed, address: `0x${flip(sealed.address.slice(2))}` }],
    ['cost', { ...sealed, kdf: { ...sealed.kdf, n: 2 ** 16 } }],
  ]
  it.each(changes)('does not open with a changed %s', async (_, changed) => {
    await expect(openKey(changed, { passphrase })).rejects.toThrow('or it was changed')
  })

  it.each([
    ['a later version', { ...sealed, version: 2 }],
    ['another kind', { ...sealed, kind: 'executor' }],
    ['a cost that is cheap to guess', { ...sealed, kdf: { ...sealed.kdf, n: 2 ** 14 } }],
    ['a cost that eats the machine', { ...sealed, kdf: { ...sealed.kdf, n: 2 ** 24 } }],
    ['another p', { ...sealed, kdf: { ...sealed.kdf, p: 2 } }],
    ['no cipher', { ...sealed, cipher: undefined }],
    ['a short tag', { ...sealed, cipher: { ...sealed.cipher, tag: 'ab' } }],
    ['nothing', null],
    ['a text', 'sealed'],
  ])('is refused with %s', (_, changed) =>
    expect(() => parseSealed(changed)).toThrow('is not in the format of this version'),
  )
})
