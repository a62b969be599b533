import { createCipheriv, createDecipheriv } from 'node:crypto'

/** AES-256-GCM under the server's key. The row name is authenticated: a text opens only in its own row. */
export interface Seal {
  seal(text: string, row: string): Uint8Array
  /** Throws if the text was sealed under another key or for another row. */
  open(sealed: Uint8Array, row: string): string
}

const VERSION = 1
const IV_BYTES = 12
const TAG_BYTES = 16
export const SEAL_KEY_BYTES = 32

export function createSeal(key: Uint8Array, randomBytes: (size: number) => Uint8Array): Seal {
  if (key.length !== SEAL_KEY_BYTES) throw new Error(`a sealing key has ${SEAL_KEY_BYTES} bytes`)
  return {
    seal(text, row) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      cipher.setAAD(Buffer.from(row, 'utf8'))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Uint8Array.of(VERSION), iv, cipher.getAuthTag(), body])
    },
    open(sealed, row) {
      const bytes = Buffer.from(sealed)
      if (bytes[0] !== VERSION || bytes.length < 1 + IV_BYTES + TAG_BYTES)
        throw new Error('not a sealed text')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + IV_BYTES))
      decipher.setAAD(Buffer.from(row, 'utf8'))
      decipher.setAuthTag(bytes.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES))
      const body = bytes.subarray(1 + IV_BYTES + TAG_BYTES)
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
    },
  }
}
