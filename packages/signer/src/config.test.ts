import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

const GIVEN = { SIGNER_SECRET: 's', SIGNER_PASSPHRASE_FILE: '/run/passphrase' }

describe('readConfig', () => {
  it('has defaults for all but the secrets', () => {
    expect(readConfig(GIVEN)).toMatchObject({
      port: 4664,
      dataDir: '.pit/signer',
      profileFile: '.pit/devnet/profile.json',
      rpcUrls: [],
      databaseUrl: null,
      secret: { name: 'SIGNER_SECRET', text: 's' },
      operatorSecret: null,
      maxHeadAgeS: 60,
      passphrase: { name: 'SIGNER_PASSPHRASE_FILE', file: '/run/passphrase' },
    })
  })

  it('prefers a node of its own', () => {
    const both = { ...GIVEN, PROFILE: 'p.json', CHAIN_RPC_URL: 'http://a', SIGNER_RPC_URL: 'http://b' }
    expect(readConfig(both).rpcUrls).toEqual(['http://b'])
    expect(readConfig({ ...both, SIGNER_RPC_URL: '' }).rpcUrls).toEqual(['http://a'])
  })

  it('knows what was chosen for the signer itself', () => {
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
