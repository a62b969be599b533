import { describe, expect, it } from 'vitest'
import { isPublicAddress } from './addresses.ts'
import { createResolve, findTarget, urlProblem } from './target.ts'

describe('allowed webhook addresses', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '93.184.216.34',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ])('takes %s', (address) => expect(isPublicAddress(address)).toBe(true))
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '192.0.0.8',
    '198.18.0.1',
    '203.0.113.7',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::8.8.8.8',
    '64:ff9b::808:808',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'not an address',
    '',
  ])('refuses %s', (address) => expect(isPublicAddress(address)).toBe(false))
})

describe('a webhook URL', () => {
  it.each([
    'https://example.com/hook',
    'https://example.com:8443/hook?x=1',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]:99/',
  ])('takes %s', (url) => expect(urlProblem(url, 'public')).toBeUndefined())
  it.each([
    ['http://example.com/', 'https'],
    ['ftp://example.com/', 'http or https'],
    ['https://user:pass@example.com/', 'credentials'],
    ['https://user@example.com/', 'credentials'],
    ['https://127.0.0.1/', 'public'],
    ['https://2130706433/', 'public'],
    ['https://0x7f.1/', 'public'],
    ['https://0177.0.0.1/', 'public'],
    ['https://[::1]/', 'public'],
    ['https://[::ffff:8.8.8.8]/', 'public'],
    ['https://localhost/', 'public'],
    ['https://a.localhost/', 'public'],
    ['https://169.254.169.254/latest/meta-data', 'public'],
    ['nonsense', 'not a valid URL'],
  ])('refuses %s', (url, why) => expect(urlProblem(url, 'public')).toContain(why))
  it('may be loopback on a devnet, but no other private address', () => {
    expect(urlProblem('http://127.0.0.1:9000/', 'public and loopback')).toBeUndefined()
    expect(urlProblem('http://localhost:9000/', 'public and loopback')).toBeUndefined()
    expect(urlProblem('http://10.0.0.1/', 'public and loopback')).toContain('public')
    expect(urlProblem('http://example.com/', 'public and loopback')).toContain('https')
  })
})

describe('resolving a webhook’s name', () => {
  const at = (...addresses: string[]) => findTarget('https://hook.example/', 'public', async () => addresses)
  it('connects to the address it checked', async () => {
    expect(await at('93.184.216.34')).toMatchObject({ ok: true, address: '93.184.216.34' })
  })
  it('prefers IPv4, and resolves localhost without DNS', async () => {
    expect(await at('2606:4700::1111', '1.1.1.1')).toMatchObject({ ok: true, address: '1.1.1.1' })
    expect(await createResolve()('localhost')).toEqual(['127.0.0.1'])
  })
  it.each([['127.0.0.1'], ['169.254.169.254'], ['::ffff:10.0.0.1'], ['fd00::1']])(
    'refuses %s',
    async (address) => {
      expect(await at(address)).toMatchObject({ ok: false, gone: false })
    },
  )
  it('refuses a private address among public ones', async () => {
    expect(await at('93.184.216.34', '10.0.0.1')).toMatchObject({ ok: false, gone: false })
  })
  it('reports a name without addresses', async () => {
    expect(await at()).toMatchObject({ ok: false, gone: true })
    const target = findTarget('https://hook.example/', 'public', () => Promise.reject(new Error('ENOTFOUND')))
    expect(await target).toMatchObject({ ok: false, gone: true })
  })
  it('rejects plain http to a name that resolves to a public address', async () => {
    const target = findTarget('http://localhost/', 'public and loopback', async () => ['93.184.216.34'])
    expect(await target).toMatchObject({ ok: false })
  })
})
