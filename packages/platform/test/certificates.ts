import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** Minimal X.509 certificates made at test time. */
export interface Issued {
  cert: string
  key: string
}
export interface Authority {
  cert: string
  /** A server certificate for these names or IPv4 addresses. */
  issue(names: readonly string[], days?: { from: number; to: number }): Issued
}

const DAY_MS = 86_400_000
const ECDSA_SHA256 = '1.2.840.10045.4.3.2'

/** One DER value: its tag, its length, its content. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content])
  const bytes = Buffer.from(length.toString(16).padStart(length > 255 ? 4 : 2, '0'), 'hex')
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes, content])
}
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts)
const bits = (bytes: Uint8Array) => der(0x03, Buffer.from([0]), bytes)
const TRUE = der(0x01, Buffer.from([0xff]))

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const base128 = (value: number): number[] => {
    const digits = [value & 127]
    for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 127) | 128)
    return digits
  }
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}
const nameOf = (common: string) =>
  sequence(der(0x31, sequence(oid('2.5.4.3'), der(0x0c, Buffer.from(common)))))
const timeOf = (ms: number) =>
  der(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`))
const extension = (id: string, value: Uint8Array, ...critical: Uint8Array[]) =>
  sequence(oid(id), ...critical, der(0x04, value))
const pem = (bytes: Buffer) =>
  [
    '-----BEGIN CERTIFICATE-----',
    ...(bytes.toString('base64').match(/.{1,64}/g) ?? []),
    '-----END CERTIFICATE-----',
  ].join('\n')

interface Draft {
  subject: string
  issuer: string
  publicKey: KeyObject
  signedBy: KeyObject
  from: number
  to: number
  extensions: Buffer[]
}

function certify({ subject, issuer, publicKey, signedBy, from, to, extensions }: Draft): string {
  const algorithm = sequence(oid(ECDSA_SHA256))
  // Positive, whatever its first byte.
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(15)])
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    algorithm,
    nameOf(issuer),
    sequence(timeOf(Date.now() + from * DAY_MS), timeOf(Date.now() + to * DAY_MS)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  )
  return pem(sequence(body, algorithm, bits(sign('sha256', body, signedBy))))
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const keyIdOf = (key: KeyObject) =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()

/** A certificate authority for one test. */
export function createAuthority(issuer = `Test CA ${randomBytes(4).toString('hex')}`): Authority {
  const root = newKeys()
  const rootId = keyIdOf(root.publicKey)
  const cert = certify({
    subject: issuer,
    issuer,
    publicKey: root.publicKey,
    signedBy: root.privateKey,
    from: -100,
    to: 100,
    extensions: [
      extension('2.5.29.19', sequence(TRUE), TRUE),
      extension('2.5.29.14', der(0x04, rootId)),
      // May sign certificates.
      extension('2.5.29.15', der(0x03, Buffer.from([2, 0x04])), TRUE),
    ],
  })
  return {
    cert,
    issue(names, days = { from: -1, to: 1 }) {
      const own = newKeys()
      const subjects = names.map((name) =>
        /^[0-9.]+$/.test(name)
          ? der(0x87, Buffer.from(name.split('.').map(Number)))
          : der(0x82, Buffer.from(name)),
      )
      const made = certify({
        subject: names[0] ?? 'nobody',
        issuer,
        publicKey: own.publicKey,
        signedBy: root.privateKey,
        ...days,
        extensions: [
          extension('2.5.29.17', sequence(...subjects)),
          extension('2.5.29.35', sequence(der(0x80, rootId))),
        ],
      })
      return { cert: made, key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string }
    },
  }
}
