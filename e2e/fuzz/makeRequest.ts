import { type AnyRoute, ROUTE_IDS, type RouteId, routeById } from '@pit/protocol'
import { junk, type Schema, spoil, valueFor } from './makeValue.ts'
import type { Random } from './random.ts'

export interface FuzzRequest {
  bytes: Buffer
  route: AnyRoute
  /** Request line and head are intact, so the answer is this route's. */
  sound: boolean
  /** The client closes its half after the bytes. */
  halfClose: boolean
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE']

export function makeRequest(random: Random, key: string): FuzzRequest {
  const baseRoute = routeById(random.pick(ROUTE_IDS as RouteId[]))
  const method = random.chance(0.96) ? baseRoute.method : random.pick(METHODS)
  const { path, isBent } = pathFor(random, baseRoute)
  const route = routeAt(path, baseRoute)
  const target = path + queryFor(random, route)
  const headers = headersFor(random, key)
  const body = method === 'POST' || random.chance(0.02) ? bodyFor(random, route.body) : null
  let sent = body
  let halfClose = false
  if (body !== null) {
    if (random.chance(0.95))
      headers.push(`Content-Type: ${random.chance(0.96) ? 'application/json' : random.pick(TYPES)}`)
    if (random.chance(0.02)) {
      headers.push('Transfer-Encoding: chunked')
      sent = Buffer.concat([
        Buffer.from(`${body.length.toString(16)}\r\n`),
        body,
        Buffer.from('\r\n0\r\n\r\n'),
      ])
    } else if (random.chance(0.97)) {
      headers.push(`Content-Length: ${body.length}`)
      if (body.length > 0 && random.chance(0.02)) {
        sent = body.subarray(0, random.below(body.length))
        halfClose = true
      }
    } else sent = null
  }
  const head = Buffer.from(
    `${method} ${target} HTTP/1.1\r\n${headers.join('\r\n')}\r\nConnection: close\r\n\r\n`,
  )
  const bytes = sent === null ? head : Buffer.concat([head, sent])
  if (random.chance(0.96)) return { bytes, route, sound: method === route.method && !isBent, halfClose }
  return { bytes: breakHead(random, bytes, head.length), route, sound: false, halfClose: true }
}

const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=latin1',
  'multipart/form-data',
  'x',
]

/** A changed path may match another route: tokens/stats with a space is tokens/<address>. */
function pathFor(random: Random, route: AnyRoute): { path: string; isBent: boolean } {
  const filledPath = route.path.replace(/:(\w+)/g, () =>
    random.pick([
      () => `0x${'ab'.repeat(20)}`,
      () => 'ETH',
      () => String(random.below(100)),
      () => encodeURIComponent(JSON.stringify(junk(random)).slice(0, 300)),
      () => random.pick(['%00', '%2e%2e', 'a%2Fb', '%c3%28', '%', '%zz', 'ai', '..', "'", '%F0%9F%A6%8A']),
    ])(),
  )
  if (random.chance(0.97)) return { path: filledPath, isBent: false }
  const path = random.pick([
    `${filledPath}/`,
    `/${filledPath}`,
    filledPath.toUpperCase(),
    `${filledPath}/x`,
    `${filledPath}%20`,
    filledPath.slice(0, -1),
  ])
  return { path, isBent: true }
}

/** A value may be another route's word: hosted/<id> with `ai` is hosted/ai, and answers as such. */
function routeAt(path: string, baseRoute: AnyRoute): AnyRoute {
  const named = ROUTE_IDS.map(routeById).find(
    (route) => route.path === path && route.method === baseRoute.method,
  )
  return named ?? baseRoute
}

function queryFor(random: Random, route: AnyRoute): string {
  if (random.chance(0.6)) return ''
  const names = Object.keys((route.query['properties'] ?? {}) as object)
  const pairs = Array.from({ length: 1 + random.below(3) }, () => {
    const name =
      names.length > 0 && random.chance(0.8)
        ? random.pick(names)
        : random.pick(['x', '__proto__', 'limit', '%zz', ''])
    const value = random.pick([
      '1',
      '50',
      '0',
      '-1',
      '1e9',
      '0x1',
      'true',
      'prize',
      '%',
      '%00',
      'a+b',
      'x'.repeat(100),
      '[]',
      '%F0%9F%A6%8A',
    ])
    return random.chance(0.9) ? `${name}=${value}` : name
  })
  return `?${pairs.join(random.pick(['&', '&', ';', '&&']))}`
}

