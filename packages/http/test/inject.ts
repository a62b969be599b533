import { request } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Injected {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  bytes: Buffer
  /** The body parsed as JSON. */
  json<T = unknown>(): T
}

export type Inject = (call: {
  method?: string
  url: string
  headers?: Record<string, string>
  /** Sent unchanged; an object is sent as JSON. */
  body?: string | Buffer | object
}) => Promise<Injected>

/** One request over a new connection. */
export function createInject(addressOf: () => Promise<AddressInfo>): Inject {
  return async ({ method = 'GET', url, headers = {}, body }) => {
    const { port } = await addressOf()
    const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
    const bytes = isRaw ? body : JSON.stringify(body)
    const all: Record<string, string | number> = { host: 'localhost', ...headers }
    if (bytes !== undefined) {
      all['content-length'] ??= Buffer.byteLength(bytes)
      all['content-type'] ??= 'application/json'
    }
    return new Promise((resolve, reject) => {
      const req = request(
        { host: '127.0.0.1', port, method, path: url, headers: all, agent: false },
        (res) => {
          const chunks: Buffer[] = []
          res.on('data', (chunk: Buffer) => chunks.push(chunk))
          res.on('error', reject)
          res.on('end', () => {
            const bytes = Buffer.concat(chunks)
            const text = bytes.toString('utf8')
            const { statusCode: status = 0, headers } = res
            resolve({ status, headers, text, bytes, json: () => JSON.parse(text) })
          })
        },
      )
      req.on('error', reject)
      req.end(bytes)
    })
  }
}
