import { expect, it } from 'vitest'
import { signerWayOf } from './signerWay.ts'

const TLS = { SIGNER_CA_FILE: '/a', SIGNER_CLIENT_CERT_FILE: '/b', SIGNER_CLIENT_KEY_FILE: '/c' }

it('is loopback, a socket file, or https with three files', () => {
  expect(signerWayOf({}, 'http://127.0.0.1:4664')).toEqual({ url: 'http://127.0.0.1:4664', tls: null })
  expect(signerWayOf({}, 'unix:/run/s.sock')).toEqual({ url: 'unix:/run/s.sock', tls: null })
  expect(signerWayOf(TLS, 'https://signer.example').tls).toMatchObject({ key: { file: '/c' } })
})

it.each([
  [{}, 'https://signer.example', 'SIGNER_CA_FILE is not set'],
  [{ ...TLS, SIGNER_CLIENT_KEY_FILE: '' }, 'https://signer.example', 'SIGNER_CLIENT_KEY_FILE is not set'],
  [TLS, 'http://127.0.0.1:4664', 'SIGNER_CA_FILE is set, but SIGNER_URL is not https'],
  [{}, 'unix:signer.sock', 'SIGNER_URL is "unix:signer.sock"'],
  [{}, 'ftp://signer', 'SIGNER_URL is "ftp://signer"'],
])('rejects %j with %s', (env, url, words) => expect(() => signerWayOf(env, url)).toThrow(words))
