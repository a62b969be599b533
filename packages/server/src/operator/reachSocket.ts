import { request } from 'node:http'
import { refuseForeign } from './socketPath.ts'
import { type Operator, OperatorRefused } from './types.ts'

/** A week may take a while to close. */
const BOUND_MS = 180_000
const MOST_ANSWER_BYTES = 16 * 1024 * 1024

/** Nobody listens there: no server runs on that data directory. */
export class NobodyThere extends Error {}

/** The operator's face of a running server. */
export const reachSocket = (path: string): Operator => ({
  async act(ask) {
    refuseForeign(path)
    const text = await post(path, JSON.stringify(ask))
    const answer = JSON.parse(text) as { ok: boolean; result?: unknown; refused?: boolean; message?: string }
    if (answer.ok) return answer.result
    if (answer.refused) throw new OperatorRefused(answer.message)
    throw new Error(`the server failed: ${answer.message}`)
  },
})

function post(socketPath: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        socketPath,
        method: 'POST',
        path: '/',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (incoming) => {
        const chunks: Buffer[] = []
        let size = 0
        incoming.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > MOST_ANSWER_BYTES) outgoing.destroy(new Error('the answer is too long'))
          else chunks.push(chunk)
        })
        incoming.on('end', () => {
          clearTimeout(timer)
          resolve(Buffer.concat(chunks).toString('utf8'))
        })
        incoming.on('error', failed)
      },
    )
    const failed = (error: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      const absent = error.code === 'ENOENT' || error.code === 'ECONNREFUSED'
      reject(absent ? new NobodyThere(`no server listens at ${socketPath}`) : error)
    }
    const timer = setTimeout(() => outgoing.destroy(new Error('the server did not answer in time')), BOUND_MS)
    outgoing.on('error', failed)
    outgoing.end(body)
  })
}
