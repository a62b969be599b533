import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { signerEnvironment } from './signerSecrets.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'pit-secrets-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

it('creates the secrets of a devnet’s signer and server, readable by this user only', () => {
  const made = signerEnvironment({ dataDir, env: {}, chain: 'devnet' })
  if ('why' in made) throw new Error(made.why)
  expect(made.forServer).toEqual({
    SIGNER_URL: 'http://127.0.0.1:4664',
    SIGNER_SECRET_FILE: join(dataDir, 'signer', 'secret'),
  })
  expect(Object.keys(made.forSigner).sort()).toEqual([
    'SIGNER_OPERATOR_SECRET_FILE',
    'SIGNER_PASSPHRASE_FILE',
    'SIGNER_SECRET_FILE',
  ])
  for (const file of Object.values(made.forSigner)) expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('starts no signer under the server’s user on a real chain, whatever is set for one', () => {
  const env = { SIGNER_PASSPHRASE_FILE: '/etc/pit/passphrase', SIGNER_SECRET_FILE: '/etc/pit/secret' }
  expect(signerEnvironment({ dataDir, env, chain: 'real' })).toEqual({
    why: expect.stringContaining('under a separate user'),
  })
  expect(existsSync(join(dataDir, 'signer'))).toBe(false)
  const elsewhere = { ...env, SIGNER_URL: 'http://10.0.0.2:4664' }
  expect(signerEnvironment({ dataDir, env: elsewhere, chain: 'real' })).toEqual({
    why: 'using the signer at http://10.0.0.2:4664',
  })
})
