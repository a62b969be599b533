import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A malformed vendor response, made from a valid one. */
export interface Malformation {
  name: string
  answer(response: ServerResponse, request: IncomingMessage): void
}

export type FieldPath = readonly (string | number)[]

const ANOTHER_ADDRESS = `0x${'12'.repeat(20)}`
const DEPTH = 20_000

/** Replacements for a field. JSON `null` means missing in some languages. */
const IN_PLACE: Record<string, unknown> = {
  'is missing': undefined,
  'is null': null,
  'is a list': [],
  'is an object': {},
  'is empty text': '',
  'is other text': 'none of it',
  'is a fraction': 1.5,
  'is negative': '-1',
  'is a negative number': -7,
  'is huge': '9'.repeat(78),
  'is beyond any number': 1e308,
  'is hex': '0xff',
  'is a yes': 'true',
  'is another address': ANOTHER_ADDRESS,
  'is an endless text': 'x'.repeat(50_000),
  'is its own prototype': JSON.parse('{"__proto__":{"polluted":true}}'),
}

const text = (status: number, body: string, headers: Record<string, string> = {}) =>
  ((response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(body)
  }) satisfies Malformation['answer']

/** Faults of the connection and of the whole response. */
const wholes = (good: string): Record<string, Malformation['answer']> => ({
  'is a page': text(200, '<!doctype html><html><body>It works!</body></html>'),
  'is a bot challenge': text(403, '<html><title>Just a moment...</title></html>', {
    'content-type': 'text/html',
  }),
  'is nothing': text(200, ''),
  'is empty with 204': text(204, ''),
  'is cut off': text(200, good.slice(0, Math.floor(good.length * 0.7))),
  'comes twice': text(200, `${good}${good}`),
  'is null': text(200, 'null'),
  'is a list of itself': text(200, `[${good}]`),
  'is a number': text(200, '42'),
  'is text': text(200, JSON.stringify(good)),
  'is nested without end': text(200, `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`),
  'is nested objects': text(200, `${'{"data":'.repeat(DEPTH / 4)}1${'}'.repeat(DEPTH / 4)}`),
  'is refused with 400': text(400, '{"error":"Bad Request"}'),
  'is refused with 401': text(401, '{"error":"Unauthorized"}'),
  'is not found': text(404, '{"error":"Not Found"}'),
  'is refused with 422': text(422, '{"error":"Unprocessable"}'),
  'is rate limited': text(429, '{"error":"Too Many Requests"}', { 'retry-after': '7' }),
  'is rate limited until a date': text(429, '', { 'retry-after': 'Wed, 21 Oct 2099 07:28:00 GMT' }),
  'is rate limited for nonsense': text(429, good, { 'retry-after': 'soon' }),
  'is an error 500 with a right body': text(500, good),
  'is a bad gateway': text(502, '<html>502 Bad Gateway</html>'),
  'is unavailable': text(503, '{"error":"try later"}', { 'retry-after': '120' }),
  'is a redirect': text(302, good, { location: 'http://127.0.0.1:9/' }),
  'is moved permanently': text(301, '', { location: 'https://elsewhere.example/' }),
  'is compressed': text(200, good, { 'content-encoding': 'gzip' }),
  'is too large': text(200, `{"padding":"${'x'.repeat(2_000_000)}"}`),
  'is dropped': (_, request) => void request.socket.destroy(),
  'never comes': () => {},
  'comes drop by drop': (response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write(' '), 5)
    response.once('close', () => clearInterval(timer))
  },
  'breaks off': (response) => {
    response.writeHead(200, { 'content-length': String(good.length + 10) })
    response.write(good, () => response.destroy())
  },
})

/** Every malformation of a response whose fields at these paths each matter. */
export function malformationsOf(good: unknown, paths: readonly FieldPath[]): Malformation[] {
  const whole = Object.entries(wholes(JSON.stringify(good))).map(([name, answer]) => ({ name, answer }))
  const fields = paths.flatMap((path) =>
    Object.entries(IN_PLACE).map(([how, value]) => ({
      name: `${path.join('.')} ${how}`,
      answer: text(200, JSON.stringify(withField(good, path, value))),
    })),
  )
  return [...whole, ...fields]
}

/** A copy with one field replaced, or removed if the value is undefined. */
export function withField(good: unknown, path: FieldPath, value: unknown): unknown {
  const copy = structuredClone(good)
  let at = copy as Record<string | number, unknown>
  for (const step of path.slice(0, -1)) at = at[step] as typeof at
  const last = path[path.length - 1] as string | number
  if (!(last in at)) throw new Error(`the valid response has no ${path.join('.')}`)
  if (value === undefined) delete at[last]
  else at[last] = value
  return copy
}

/** A server with a scripted response. */
export async function startAnswering() {
  let answer: Malformation['answer'] = text(200, '{}')
  const asked: { url: string; method: string; headers: IncomingMessage['headers']; body: string }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { url = '', method = '', headers } = request
      asked.push({ url, method, headers, body: Buffer.concat(chunks).toString() })
      answer(response, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    willAnswer(how: Malformation['answer'] | object) {
      answer = typeof how === 'function' ? (how as Malformation['answer']) : text(200, JSON.stringify(how))
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
