import { canonicalJson, type Json } from '@pit/protocol'
import * as Keystore from 'ox/Keystore'
import { type Hex, isAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** A passkey whose PRF output opens the keystore. */
export interface Passkey {
  /** Base64url. */
  credential_id: string
  /** Hex; input of the PRF. */
  salt: string
}
/** The part that must not be edited unnoticed. */
export interface About {
  /** Fixed at creation: the only address the wallet pays. */
  return_address: Hex
  created_at: number
  passkey: Passkey | null
  backed_up: boolean
  lock_minutes: number
  /** Whether calls whose effects are unknown are offered for consent; absent: they are refused. */
  unknown_calls?: boolean
}
/**
 * Web3 Secret Storage version 3, as `pit`, foundry and geth read it, with one more field that they ignore. The
 * same object is this browser's record and the backup file.
 */
export interface WalletFile extends Omit<Keystore.Keystore, 'crypto'> {
  crypto: Keystore.Keystore['crypto']
  /** Without 0x, as geth writes it. */
  address?: string
  /** Absent in a file of another program. */
  pit?: { about: About; mac: Hex }
}

/** geth's and pit's parameters. Each file names its own. */
export const SCRYPT = { n: 262_144, r: 8, p: 1 } as const
/** Larger parameters would only exhaust memory. */
const MAX_SCRYPT_BYTES = 1024 ** 3
const MAX_PBKDF2_ROUNDS = 10_000_000

export class WalletFault extends Error {
  readonly code: 'WRONG_SECRET' | 'CHANGED' | 'UNSUPPORTED'
  constructor(code: WalletFault['code'], message: string) {
    super(message)
    this.name = 'WalletFault'
    this.code = code
  }
}

export const addressOf = (key: Hex): Hex => privateKeyToAccount(key).address.toLowerCase() as Hex

/** Blocks for about a second: call it in the worker. */
export async function sealFile(
  key: Hex,
  secret: string,
  about: About,
  cost: { n: number; r: number; p: number } = SCRYPT,
): Promise<WalletFile> {
  const [derived, options] = Keystore.scrypt({ password: secret, ...cost })
  const file: WalletFile = { ...Keystore.encrypt(key, derived, options), address: addressOf(key).slice(2) }
  return withAbout(file, key, about)
}

/** The same keystore about which other things are true. */
export const withAbout = async (file: WalletFile, key: Hex, about: About): Promise<WalletFile> => ({
  ...file,
  pit: { about, mac: await macOf(file, key, about) },
})

/** The private key of an unchanged file. */
export async function openFile(file: WalletFile, secret: string): Promise<Hex> {
  const key = decrypted(file, secret)
  const address = addressOf(key)
  if (file.address !== undefined && `0x${file.address.replace(/^0x/, '').toLowerCase()}` !== address)
    throw new WalletFault('CHANGED', 'The file was changed: it names another address than its key has.')
  if (file.pit && (await macOf(file, key, file.pit.about)) !== file.pit.mac)
    throw new WalletFault(
      'CHANGED',
      'The wallet’s record was changed: its return address or settings do not belong to its key. ' +
        'Restore it from your backup.',
    )
  return key
}

function decrypted(file: WalletFile, secret: string): Hex {
  refuseCostly(file)
  try {
    const key = Keystore.decrypt(file as Keystore.Keystore, Keystore.toKey(file, { password: secret }))
    if (/^0x[0-9a-f]{64}$/.test(key)) return key
  } catch {
    // ox has one error for all of it.
  }
  throw new WalletFault('WRONG_SECRET', 'Wrong passphrase, or the file was changed.')
}

function refuseCostly({ crypto }: WalletFile): void {
  const {
    n = 0,
    r = 0,
    p = 0,
    c = 0,
    dklen,
  } = crypto.kdfparams as Partial<Record<'n' | 'r' | 'p' | 'c' | 'dklen', number>>
  const isPowerOfTwo = Number.isSafeInteger(n) && n > 1 && Number.isInteger(Math.log2(n))
  const isScrypt = isPowerOfTwo && r > 0 && p > 0 && 128 * n * r * p <= MAX_SCRYPT_BYTES
  const isPbkdf2 = Number.isSafeInteger(c) && c > 0 && c <= MAX_PBKDF2_ROUNDS
  if (dklen !== 32 || !(crypto.kdf === 'scrypt' ? isScrypt : isPbkdf2))
    throw new WalletFault('UNSUPPORTED', 'The keystore’s parameters are out of range.')
}

/** HMAC with a key derived from the wallet's own: only its owner can write another record. */
async function macOf({ pit: _, ...keystore }: WalletFile, key: Hex, about: About): Promise<Hex> {
  const bytes = new TextEncoder()
  const secret = Uint8Array.from(key.slice(2).match(/../g)!, (digits) => Number.parseInt(digits, 16))
  const base = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey'])
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array() }
  const macKey = await crypto.subtle.deriveKey(
    { ...derivation, info: bytes.encode('pit trading wallet record v1') },
    base,
    { name: 'HMAC', hash: 'SHA-256', length: 256 },
    false,
    ['sign'],
  )
  const text = canonicalJson({ keystore, about } as unknown as Json)
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', macKey, bytes.encode(text)))
  return `0x${[...mac].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** The text of a record or a file that a visitor hands in. */
export function parseFile(text: string): WalletFile {
  const unsupported = (why: string) => new WalletFault('UNSUPPORTED', `This is not a keystore file: ${why}.`)
  let file: WalletFile
  try {
    file = JSON.parse(text) as WalletFile
  } catch {
    throw unsupported('it is not valid JSON')
  }
  const sealed = file?.crypto
  const isKnown =
    file?.version === 3 && ['scrypt', 'pbkdf2'].includes(sealed?.kdf) && sealed.cipher === 'aes-128-ctr'
  if (!isKnown) throw unsupported('only version 3 with scrypt or pbkdf2 and aes-128-ctr is supported')
  if (file.address !== undefined && typeof file.address !== 'string')
    throw unsupported('its address is not text')
  if (file.pit !== undefined && !isAbout(file.pit.about)) throw unsupported('its own part is malformed')
  return file
}

const isAbout = (about: About | undefined): boolean =>
  about !== undefined &&
  isAddress(about.return_address, { strict: false }) &&
  Number.isSafeInteger(about.created_at) &&
  Number.isSafeInteger(about.lock_minutes) &&
  about.lock_minutes > 0 &&
  typeof about.backed_up === 'boolean' &&
  [undefined, true, false].includes(about.unknown_calls) &&
  (about.passkey === null || typeof about.passkey?.credential_id === 'string')

/** Why an address cannot be the return address; null if it can. */
export function returnFault(text: string, own: Hex | null): string | null {
  if (!isAddress(text, { strict: text !== text.toLowerCase() }))
    return 'Enter an address: 0x and 40 hex digits, copied in full.'
  if (/^0x0{40}$/.test(text)) return 'The zero address cannot receive anything back.'
  if (text.toLowerCase() === own) return 'Choose an address of another wallet.'
  return null
}

export const MIN_PASSPHRASE = 12
