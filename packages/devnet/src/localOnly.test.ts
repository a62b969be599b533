import { expect, it } from 'vitest'
import { readConfig } from './config.ts'
import { refuseForeign } from './localOnly.ts'

const status = (headers: Record<string, string | undefined>, method = 'POST') =>
  refuseForeign({
    method,
    headers: { host: '127.0.0.1:8545', 'content-type': 'application/json', ...headers },
  })?.status ?? null

it('serves programs and pages of this machine', () => {
  for (const host of ['127.0.0.1:8545', 'localhost:8545', 'LOCALHOST', '[::1]:8545', '127.0.0.1'])
    expect(status({ host })).toBeNull()
  for (const origin of ['http://localhost:5173', 'http://127.0.0.1:4663', 'https://[::1]'])
    expect(status({ origin, 'sec-fetch-site': 'cross-site' })).toBeNull()
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=utf-8',
  ])
    expect(status({ 'content-type': type })).toBeNull()
  expect(status({ 'content-type': undefined }, 'GET')).toBeNull()
})

it('refuses a name that leads here from elsewhere', () => {
  for (const host of [
    undefined,
    '',
    'evil.example',
    'evil.example:8545',
    '127.0.0.1.evil.example',
    '10.0.0.5',
  ])
    expect(status({ host })).toBe(421)
  for (const host of ['127.0.0.1@evil.example', 'localhost.', 'a b', '0.0.0.0:8545'])
    expect(status({ host })).toBe(421)
})

it('refuses pages from elsewhere', () => {
  for (const origin of [
    'https://evil.example',
    'null',
    '',
    'http://localhost.evil.example',
    'http://10.0.0.5',
  ])
    expect(status({ origin })).toBe(403)
  expect(status({ 'sec-fetch-site': 'cross-site', 'content-type': undefined }, 'GET')).toBe(403)
  expect(status({ 'sec-fetch-site': 'same-origin' })).toBeNull()
})

it('rejects requests that a form can send without preflight', () => {
  for (const type of [undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonx'])
    expect(status({ 'content-type': type })).toBe(415)
})

it('listens on loopback whatever HOST is', () => {
  expect(readConfig({ HOST: '0.0.0.0' }).host).toBe('127.0.0.1')
})