function headersFor(random: Random, key: string): string[] {
  const headers = [
    'Host: ' +
      `${random.chance(0.98) ? 'localhost' : random.pick(['evil.example', '', 'localhost:x', 'a b', '[::1'])}`,
  ]
  if (random.chance(0.9)) {
    const wrong = ['Bearer x', `Bearer pit_w_${'B'.repeat(43)}`, 'Basic eDp5', '', `Bearer ${key}x`]
    headers.push(`Authorization: ${random.chance(0.92) ? `Bearer ${key}` : random.pick(wrong)}`)
  }
  const strange = [
    'Origin: https://evil.example',
    'Origin: null',
    'Cookie: a=b',
    'Cookie: a=b\r\nX-Pit-Client: web',
    'CF-IPCountry: KP',
    'CF-IPCountry: UA\r\nCF-Region-Code: 43',
    'Expect: 100-continue',
    'Expect: the-unexpected',
    'Content-Encoding: gzip',
    'Upgrade: websocket\r\nConnection: upgrade',
    'X-Request-Id: <b>bold</b>',
    'X-Forwarded-For: ' +
      `${random.pick(['nonsense', '1.2.3.4, 5.6.7.8', '2001:db8::1', ',,,', '1.2.3.4:99', '::ffff:1.2.3.4'])}`,
    `X-Long: ${'y'.repeat(random.below(8_000))}`,
    Array.from({ length: random.below(400) }, (_, i) => `H${i}: ${i}`).join('\r\n') || 'H: 1',
    'Range: bytes=0-1',
    'Accept: image/png',
  ]
  if (random.chance(0.15)) headers.push(random.pick(strange))
  return headers
}

/** JSON for the route, sometimes spoiled as a value, as text or as bytes. */
function bodyFor(random: Random, schema: Schema): Buffer {
  let value = valueFor(random, schema)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) value = {}
  if (random.chance(0.5)) value = spoil(random, value as Record<string, unknown>)
  const text = JSON.stringify(value)
  if (random.chance(0.6)) return Buffer.from(text)
  return random.pick([
    () => Buffer.from(text.slice(0, random.below(text.length))),
    () => Buffer.from(text.replace('{', '{"dup":1,"dup":2,')),
    () => Buffer.from(text.replace('{', `{"__proto__":${JSON.stringify(junk(random))},`).replace(',}', '}')),
    () =>
      Buffer.from(
        text.replace(
          /\d+/,
          random.pick(['1e999', '-1e999', '9007199254740993', 'NaN', '01', '0x10', '1.', '+1']),
        ),
      ),
    () => Buffer.from(`${random.pick(['\ufeff', ' ', '\u0000', '//x\n', '[', '"'])}${text}`),
    () => Buffer.from(`${text}${random.pick([' ', '\n', '}', '{}', '\u0000', ',x'])}`),
    () => Buffer.from(JSON.stringify(junk(random)) ?? ''),
    () => Buffer.from(text.replace('{', `{"pad":"${'z'.repeat(65_536 - text.length + random.below(60))}",`)),
    () => Buffer.concat([Buffer.from(text.slice(0, -1)), random.bytes(random.below(20)), Buffer.from('}')]),
    () => random.bytes(random.below(300)),
    () => Buffer.alloc(0),
    () => Buffer.from(`{"a":${'['.repeat(random.below(20_000))}`),
  ])()
}

/** Faults at parser level: bytes of the head changed, cut, doubled or multiplied. */
function breakHead(random: Random, bytes: Buffer, headLength: number): Buffer {
  const at = random.below(headLength)
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
  return random.pick([
    () => Buffer.concat([before, random.bytes(1 + random.below(4)), after]),
    () => before,
    () => Buffer.concat([before, after.subarray(1 + random.below(4))]),
    () =>
      Buffer.concat([
        before,
        Buffer.from(random.pick(['\r\n', '\n', '\r', '\0', ' ', ':', '\r\n\r\n'])),
        after,
      ]),
    () => Buffer.from(bytes.toString('latin1').replace('\r\n', `\r\n${'A: b\r\n'.repeat(10_000)}`), 'latin1'),
    () =>
      Buffer.from(
        bytes.toString('latin1').replace(' /', ` /${'a'.repeat(4_000 + random.below(20_000))}`),
        'latin1',
      ),
    () =>
      Buffer.from(
        bytes.toString('latin1').replace('\r\n', '\r\nContent-Length: 3\r\nContent-Length: 4\r\n'),
        'latin1',
      ),
    () =>
      Buffer.from(
        bytes
          .toString('latin1')
          .replace('HTTP/1.1', random.pick(['HTTP/1.0', 'HTTP/2', 'HTTP/9.9', 'ICAP/1.0', ''])),
        'latin1',
      ),
    () => random.bytes(1 + random.below(200)),
  ])()
}
