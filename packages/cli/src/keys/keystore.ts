import {
  createCipheriv,
  createDecipheriv,
  randomBytes,
  randomUUID,
  scryptSync,
  timingSafeEqual,
} from 'node:crypto'
import { createCrypto, type Hex } from '@pit/chain'

/** Web3 secret storage version 3, as written by foundry, geth and ethers. */
export interface Keystore {
  version: 3
  id: string
  address?: string
  crypto: {
    cipher: 'aes-128-ctr'
    cipherparams: { iv: string }
    ciphertext: string
    kdf: 'scrypt'
    kdfparams: { dklen: number; n: number; p: number; r: number; salt: string }
    mac: string
  }
}

const SCRYPT = { n: 262_144, r: 8, p: 1, dklen: 32 }
/** Larger parameters would only exhaust memory. */
const MAX_SCRYPT_BYTES = 1024 ** 3

export async function sealKey(privateKey: Hex, password: string, cost = SCRYPT): Promise<Keystore> {
  const crypto = await createCrypto()
  const [salt, iv] = [randomBytes(32), randomBytes(16)]
  const derived = derive(password, salt, cost)
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(privateKey.slice(2), 'hex')), cipher.final()])
  return {
    version: 3,
    id: randomUUID(),
    address: crypto.addressOf(privateKey).slice(2),
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: iv.toString('hex') },
      ciphertext: ciphertext.toString('hex'),
      kdf: 'scrypt',
      kdfparams: { ...cost, salt: salt.toString('hex') },
      mac: macOf(crypto, derived, ciphertext),
    },
  }
}

/** The private key, or undefined if the password is wrong. Throws on an unsupported file. */
export async function openKey(keystore: Keystore, password: string): Promise<Hex | undefined> {
  const { crypto: sealed, version } = keystore
  const isKnown = version === 3 && sealed?.kdf === 'scrypt' && sealed.cipher === 'aes-128-ctr'
  if (!isKnown)
    throw new TypeError('unsupported keystore: only version 3 with scrypt and aes-128-ctr is supported')
  const crypto = await createCrypto()
  const { salt, ...cost } = sealed.kdfparams
  const derived = derive(password, Buffer.from(salt, 'hex'), cost)
  const ciphertext = Buffer.from(sealed.ciphertext, 'hex')
  const mac = Buffer.from(macOf(crypto, derived, ciphertext), 'hex')
  const storedMac = Buffer.from(sealed.mac, 'hex')
  if (mac.length !== storedMac.length || !timingSafeEqual(mac, storedMac)) return undefined
  const iv = Buffer.from(sealed.cipherparams.iv, 'hex')
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
  return `0x${Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('hex')}`
}

function derive(password: string, salt: Buffer, { n, r, p, dklen }: typeof SCRYPT): Buffer {
  const needs = 128 * n * r * p
  if (!(needs > 0 && needs <= MAX_SCRYPT_BYTES) || dklen !== 32)
    throw new TypeError('the keystore’s scrypt parameters are out of range')
  return scryptSync(password, salt, dklen, { N: n, r, p, maxmem: 2 * needs + 1024 ** 2 })
}

const macOf = (crypto: { keccak256(bytes: Uint8Array): Hex }, derived: Buffer, ciphertext: Buffer): string =>
  crypto.keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext])).slice(2)
