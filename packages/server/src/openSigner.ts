import { readFileSync } from 'node:fs'
import type { Clock } from '@pit/platform/clock'
import { createSignerClient, type SignerClient } from '@pit/platform/signerClient'
import { type Config, ConfigError } from './config.ts'

const LEAST_SECRET_CHARS = 32

/** The way to the signing process; null where there is none. */
export function openSigner(signer: Config['signer'], clock: Clock): SignerClient | null {
  if (signer === null) return null
  const { url, secret } = signer
  const [name, text] =
    'text' in secret ? ['SIGNER_SECRET', secret.text] : ['SIGNER_SECRET_FILE', readSecret(secret.file)]
  if (text.length < LEAST_SECRET_CHARS) {
    throw new ConfigError(`${name} is too short: use at least ${LEAST_SECRET_CHARS} characters`)
  }
  return createSignerClient({ url, secret: text, clock })
}

function readSecret(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new ConfigError(
      `SIGNER_SECRET_FILE ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`,
    )
  }
}
