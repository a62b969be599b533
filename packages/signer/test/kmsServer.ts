import { createECDH, createHash, createHmac, createPublicKey } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Crypto } from '@pit/chain'

/** A KMS like AWS's: its wire format, an independent signature check, its refusals. */
export interface KmsServer {
  url: string
  /** Every accepted call, by its name. */
  calls: string[]
  /** Scripted responses for the next calls, one each. */
  next: { status: number; type: string; body?: string; silent?: boolean }[]
  /** Changes the key it signs with; the public key it returns stays. */
  signWith(key: Uint8Array): void
  tokens: { accepted: string | null }
  close(): Promise<void>
}

export const ACCESS = { accessKeyId: 'AKIDEXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
export const KEY_ID = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'
export const REGION = 'eu-central-1'

export async function startKms({
  crypto,
  key,
  spec = 'ECC_SECG_P256K1',
  usage = 'SIGN_VERIFY',
}: {
  crypto: Crypto
  key: Uint8Array
  spec?: string
  usage?: string
}): Promise<KmsServer> {
  const calls: string[] = []
  const next: KmsServer['next'] = []
  const tokens: KmsServer['tokens'] = { accepted: null }
  let signing = key
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    const scripted = next.shift()
    if (scripted?.silent) return
    const send = (status: number, value: object | string) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
      response.end(typeof value === 'string' ? value : JSON.stringify(value))
    }
    if (scripted)
      return send(scripted.status, scripted.body ?? { __type: scripted.type, message: 'as the test says' })
    const fault = signatureFault(request, body)
    if (fault) return send(400, { __type: 'com.amazonaws.kms#InvalidSignatureException', message: fault })
    if ((request.headers['x-amz-security-token'] ?? null) !== tokens.accepted)
      return send(400, { __type: 'ExpiredTokenException', message: 'expired' })
    const target = String(request.headers['x-amz-target'])
    const params = JSON.parse(body) as Record<string, string>
    calls.push(target)
    if (params['KeyId'] !== KEY_ID) return send(400, { __type: 'NotFoundException', message: 'no such key' })
    if (target === 'TrentService.GetPublicKey')
      return send(200, {
        KeyId: KEY_ID,
        PublicKey: spkiOf(key).toString('base64'),
        KeySpec: spec,
        KeyUsage: usage,
        SigningAlgorithms: ['ECDSA_SHA_256'],
      })
    const digest = Buffer.from(params['Message'] ?? '', 'base64')
    const isRight = params['MessageType'] === 'DIGEST' && params['SigningAlgorithm'] === 'ECDSA_SHA_256'
    if (target !== 'TrentService.Sign' || !isRight || digest.length !== 32)
      return send(400, { __type: 'ValidationException', message: 'not as the API says' })
    const signature = derOf(crypto, digest, signing, calls.length % 2 === 0)
    send(200, { KeyId: KEY_ID, Signature: signature.toString('base64'), SigningAlgorithm: 'ECDSA_SHA_256' })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    calls,
    next,
    tokens,
    signWith: (other) => {
      signing = other
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The check of AWS: from the received request, by its scope and signed headers. */
function signatureFault({ headers, url }: IncomingMessage, body: string): string | null {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
  const [, access, day, region, service, names = '', given] = form.exec(headers.authorization ?? '') ?? []
  if (access !== ACCESS.accessKeyId) return 'no such access key'
  const time = String(headers['x-amz-date'])
  if (region !== REGION || service !== 'kms' || day !== time.slice(0, 8)) return 'another scope'
  const needed = ['host', 'x-amz-date', 'x-amz-target']
  if (headers['x-amz-security-token'] !== undefined) needed.push('x-amz-security-token')
  const signed = names.split(';')
  if (needed.some((name) => !signed.includes(name))) return 'a header is not signed'
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim()}`)
  const canonical = ['POST', url, '', ...lines, '', names, hash(body)].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', time, `${day}/${region}/${service}/aws4_request`, hash(canonical)].join(
    '\n',
  )
  let signingKey: Buffer = Buffer.from(`AWS4${ACCESS.secretKey}`)
  for (const part of [day!, region, service, 'aws4_request'])
    signingKey = createHmac('sha256', signingKey).update(part).digest()
  const right = createHmac('sha256', signingKey).update(toSign).digest('hex')
  return right === given ? null : 'the signature does not match'
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** A KMS gives s as it comes, in either half. */
function derOf(crypto: Crypto, digest: Buffer, key: Uint8Array, isHigh: boolean): Buffer {
  const { r, s } = crypto.sign(digest, key)
  const integer = (value: bigint) => {
    const digits = value.toString(16)
    const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
    const positive = bytes[0]! >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes
    return Buffer.concat([Buffer.from([2, positive.length]), positive])
  }
  const both = Buffer.concat([integer(BigInt(r)), integer(isHigh ? ORDER - BigInt(s) : BigInt(s))])
  return Buffer.concat([Buffer.from([0x30, both.length]), both])
}

/** The public key as Node writes it. */
function spkiOf(key: Uint8Array): Buffer {
  const curve = createECDH('secp256k1')
  curve.setPrivateKey(key)
  const point = curve.getPublicKey()
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const jwk = { kty: 'EC', crv: 'secp256k1', x: x!, y: y! }
  return createPublicKey({ format: 'jwk', key: jwk }).export({ type: 'spki', format: 'der' })
}
