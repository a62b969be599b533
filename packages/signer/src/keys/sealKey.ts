import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { Address } from '@pit/chain'

/** The use of a sealed key: the co-signer's own, or the one that seals its executors' keys. */
export type KeyKind = 'cosigner' | 'executors'

/**
 * A key at rest: scrypt of the passphrase, then AES-256-GCM. Every field except the cipher's is
 * authenticated.
 */
export type SealedKey = {
  version: 1
  kind: KeyKind
  /** The co-signer's. */
  address: Address
  kdf: { name: 'scrypt'; n: number; r: number; p: number; salt: string }
  cipher: { name: 'aes-256-gcm'; iv: string; tag: string; data: string }
}

export class KeyError extends Error {
  override name = 'KeyError'
}

/** 128 MB and about half a second a guess. */
const COST = { n: 2 ** 17, r: 8, p: 1 }
/** Limits for a file that was tampered with: not cheap to guess, and no excessive memory. */
const MIN_N = 2 ** 15
const MAX_N = 2 ** 20
const MAX_MEMORY = 2 * 128 * MAX_N * COST.r
const NAMES: Record<KeyKind, string> = {
  cosigner: 'the co-signer’s key',
  executors: 'the key of the executors’ keys',
}
const HEX = /^(?:[0-9a-f]{2})+$/

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scrypt,
)

/** Does not change `key`; the caller wipes it. */
export async function sealKey(
  key: Uint8Array,
  {
    address,
    passphrase,
    kind = 'cosigner',
    n = COST.n,
  }: { address: Address; passphrase: string; kind?: KeyKind; n?: number },
): Promise<SealedKey> {
  const kdf = { name: 'scrypt', ...COST, n, salt: randomBytes(32).toString('hex') } as const
  const head = { version: 1, kind, address, kdf } as const
  const iv = randomBytes(12)
  const secret = await secretOf(passphrase, kdf)
  try {
    const cipher = createCipheriv('aes-256-gcm', secret, iv).setAAD(authenticated(head))
    const data = Buffer.concat([cipher.update(key), cipher.final()]).toString('hex')
    const tag = cipher.getAuthTag().toString('hex')
    return { ...head, cipher: { name: 'aes-256-gcm', iv: iv.toString('hex'), tag, data } }
  } finally {
    secret.fill(0)
  }
}

/** Throws a KeyError with a readable message, without details about the passphrase. */
export async function openKey(
  sealed: unknown,
  { passphrase, kind = 'cosigner' }: { passphrase: string; kind?: KeyKind },
): Promise<Buffer> {
  const { cipher, ...head } = parseSealed(sealed, kind)
  const secret = await secretOf(passphrase, head.kdf)
  try {
    const decipher = createDecipheriv('aes-256-gcm', secret, Buffer.from(cipher.iv, 'hex'))
      .setAAD(authenticated(head))
      .setAuthTag(Buffer.from(cipher.tag, 'hex'))
    return Buffer.concat([decipher.update(Buffer.from(cipher.data, 'hex')), decipher.final()])
  } catch {
    throw new KeyError(`the passphrase does not open ${NAMES[kind]}, or it was changed`)
  } finally {
    secret.fill(0)
  }
}

function secretOf(passphrase: string, { n, r, p, salt }: SealedKey['kdf']): Promise<Buffer> {
  return derive(passphrase.normalize('NFKC'), Buffer.from(salt, 'hex'), 32, {
    N: n,
    r,
    p,
    maxmem: MAX_MEMORY,
  })
}

const authenticated = (head: Omit<SealedKey, 'cipher'>): Buffer =>
  Buffer.from(
    JSON.stringify([head.version, head.kind, head.address, ...Object.values(head.kdf).map(String)]),
    'utf8',
  )

export function parseSealed(value: unknown, kind: KeyKind = 'cosigner'): SealedKey {
  const sealed = value as SealedKey
  const { kdf, cipher } = sealed ?? {}
  const isOurs =
    sealed?.version === 1 &&
    sealed.kind === kind &&
    /^0x[0-9a-f]{40}$/.test(sealed.address) &&
    kdf?.name === 'scrypt' &&
    [kdf.n, kdf.r, kdf.p].every(Number.isInteger) &&
    kdf.n >= MIN_N &&
    kdf.n <= MAX_N &&
    kdf.r === COST.r &&
    kdf.p === COST.p &&
    HEX.test(kdf.salt) &&
    cipher?.name === 'aes-256-gcm' &&
    [cipher.iv, cipher.tag, cipher.data].every((part) => typeof part === 'string' && HEX.test(part)) &&
    cipher.iv.length === 24 &&
    cipher.tag.length === 32 &&
    cipher.data.length === 64
  if (!isOurs) throw new KeyError(`${NAMES[kind]} is not in the format of this version`)
  const { name, n, r, p, salt } = kdf
  // A fixed order of the fields: they are authenticated as a list.
  return { version: 1, kind, address: sealed.address, kdf: { name, n, r, p, salt }, cipher }
}
