import { randomBytes } from 'node:crypto'
import { createCrypto, isLowS, splitSignature, tryHexToBytes } from '@pit/chain'
import { systemClock } from '@pit/platform/clock'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { grant, PINS } from '../../test/kit.ts'
import { ACCESS, KEY_ID, type KmsServer, REGION, startKms } from '../../test/kmsServer.ts'
import { createCosigner } from './createCosigner.ts'
import { openKmsKey } from './openKmsKey.ts'
import { signAwsRequest, signingKey } from './signAwsRequest.ts'

const crypto = await createCrypto()
const key = Buffer.from('12'.repeat(32), 'hex')
const digest = () => crypto.keccak256(randomBytes(8))

let kms: KmsServer
beforeEach(async () => {
  kms = await startKms({ crypto, key })
})
afterEach(() => kms.close())

const open = (change: Partial<Parameters<typeof openKmsKey>[0]> = {}) =>
  openKmsKey({
    url: kms.url,
    region: REGION,
    keyId: KEY_ID,
    crypto,
    clock: systemClock,
    readCredentials: () => ({ ...ACCESS, sessionToken: null }),
    timeoutMs: 300,
    ...change,
  })
const fails = (type: string, status = 400) => ({ type, status })

describe('a key in a KMS', () => {
  it('signs what its address recovers, s in the lower half whichever half the KMS gives', async () => {
    const opened = await open()
    expect(opened.address).toBe(crypto.addressOf(key))
    for (let i = 0; i < 20; i++) {
      const hash = digest()
      const signature = await opened.sign(hash)
      expect(crypto.recover(hash, signature)).toBe(opened.address)
      expect(isLowS(splitSignature(tryHexToBytes(signature)!)!.rs)).toBe(true)
    }
    expect(kms.calls.filter((name) => name === 'TrentService.Sign')).toHaveLength(20)
  })

  it('is the co-signer’s as a file’s is', async () => {
    const cosigner = createCosigner({ key: await open(), crypto })
    const { root } = grant()
    const first = await cosigner.sign(PINS.addresses, root)
    expect(crypto.recover(first.hash, first.signed.signature)).toBeDefined()
    // Repeated, the same bytes: the KMS itself would return others.
    expect(await cosigner.sign(PINS.addresses, root)).toEqual(first)
    cosigner.close()
    await expect(cosigner.sign(PINS.addresses, root)).rejects.toThrow('closed')
  })

  it('is retried if the KMS throttles, fails or does not answer', async () => {
    const opened = await open()
    kms.next.push(fails('ThrottlingException'), fails('KMSInternalException', 500), {
      ...fails(''),
      silent: true,
    })
    const hash = digest()
    expect(crypto.recover(hash, await opened.sign(hash))).toBe(opened.address)
    expect(opened.trouble()).toBeNull()
  })

  it('gives up in time, reports the reason without the KMS’s text, and signs again afterwards', async () => {
    const opened = await open()
    kms.next.push(...Array.from({ length: 4 }, () => fails('ThrottlingException')))
    await expect(opened.sign(digest())).rejects.toThrow(
      'the KMS did not sign: it answered 400, ThrottlingException',
    )
    expect(opened.trouble()).toContain('ThrottlingException')
    await opened.sign(digest())
    expect(opened.trouble()).toBeNull()
    for (const type of ['DisabledException', 'AccessDeniedException', 'KMSInvalidStateException']) {
      kms.next.push(fails(type))
      await expect(opened.sign(digest())).rejects.toThrow(type)
      expect(kms.next).toEqual([])
    }
    kms.next.push({ status: 400, type: '', body: `{"__type":"${'x'.repeat(5_000)}"}` })
    await expect(opened.sign(digest())).rejects.toThrow(/unknown error$/)
  })

  it('is rejected if it signs with another key or returns no signature', async () => {
    const opened = await open()
    kms.signWith(Buffer.from('34'.repeat(32), 'hex'))
    await expect(opened.sign(digest())).rejects.toThrow('another key than at the start')
    for (const signature of ['', 'AAAA', Buffer.from('3006020100020100', 'hex').toString('base64')]) {
      kms.next.push({ status: 200, type: '', body: JSON.stringify({ Signature: signature }) })
      await expect(opened.sign(digest())).rejects.toThrow(/no signature|another key/)
    }
    kms.next.push({ status: 200, type: '', body: 'not JSON' })
    await expect(opened.sign(digest())).rejects.toThrow('the KMS did not sign')
  })

  it('is refused at the start if it is of another kind, missing, or not accessible', async () => {
    const secretKey = 'another secret key'
    await expect(open({ keyId: 'other' })).rejects.toThrow('NotFoundException')
    await expect(
      open({ readCredentials: () => ({ ...ACCESS, secretKey, sessionToken: null }) }),
    ).rejects.toThrow('InvalidSignatureException')
    for (const kind of [{ spec: 'ECC_NIST_P256' }, { usage: 'ENCRYPT_DECRYPT' }]) {
      const other = await startKms({ crypto, key, ...kind })
      await expect(open({ url: other.url })).rejects.toThrow('a key of another kind')
      await other.close()
    }
  })

  it('reads temporary credentials anew when they have ended', async () => {
    const tokens = ['first', 'second']
    const readCredentials = () => ({ ...ACCESS, sessionToken: tokens.shift() ?? 'none' })
    kms.tokens.accepted = 'first'
    const opened = await open({ readCredentials })
    kms.tokens.accepted = 'second'
    const hash = digest()
    expect(crypto.recover(hash, await opened.sign(hash))).toBe(opened.address)
  })
})

it('names scope, time and headers of a signed request as Signature Version 4 has them', () => {
  const headers = signAwsRequest(
    {
      url: new URL('https://kms.eu-central-1.amazonaws.com/'),
      service: 'kms',
      region: REGION,
      target: 'TrentService.Sign',
      body: '{}',
      atMs: Date.UTC(2015, 7, 30, 12, 36, 0),
    },
    { ...ACCESS, sessionToken: null },
  )
  expect(headers['x-amz-date']).toBe('20150830T123600Z')
  expect(headers['authorization']).toContain('Credential=AKIDEXAMPLE/20150830/eu-central-1/kms/aws4_request')
  expect(headers['authorization']).toContain('SignedHeaders=content-type;host;x-amz-date;x-amz-target')
})

it('makes the signing key that AWS publishes as an example', () => {
  const made = signingKey(ACCESS.secretKey, { date: '20150830', region: 'us-east-1', service: 'iam' })
  expect(made.toString('hex')).toBe('c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9')
})
