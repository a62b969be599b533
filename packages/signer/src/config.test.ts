import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

const GIVEN = { SIGNER_SECRET: 's', SIGNER_PASSPHRASE_FILE: '/run/passphrase' }

describe('readConfig', () => {
  it('has defaults for all but the secrets', () => {
    expect(readConfig(GIVEN)).toMatchObject({
      listen: { kind: 'loopback', port: 4664 },
      dataDir: '.pit/signer',
      profileFile: '.pit/devnet/profile.json',
      rpcUrls: [],
      databaseUrl: null,
      secret: { name: 'SIGNER_SECRET', text: 's' },
      operatorSecret: null,
      maxHeadAgeS: 60,
      passphrase: { name: 'SIGNER_PASSPHRASE_FILE', file: '/run/passphrase', isCredential: false },
      kms: null,
    })
  })

  it('prefers its own node', () => {
    const both = { ...GIVEN, PROFILE: 'p.json', CHAIN_RPC_URL: 'http://a', SIGNER_RPC_URL: 'http://b' }
    expect(readConfig(both).rpcUrls).toEqual(['http://b'])
    expect(readConfig({ ...both, SIGNER_RPC_URL: '' }).rpcUrls).toEqual(['http://a'])
  })

  it('marks the settings made for the signer itself', () => {
    expect(readConfig({ ...GIVEN, PROFILE: 'p.json' })).toMatchObject({
      profileFile: 'p.json',
      ownFiles: { SIGNER_PROFILE: false, SIGNER_SANCTIONS_FILE: false },
    })
    const own = { ...GIVEN, PROFILE: 'p.json', SIGNER_PROFILE: 'mine.json', SIGNER_SANCTIONS_FILE: 's.txt' }
    expect(readConfig(own)).toMatchObject({
      profileFile: 'mine.json',
      sanctionsFile: 's.txt',
      ownFiles: { SIGNER_PROFILE: true, SIGNER_SANCTIONS_FILE: true },
    })
  })

  it('listens on a socket file, or over TLS with three files', () => {
    const tls = { SIGNER_TLS_CERT_FILE: '/c', SIGNER_TLS_KEY_FILE: '/k', SIGNER_TLS_CLIENT_CA_FILE: '/a' }
    const listen = (env: object) => readConfig({ ...GIVEN, ...env }).listen
    expect(listen({ SIGNER_LISTEN: 'unix:/run/s.sock' })).toEqual({ kind: 'socket', path: '/run/s.sock' })
    expect(listen({ SIGNER_LISTEN: 'https://0.0.0.0:4700', ...tls })).toMatchObject({
      kind: 'tls',
      host: '0.0.0.0',
      port: 4_700,
      key: { file: '/k' },
    })
    expect(() => listen({ SIGNER_LISTEN: 'https://0.0.0.0:4700' })).toThrow('SIGNER_TLS_CERT_FILE is not set')
    expect(() => listen(tls)).toThrow('SIGNER_TLS_CERT_FILE is set, but SIGNER_LISTEN is not https')
    for (const url of ['http://0.0.0.0:4664', 'unix:s.sock', '0.0.0.0'])
      expect(() => listen({ SIGNER_LISTEN: url })).toThrow(`SIGNER_LISTEN is "${url}"`)
  })

  it('finds its key in a KMS if all its settings are set', () => {
    const kms = {
      SIGNER_KMS_KEY_ID: 'alias/cosigner',
      SIGNER_KMS_REGION: 'eu-central-1',
      SIGNER_KMS_ACCESS_KEY_ID: 'AKID',
      SIGNER_KMS_SECRET_KEY_FILE: '/run/kms',
    }
    expect(readConfig({ ...GIVEN, ...kms }).kms).toMatchObject({
      url: 'https://kms.eu-central-1.amazonaws.com',
      keyId: 'alias/cosigner',
      secretKey: { file: '/run/kms' },
      sessionToken: null,
    })
    for (const name of ['SIGNER_KMS_REGION', 'SIGNER_KMS_ACCESS_KEY_ID'] as const)
      expect(() => readConfig({ ...GIVEN, ...kms, [name]: '' })).toThrow(`${name} is not set`)
    expect(() => readConfig({ ...GIVEN, ...kms, SIGNER_KMS_SECRET_KEY_FILE: '' })).toThrow(
      'SIGNER_KMS_SECRET_KEY is not set',
    )
    expect(() => readConfig({ ...GIVEN, ...kms, SIGNER_IMPORT_KEY_FILE: '/k' })).toThrow(
      'SIGNER_IMPORT_KEY_FILE',
    )
  })

  it.each([
    [{ SIGNER_SECRET: '' }, 'SIGNER_SECRET is not set: set it or SIGNER_SECRET_FILE'],
    [{ SIGNER_PASSPHRASE_FILE: '' }, 'SIGNER_PASSPHRASE is not set'],
    [{ SIGNER_PASSPHRASE: 'x' }, 'are both set'],
    [{ SIGNER_PORT: '70000' }, 'SIGNER_PORT is "70000"'],
    [{ SIGNER_MAX_IN_FLIGHT: '0' }, 'SIGNER_MAX_IN_FLIGHT'],
    [{ SIGNER_MAX_HEAD_AGE_S: '3601' }, 'use a whole number from 5 to 3600'],
    [{ DEVNET_STOCK_SESSION: 'never' }, 'use one of hours, always'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    [{ ALLOW_EMBEDDED_STORE: 'maybe' }, 'use 1 or 0'],
    [{ CHAIN_RPC_URL: 'http://a' }, 'PROFILE is not set'],
  ])('stops at %j', (change, message) => expect(() => readConfig({ ...GIVEN, ...change })).toThrow(message))
})
