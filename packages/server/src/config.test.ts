import { StartRefused } from '@pit/platform/settings'
import { CAPS } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { configFor, readConfig } from './config.ts'
import { SETTINGS, type SettingName } from './settings.ts'

const refused = (env: Record<string, string>): string => {
  try {
    readConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(StartRefused)
    return (error as Error).message
  }
  return 'was not refused'
}

describe('an empty setting', () => {
  const MEANT = ['AUTH_DOMAIN', 'TRUSTED_PROXIES', 'GEO_HEADER', 'GEO_REGION_HEADER']
  const unset = readConfig({})
  it.each(Object.keys(SETTINGS) as SettingName[])(
    '%s= means not set, or has a documented meaning',
    (name) => {
      const empty = readConfig({ [name]: ' ' })
      if (MEANT.includes(name)) expect(empty).not.toEqual(unset)
      else expect(empty).toEqual(unset)
      if (MEANT.includes(name)) expect(SETTINGS[name].means).toContain('Empty: ')
    },
  )
  it('is listed if it has a meaning', () => {
    expect(readConfig({ HOST: '', DATA_DIR: '' })).toMatchObject({ host: '127.0.0.1', dataDir: '.pit' })
    expect(readConfig({ AUTH_DOMAIN: '' }).authDomain).toBeNull()
    expect(readConfig({ TRUSTED_PROXIES: '' }).trustedProxies).toEqual([])
  })
})

describe('off a devnet', () => {
  const on = (kind: 'devnet' | 'mainnet', env: Record<string, string> = {}) => {
    const { authDomain, trustedProxies } = configFor(readConfig(env), { kind })
    return { authDomain, trustedProxies }
  }
  it('trusts no proxy and has no domain by default', () => {
    expect(on('devnet')).toEqual({ authDomain: 'localhost', trustedProxies: ['127.0.0.0/8', '::1'] })
    expect(on('mainnet')).toEqual({ authDomain: null, trustedProxies: [] })
    const chosen = { AUTH_DOMAIN: 'localhost', TRUSTED_PROXIES: '127.0.0.1' }
    expect(on('mainnet', chosen)).toEqual({ authDomain: 'localhost', trustedProxies: ['127.0.0.1'] })
  })
})

it.each([
  [{ AUTH_DOMAIN: 'pit.example' }, 'http://pit.example:4663'],
  [{ AUTH_DOMAIN: 'a:8443' }, 'http://a:8443'],
  [{ AUTH_DOMAIN: '[::1]' }, 'http://[::1]:4663'],
  [{ AUTH_DOMAIN: '' }, 'http://localhost:4663'],
  [{ AUTH_DOMAIN: 'pit.example', PUBLIC_URL: 'https://Pit.Example/' }, 'https://pit.example'],
])('%j has the origin %s', (env, publicUrl) => {
  expect(readConfig(env as Record<string, string>).publicUrl).toBe(publicUrl)
})

it.each([
  ['PUBLIC_URL', 'pit.example'],
  ['PUBLIC_URL', 'ftp://pit.example'],
  ['PUBLIC_URL', 'https://pit.example/app'],
  ['PUBLIC_URL', 'https://user@pit.example'],
  ['AUTH_DOMAIN', 'https://pit.example'],
  ['AUTH_DOMAIN', 'pit.example/x'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['TRUSTED_PROXIES', 'proxy.example'],
  ['ALLOWED_HOSTS', 'a b'],
  ['LOG_LEVEL', 'loud'],
  ['PORT', '70000'],
  ['DEV_FIELDS', 'maybe'],
])('%s=%s is rejected by name', (name, value) => {
  expect(refused({ [name]: value })).toMatch(new RegExp(`^${name}`))
})

it('has the caps of the contract for defaults', () => {
  expect(readConfig({}).caps).toEqual({
    signupsPerAddressDay: CAPS.signup.perAddressPerDay,
    signupsPerHour: CAPS.signup.overallPerHour,
    keysPerAddressDay: CAPS.keys.perAddressPerDay,
    keysPerHour: CAPS.keys.overallPerHour,
  })
})
