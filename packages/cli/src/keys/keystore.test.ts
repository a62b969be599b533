import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { type Keystore, openKey, sealKey } from './keystore.ts'

const KEY = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const CHEAP = { n: 1_024, r: 8, p: 1, dklen: 32 }

/** Written by geth, with an empty password. */
const OF_GETH: Keystore = {
  version: 3,
  id: '8777f3a7-4cde-4ab5-9b0c-9bbb1b0bd1c1',
  address: '45dea0fb0bba44f4fcf290bba71fd57d7117cbb8',
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: 'dc4926b48a105133d2f16b96833abf1e' },
    ciphertext: 'b87781948a1befd247bff51ef4063f716cf6c2d3481163e9a8f42e1f9bb74145',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 2,
      p: 1,
      r: 8,
      salt: '004244bbdc51cadda545b1cfa43cff9ed2ae88e08c61f1479dbb45410722f8f0',
    },
    mac: '39990c1684557447940d4c69e06b1b82b2aceacb43f284df65c956daf3046b85',
  },
}

it('opens a file of geth', async () => {
  const key = await openKey(OF_GETH, '')
  expect(privateKeyToAccount(key!).address.toLowerCase()).toBe(`0x${OF_GETH.address}`)
})

it('opens what it sealed, and nothing with another password', async () => {
  const sealed = await sealKey(KEY, 'correct horse', CHEAP)
  expect(sealed.address).toBe(privateKeyToAccount(KEY).address.toLowerCase().slice(2))
  expect(JSON.stringify(sealed)).not.toContain(KEY.slice(2))
  expect(await openKey(sealed, 'correct horse')).toBe(KEY)
  expect(await openKey(sealed, 'wrong horse')).toBeUndefined()
})

it('refuses parameters that would exhaust the memory, and other kinds of file', async () => {
  const sealed = await sealKey(KEY, 'x', CHEAP)
  const costly = { ...sealed.crypto, kdfparams: { ...sealed.crypto.kdfparams, n: 2 ** 30 } }
  await expect(openKey({ ...sealed, crypto: costly }, 'x')).rejects.toThrow('out of range')
  await expect(openKey({ ...sealed, version: 4 as never }, 'x')).rejects.toThrow('unsupported keystore')
})
