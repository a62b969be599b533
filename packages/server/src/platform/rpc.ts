import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'

/** The node answered with a JSON-RPC error: `code` 3 carries revert data. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown
  constructor(method: string, code: number, message: string, data: unknown) {
    super(`${method}: ${message}`)
    this.code = code
    this.data = data
  }
}

/** No usable answer: refused, timed out, cut off, or not JSON-RPC. The call may or may not have had an effect. */
export class RpcUnreachable extends Error {}

export interface Rpc {
  request<T = unknown>(
    method: string,
    params?: readonly unknown[],
    options?: { timeoutMs?: number },
  ): Promise<T>
  close(): void
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** A JSON-RPC client over kept-alive HTTP connections; every call is bounded in time and size. */
export function createRpc({ url, timeoutMs = 5_000 }: { url: string; timeoutMs?: number }): Rpc {
  const target = new URL(url)
  const secure = target.protocol === 'https:'
  const agent = secure
    ? new HttpsAgent({ keepAlive: true, maxSockets: 64 })
    : new HttpAgent({ keepAlive: true, maxSockets: 64, noDelay: true })
  const send = secure ? httpsRequest : httpRequest
  let nextId = 0

  const post = (body: string, boundMs: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const outgoing = send(
        target,
        {
          agent,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        },
        (incoming) => {
          const chunks: Buffer[] = []
          let size = 0
          incoming.on('data', (chunk: Buffer) => {
            size += chunk.length
            if (size > MAX_ANSWER_BYTES) outgoing.destroy(new Error('answer too large'))
            else chunks.push(chunk)
          })
          incoming.on('end', () => {
            clearTimeout(timer)
            resolve(Buffer.concat(chunks).toString('utf8'))
          })
          incoming.on('error', failed)
        },
      )
      const failed = (error: Error) => {
        clearTimeout(timer)
        reject(error)
      }
      const timer = setTimeout(() => outgoing.destroy(new Error(`no answer in ${boundMs} ms`)), boundMs)
      outgoing.on('error', failed)
      outgoing.end(body)
    })

  return {
    async request<T>(method: string, params: readonly unknown[] = [], options: { timeoutMs?: number } = {}) {
      nextId += 1
      let answer: { result?: T; error?: { code?: number; message?: string; data?: unknown } }
      try {
        const body = JSON.stringify({ jsonrpc: '2.0', id: nextId, method, params })
        answer = JSON.parse(await post(body, options.timeoutMs ?? timeoutMs))
        if (typeof answer !== 'object' || answer === null) throw new Error('not a JSON-RPC answer')
      } catch (cause) {
        throw new RpcUnreachable(`${method}: ${(cause as Error).message}`, { cause })
      }
      if (answer.error) {
        const { code = -32_000, message = 'unknown error', data } = answer.error
        throw new RpcError(method, code, message, data)
      }
      if (!('result' in answer)) throw new RpcUnreachable(`${method}: answer without a result`)
      return answer.result as T
    },
    close: () => agent.destroy(),
  }
}
