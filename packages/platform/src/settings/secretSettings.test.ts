import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readSecretText, secretFile, secretSetting, withSecretsRead } from './secretSettings.ts'

const folder = mkdtempSync(join(tmpdir(), 'pit-credentials-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function put(name: string, text: string, mode = 0o600): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}
const read = (env: Record<string, string>, name = 'SEAL_KEY') => {
  const setting = secretSetting(env, name)
  return setting && readSecretText(setting)
}

describe('a secret setting', () => {
  it('is its text, its file, or a credential of that name, in this order', () => {
    const file = put('by-file', 'of a file\n')
    put('SEAL_KEY', 'of the service manager\n', 0o400)
    expect(read({})).toBeNull()
    expect(read({ SEAL_KEY: 'plain', CREDENTIALS_DIRECTORY: folder })).toBe('plain')
    expect(read({ SEAL_KEY_FILE: file, CREDENTIALS_DIRECTORY: folder })).toBe('of a file')
    expect(read({ CREDENTIALS_DIRECTORY: folder })).toBe('of the service manager')
    expect(read({ CREDENTIALS_DIRECTORY: folder }, 'OTHER')).toBeNull()
    expect(() => read({ SEAL_KEY: 'x', SEAL_KEY_FILE: file })).toThrow(
      'SEAL_KEY and SEAL_KEY_FILE are both set',
    )
  })

  it('is rejected if other users can read it, without showing it', () => {
    const file = put('open', 'hunter2', 0o644)
    expect(() => read({ SEAL_KEY_FILE: file })).toThrow(`SEAL_KEY_FILE ${file} is open to other users`)
    expect(() => read({ SEAL_KEY_FILE: file })).not.toThrow('hunter2')
    put('OPEN', 'hunter2', 0o644)
    expect(() => read({ CREDENTIALS_DIRECTORY: folder }, 'OPEN')).toThrow('is open to other users')
  })

  it('applies to addresses that contain a password', () => {
    const file = put('url', 'postgresql://pit:secret@db/pit\n')
    const env = withSecretsRead({ DATABASE_URL_FILE: file, PORT: '1' }, ['DATABASE_URL', 'REDIS_URL'])
    expect(env).toEqual({
      DATABASE_URL_FILE: file,
      PORT: '1',
      DATABASE_URL: 'postgresql://pit:secret@db/pit',
    })
  })

  // systemd grants a unit's user access to root's file by an ACL that shows as group permission.
  it.runIf(process.getuid?.() === 0)('may be owned by root among the credentials only', () => {
    const NOBODY = 65_534
    const file = put('TOKEN', 'handed over', 0o440)
    const elsewhere = secretFile({ A_FILE: file }, 'A_FILE')!
    const handed = secretFile({ A_FILE: file, CREDENTIALS_DIRECTORY: folder }, 'A_FILE')!
    expect(() => readSecretText(elsewhere)).toThrow('is open to other users (mode 0440)')
    chownSync(file, NOBODY, NOBODY)
    expect(() => readSecretText(handed)).toThrow(`belongs to user ${NOBODY}`)
    const own = process.getuid
    try {
      process.getuid = () => 1_000
      chownSync(file, 0, 0)
      expect(readSecretText(handed)).toBe('handed over')
      chmodSync(file, 0o444)
      expect(() => readSecretText(handed)).toThrow('is open to other users (mode 0444)')
    } finally {
      process.getuid = own!
    }
  })
})
