import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 256, noDelay: true })

export interface Timed<T> {
  status: number
  body: T
  ms: number
}

/** One POST over a kept-alive connection, timed from the call to the last byte; every contestant uses it. */
export function post<T>(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Timed<T>> {
  const text = JSON.stringify(body)
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const ms = performance.now() - startedAt
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(Buffer.concat(chunks).toString()),
            ms,
          })
        })
      },
    )
    call.on('error', reject)
    call.end(text)
  })
}

let nextId = 0
export async function rpcTimed<T>(url: string, method: string, params: unknown[]): Promise<Timed<T>> {
  const answer = await post<{ result: T; error?: { message: string } }>(url, {
    jsonrpc: '2.0',
    id: ++nextId,
    method,
    params,
  })
  if (answer.body.error) throw new Error(`${method}: ${answer.body.error.message}`)
  return { ...answer, body: answer.body.result }
}

export const quantile = (values: readonly number[], q: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN
export const median = (values: readonly number[]): number => quantile(values, 0.5)

export function figure(what: string, ratio: number, most: number): void {
  console.log(`${what}: ${ratio.toFixed(2)}x (at most ${most}x wanted) ${ratio <= most ? 'met' : 'MISSED'}`)
}
