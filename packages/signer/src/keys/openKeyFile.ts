import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Crypto, serializeSignature } from '@pit/chain'
import { readOwnFile } from '@pit/platform/settings'
import { KeyError, openKey, parseSealed, type SealedKey, sealKey } from './sealKey.ts'
import type { SigningKey } from './signingKey.ts'

const FILE = 'cosigner.json'

/** The key's file in the signer's folder. */
export const keyFileIn = (dataDir: string): string => join(dataDir, 'keys', FILE)

/** Opens the key file, or creates and seals a key at the first start. */
export async function openKeyFile({
  dataDir,
  passphrase,
  importKeyFile,
  crypto,
}: {
  dataDir: string
  passphrase: string
  importKeyFile: string | null
  crypto: Crypto
}): Promise<SigningKey & { isNew: boolean }> {
  mkdirSync(join(dataDir, 'keys'), { recursive: true, mode: 0o700 })
  const file = keyFileIn(dataDir)
  const isNew = !existsSync(file)
  const key = isNew
    ? await makeKey({ file, passphrase, importKeyFile, crypto })
    : await reopenKey({ file, passphrase, importKeyFile, crypto })
  let open = true
  return {
    address: crypto.addressOf(key),
    isNew,
    async sign(digest) {
      if (!open) throw new Error('the co-signer’s key is closed')
      return serializeSignature(crypto.sign(digest, key))
    },
    trouble: () => null,
    close() {
      open = false
      key.fill(0)
    },
  }
}

type KeyFileParams = { file: string; passphrase: string; importKeyFile: string | null; crypto: Crypto }

async function reopenKey({ file, passphrase, importKeyFile, crypto }: KeyFileParams): Promise<Buffer> {
  const sealed = readSealed(file)
  if (importKeyFile !== null) {
    throw new KeyError(
      `there is a co-signer’s key already (${sealed.address}): ` +
        `unset SIGNER_IMPORT_KEY_FILE, or move ${file} away`,
    )
  }
  const key = await openKey(sealed, { passphrase })
  if (crypto.addressOf(key) === sealed.address) return key
  key.fill(0)
  throw new KeyError(`the co-signer’s key in ${file} does not match the address in the file`)
}

async function makeKey({ file, passphrase, importKeyFile, crypto }: KeyFileParams): Promise<Buffer> {
  const key = importKeyFile === null ? randomKey(crypto) : readImport(importKeyFile, crypto)
  const sealed = await sealKey(key, { address: crypto.addressOf(key), passphrase })
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, `${JSON.stringify(sealed, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true })
    // Atomic and never overwrites: of two concurrent starts the second fails.
    linkSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
  return key
}

/** A secp256k1 private key. */
export function randomKey(crypto: Crypto): Buffer {
  for (;;) {
    const key = randomBytes(32)
    if (isKey(key, crypto)) return key
  }
}

function readImport(path: string, crypto: Crypto): Buffer {
  const text = readOwnFile('SIGNER_IMPORT_KEY_FILE', path)
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)?.[1]
  const key = digits === undefined ? null : Buffer.from(digits, 'hex')
  if (!key || !isKey(key, crypto))
    throw new KeyError(`SIGNER_IMPORT_KEY_FILE ${path} does not contain a private key`)
  return key
}

function isKey(key: Uint8Array, crypto: Crypto): boolean {
  try {
    crypto.addressOf(key)
    return true
  } catch {
    return false
  }
}

function readSealed(file: string): SealedKey {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new KeyError(`the co-signer’s key file ${file} cannot be read`)
  }
  return parseSealed(value)
}
