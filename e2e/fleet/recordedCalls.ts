import { connect as connectHttp2 } from 'node:http2'
import { Agent, request } from 'node:https'
import type { Answered, Call } from '../trading/trader.ts'

/** One request from its client's view. */
export interface Outcome {
  kind: string
  startedMs: number
  endedMs: number
  /** Null: the connection was closed without an answer. */
  status: number | null
  code: string | null
}

export class Closed extends Error {}

/** Every request of every client, without retries, so that each failure is visible. */
export interface Record {
  outcomes: Outcome[]
  /** Calls of one client over HTTP/1.1 with keep-alive connections. */
  client(url: string, ca: string): Call & { close(): void }
  /** The same over one HTTP/2 connection. */
  client2(url: string, ca: string): Call & { close(): void }
}

const PATIENCE_MS = 70_000

export function createRecord(): Record {
  const outcomes: Outcome[] = []
  const recorded =
    (send: Send): Call =>
    async <T>(method: 'GET' | 'POST', path: string, key: string | null, body?: object) => {
      const startedMs = Date.now()
      const headers = {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body && { 'content-type': 'application/json' }),
      }
      const text = body && JSON.stringify(body)
      const answer = await send({
        method,
        path: `/api/v1/${path}`,
        headers,
        ...(text && { body: text }),
      }).catch((error: Error) => error)
      const kind = `${method} ${path.replace(/\?.*/, '')}`
      const endedMs = Date.now()
      if (answer instanceof Error) {
        outcomes.push({ kind, startedMs, endedMs, status: null, code: answer.message })
        throw new Closed(`${kind}: ${answer.message}`)
      }
      const read = JSON.parse(answer.text) as Answered<T>['body']
      outcomes.push({ kind, startedMs, endedMs, status: answer.status, code: read.error?.code ?? null })
      return { status: answer.status, body: read }
    }
  return {
    outcomes,
    client(url, ca) {
      const agent = new Agent({ keepAlive: true, ca, maxSockets: 4 })
      return Object.assign(recorded(overHttp1(url, agent)), { close: () => agent.destroy() })
    },
    client2(url, ca) {
      const way = overHttp2(url, ca)
      return Object.assign(recorded(way.send), { close: way.close })
    },
  }
}

interface Sent {
  method: string
  path: string
  headers: { [name: string]: string }
  body?: string
}
type Send = (sent: Sent) => Promise<{ status: number; text: string }>

const overHttp1 =
  (url: string, agent: Agent): Send =>
  ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const options = { method, agent, headers: { ...headers, ...length }, timeout: PATIENCE_MS }
      const outgoing = request(new URL(path, url), options, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        answer.on('end', () => resolve({ status: answer.statusCode!, text }))
        answer.on('error', reject)
      })
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')))
      outgoing.on('error', reject)
      outgoing.end(body)
    })

/** One connection until the proxy closes it to new requests (GOAWAY); then the next one. */
function overHttp2(url: string, ca: string): { send: Send; close(): void } {
  const open = () => {
    const session = connectHttp2(url, { ca })
    session.on('error', () => {})
    return session
  }
  let session = open()
  const send: Send = ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      if (session.closed || session.destroyed) session = open()
      const stream = session.request({ ':method': method, ':path': path, ...headers })
      let status = 0
      let text = ''
      stream.setEncoding('utf8')
      stream.on('response', (answer) => {
        status = answer[':status'] ?? 0
      })
      stream.on('data', (part: string) => {
        text += part
      })
      stream.on('end', () => (status === 0 ? reject(new Error('closed')) : resolve({ status, text })))
      stream.on('error', reject)
      stream.setTimeout(PATIENCE_MS, () => stream.destroy(new Error('no answer')))
      stream.end(body)
    })
  return { send, close: () => session.destroy() }
}
