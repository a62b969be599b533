import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { challengeStatement, parseSiwe, refuseSiwe, type SiweFields, siweMessage } from './siwe.ts'

const FIELDS: SiweFields = {
  domain: 'pit.example:4663',
  address: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  statement: challengeStatement('sign-in'),
  uri: 'https://pit.example:4663',
  version: '1',
  chainId: 4663,
  nonce: '32891756abcdef01',
  issuedAtS: 1_700_000_000,
  expiresAtS: 1_700_000_300,
}
const TEXT = `pit.example:4663 wants you to sign in with your Ethereum account:
0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2

Sign in to Pit. Signing in accepts the Terms of Use.

URI: https://pit.example:4663
Version: 1
Chain ID: 4663
Nonce: 32891756abcdef01
Issued At: 2023-11-14T22:13:20Z
Expiration Time: 2023-11-14T22:18:20Z`

describe('siweMessage', () => {
  it('writes the EIP-4361 text byte for byte', () => {
    expect(siweMessage(FIELDS)).toBe(TEXT)
  })

  it('says what each purpose does', () => {
    expect(challengeStatement('sign-in')).toMatch(/signing in accepts the terms of use/i)
    expect(challengeStatement('revoke-all')).toMatch(/revokes all keys/i)
  })
})

describe('parseSiwe', () => {
  it('reads back what was written', () => {
    const chars = (alphabet: string, minLength: number, maxLength: number) =>
      fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength })
    const fields = fc.record({
      domain: chars('az09.-:', 1, 20),
      address: chars('0123456789abcdefABCDEF', 40, 40).map((digits) => `0x${digits}`),
      statement: fc.constantFrom(challengeStatement('sign-in'), challengeStatement('revoke-all')),
      uri: chars('az09/:?#%', 1, 40),
      version: fc.constant('1' as const),
      chainId: fc.constant(4663 as const),
      nonce: chars('azAZ09', 8, 64),
      issuedAtS: fc.integer({ min: 0, max: 4_102_444_800 }),
      expiresAtS: fc.integer({ min: 0, max: 4_102_444_800 }),
    })
    fc.assert(
      fc.property(fields, (given) => {
        expect(parseSiwe(siweMessage(given))).toEqual(given)
      }),
    )
  })

  it('refuses every single-character change of what it cannot rebuild', () => {
    fc.assert(
      fc.property(fc.nat(TEXT.length - 1), fc.constantFrom('\n', '\r', '\t', '\u00e9', ''), (at, other) => {
        const changed = TEXT.slice(0, at) + other + TEXT.slice(at + 1)
        const parsed = parseSiwe(changed)
        return parsed === null || siweMessage(parsed) === changed
      }),
    )
  })

  it.each([
    ['another chain', TEXT.replace('4663\nNonce', '1\nNonce')],
    ['another version', TEXT.replace('Version: 1', 'Version: 2')],
    ['a short nonce', TEXT.replace('32891756abcdef01', '3289175')],
    ['a line more', `${TEXT}\nRequest ID: x`],
    ['resources', `${TEXT}\nResources:\n- https://evil.example`],
    ['an impossible date', TEXT.replace('2023-11-14T22:18:20Z', '2023-02-30T22:18:20Z')],
    ['a local time', TEXT.replace('22:18:20Z', '22:18:20+01:00')],
    ['CRLF', TEXT.replaceAll('\n', '\r\n')],
    ['an empty text', ''],
  ])('refuses %s', (_, text) => {
    expect(parseSiwe(text)).toBeNull()
  })
})

describe('refuseSiwe', () => {
  const expected = {
    domain: FIELDS.domain,
    address: FIELDS.address.toLowerCase(),
    purpose: 'sign-in' as const,
    nonce: FIELDS.nonce as unknown,
    nowS: FIELDS.issuedAtS,
    maxAgeS: 300,
  }
  it('accepts the requested message', () => {
    expect(refuseSiwe(TEXT, expected)).toBeNull()
  })
  it.each([
    [{ domain: 'evil.example' }, 'names another domain'],
    [{ address: `0x${'11'.repeat(20)}` }, 'names another address'],
    [{ purpose: 'revoke-all' as const }, 'states another purpose'],
    [{ nonce: 'another0nonce' }, 'has another nonce than the challenge'],
    [{ nowS: FIELDS.expiresAtS }, 'has expired'],
    [{ nowS: FIELDS.issuedAtS - 10 }, 'expires too late'],
  ])('refuses %j', (change, why) => {
    expect(refuseSiwe(TEXT, { ...expected, ...change })).toBe(why)
  })
  it.each([
    'https://evil.example:4663',
    'https://pit.example.evil.example:4663',
    'https://pit.example:1',
    'https://pit.example:4663/accept?terms=all',
    'https://user@pit.example:4663',
    'ftp://pit.example:4663',
    'urn:pit',
  ])('refuses the URI %s', (uri) => {
    expect(refuseSiwe(siweMessage({ ...FIELDS, uri }), expected)).toBe('names a URI outside its domain')
  })

  it('takes any port of a domain that has none', () => {
    const text = siweMessage({ ...FIELDS, domain: 'localhost', uri: 'http://localhost:4663' })
    expect(refuseSiwe(text, { ...expected, domain: 'localhost' })).toBeNull()
  })

  it.each([[[TEXT]], [null], [{ toString: (): string => TEXT }]])(
    'refuses a message that is not a text',
    (message) => {
      expect(refuseSiwe(message, expected)).toBe('is not a sign-in message of this service')
    },
  )
})
