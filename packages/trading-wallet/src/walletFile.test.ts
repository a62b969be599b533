import { readFileSync } from 'node:fs'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { type About, openFile, parseFile, returnFault, SCRYPT, sealFile, withAbout } from './walletFile.ts'

const KEY = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const ADDRESS = '0x008aeeda4d805471df9b2a5b0f38a0c3bcba786b'
const RETURN = '0x00000000000000000000000000000000000be11e'
const CHEAP = { n: 1_024, r: 8, p: 1 }
const ABOUT: About = {
  return_address: RETURN,
  created_at: 1_790_000_000,
  passkey: null,
  backed_up: false,
  lock_minutes: 15,
}
/** The test vectors of the Web3 Secret Storage definition. */
const VECTORS = {
  scrypt: {
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
      ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
      kdf: 'scrypt',
      kdfparams: {
        ...{ dklen: 32, n: 262_144, r: 1, p: 8 },
        salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
      },
      mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
    },
    id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
    version: 3,
  },
  pbkdf2: {
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
      ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
      kdf: 'pbkdf2',
      kdfparams: {
        ...{ c: 262_144, dklen: 32, prf: 'hmac-sha256' },
        salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
      },
      mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
    },
    id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
    version: 3,
  },
}

describe('the keystore', () => {
  it.each(['scrypt', 'pbkdf2'] as const)('opens the %s vector of the definition', async (kdf) => {
    const key = await openFile(parseFile(JSON.stringify(VECTORS[kdf])), 'testpassword')
    expect(key).toBe(KEY)
    expect(privateKeyToAccount(key).address.toLowerCase()).toBe(ADDRESS)
  })

  it('has the cost of pit and geth by default', () => {
    const pit = readFileSync('packages/cli/src/keys/keystore.ts', 'utf8')
    expect(pit).toContain('n: 262_144, r: 8, p: 1')
    expect(SCRYPT).toEqual({ n: 262_144, r: 8, p: 1 })
  })

  it('opens with its secret only', async () => {
    const file = await sealFile(KEY, 'correct horse', ABOUT, CHEAP)
    expect(JSON.stringify(file)).not.toContain(KEY.slice(2))
    await expect(openFile(file, 'wrong horse')).rejects.toMatchObject({ code: 'WRONG_SECRET' })
    const ciphertext = file.crypto.ciphertext.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))
    const damaged = { ...file, crypto: { ...file.crypto, ciphertext } }
    await expect(openFile(damaged, 'correct horse')).rejects.toMatchObject({ code: 'WRONG_SECRET' })
  })

  it.each([
    ['exhausting memory', { n: 2 ** 30 }],
    ['not a power of two', { n: 1_000 }],
    ['a short key', { dklen: 16 }],
  ])('refuses parameters: %s', async (_, wrong) => {
    const file = await sealFile(KEY, 'x', ABOUT, CHEAP)
    const kdfparams = { ...file.crypto.kdfparams, ...wrong } as never
    const costly = { ...file, crypto: { ...file.crypto, kdfparams } as never }
    await expect(openFile(costly, 'x')).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })

  it.each(['', '[]', 'null', '{"version":4}', '{"version":3}', '{"version":3,"crypto":{"kdf":"argon2"}}'])(
    'refuses %s, which is not a keystore',
    (text) => {
      expect(() => parseFile(text)).toThrow('This is not a keystore file')
    },
  )
})

describe('the record', () => {
  it.each([
    ['return address', { return_address: '0x00000000000000000000000000000000000bad01' }],
    ['backup', { backed_up: true }],
    ['lock', { lock_minutes: 60_000 }],
    ['passkey', { passkey: { credential_id: 'AA', salt: '00' } }],
  ] as const)('an edited %s is noticed', async (_, edit) => {
    const file = await sealFile(KEY, 'x', ABOUT, CHEAP)
    const { about, mac } = file.pit!
    const edited = { ...file, pit: { about: { ...about, ...edit }, mac } }
    await expect(openFile(edited, 'x')).rejects.toMatchObject({ code: 'CHANGED' })
  })

  it('a mac of another keystore or another key is noticed, as is another address', async () => {
    const file = await sealFile(KEY, 'x', ABOUT, CHEAP)
    const same = await sealFile(KEY, 'x', ABOUT, CHEAP)
    const other = await sealFile(`0x${'11'.repeat(32)}`, 'x', ABOUT, CHEAP)
    for (const { pit } of [same, other])
      await expect(openFile({ ...file, pit: pit! }, 'x')).rejects.toMatchObject({ code: 'CHANGED' })
    await expect(openFile({ ...file, address: other.address! }, 'x')).rejects.toMatchObject({
      code: 'CHANGED',
    })
  })

  it('is changed by its key', async () => {
    const file = await sealFile(KEY, 'x', ABOUT, CHEAP)
    const next = await withAbout(file, KEY, { ...ABOUT, backed_up: true })
    expect(await openFile(parseFile(JSON.stringify(next)), 'x')).toBe(KEY)
  })
})

it.each([
  [RETURN, null],
  ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', null],
  ['0x70997970c51812dc3A010C7d01b50e0d17dc79C8', /copied in full/],
  ['0x7099', /copied in full/],
  [`0x${'0'.repeat(40)}`, /zero address/],
  [ADDRESS, /another wallet/],
])('the return address %s', (text, fault) => {
  const message = returnFault(text, ADDRESS)
  if (fault === null) expect(message).toBeNull()
  else expect(message).toMatch(fault)
})
