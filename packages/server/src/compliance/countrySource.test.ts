import { expect, it } from 'vitest'
import { configFor, readConfig } from '../config.ts'
import { refuseWithoutCountry } from './countrySource.ts'

const start = (kind: 'devnet' | 'mainnet', env: Record<string, string>) =>
  refuseWithoutCountry({ kind, name: 'real' }, configFor(readConfig(env), { kind }))

it.each([
  {},
  { GEO: '' },
  { GEO_HEADER: 'x-country' },
  { TRUSTED_PROXIES: '10.0.0.1' },
  { GEO_HEADER: '', TRUSTED_PROXIES: '10.0.0.1' },
  { GEO_HEADER: 'x-country', TRUSTED_PROXIES: '' },
])('refuses to start off a devnet with %j, and names the cure', (env) => {
  expect(() => start('mainnet', env as Record<string, string>)).toThrow(
    /no country source on real.*GEO_DB.*GEO_HEADER.*GEO=none/,
  )
  start('devnet', env as Record<string, string>)
})

it.each([
  { GEO: 'none' },
  { GEO_DB: '/etc/pit/geo.mmdb' },
  { GEO_HEADER: 'x-country', TRUSTED_PROXIES: '10.0.0.1' },
])('starts off a devnet with %j', (env) => start('mainnet', env as Record<string, string>))

it('accepts only none as GEO', () => {
  expect(() => readConfig({ GEO: 'off' })).toThrow('GEO is "off": use none')
})
