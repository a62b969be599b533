import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Environment = Record<string, string | undefined>
type Handed = { forSigner: Record<string, string>; forServer: Record<string, string> }

/**
 * Which of the signer's settings a process may know: its keys, its ledger and its operator are private to the
 * signer.
 */
const KNOWN_TO: Record<string, readonly string[]> = {
  server: [
    ...['SIGNER_URL', 'SIGNER_SECRET', 'SIGNER_SECRET_FILE'],
    ...['SIGNER_CA_FILE', 'SIGNER_CLIENT_CERT_FILE', 'SIGNER_CLIENT_KEY_FILE'],
  ],
}

/** The environment of a process that is not the signer. */
export function withoutSigner(env: Environment, name: string): Environment {
  const allowedKeys = KNOWN_TO[name] ?? []
  return Object.fromEntries(
    Object.entries(env).filter(([key]) => !key.startsWith('SIGNER_') || allowedKeys.includes(key)),
  )
}

/**
 * Settings with which signer and server find and trust each other. On a devnet the secrets are created here
 * and stored under DATA_DIR. On a real chain no signer is started here: the server's user could read its key,
 * and so could an attacker who compromises the server.
 */
export function signerEnvironment({
  dataDir,
  env,
  chain,
}: {
  dataDir: string
  env: Environment
  chain: 'devnet' | 'real'
}): Handed | { why: string } {
  if (env['SIGNER_URL']) return { why: `using the signer at ${env['SIGNER_URL']}` }
  if (chain === 'real') {
    return {
      why:
        'no signer is started here: on a real chain it runs under a separate user (docs/reference/signer.md); ' +
        'SIGNER_URL and SIGNER_SECRET_FILE name it',
    }
  }
  const hasPassphrase = Boolean(env['SIGNER_PASSPHRASE'] || env['SIGNER_PASSPHRASE_FILE'])
  const folder = join(dataDir, 'signer')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const forSigner: Record<string, string> = {}
  if (!hasPassphrase) forSigner['SIGNER_PASSPHRASE_FILE'] = made(join(folder, 'passphrase'))
  if (!env['SIGNER_OPERATOR_SECRET'] && !env['SIGNER_OPERATOR_SECRET_FILE']) {
    forSigner['SIGNER_OPERATOR_SECRET_FILE'] = made(join(folder, 'operator-secret'))
  }
  const port = env['SIGNER_PORT'] || '4664'
  const forServer: Record<string, string> = { SIGNER_URL: `http://127.0.0.1:${port}` }
  if (!env['SIGNER_SECRET'] && !env['SIGNER_SECRET_FILE']) {
    const file = made(join(folder, 'secret'))
    forSigner['SIGNER_SECRET_FILE'] = file
    forServer['SIGNER_SECRET_FILE'] = file
  }
  return { forSigner, forServer }
}

/** A file with a generated secret, readable by this user only; an existing one is reused. */
function made(file: string): string {
  try {
    writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return file
}
