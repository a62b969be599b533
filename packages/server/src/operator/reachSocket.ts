import { type ExchangeFailed, exchangeOrThrow } from '@pit/platform/http'
import { refuseForeign } from './socketPath.ts'
import { type Operator, OperatorRefused } from './types.ts'

/** Closing a week may take a while. */
const TIMEOUT_MS = 180_000
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** No server runs on that data directory. */
export class NobodyThere extends Error {}

/** Operator interface of a running server. */
export const reachSocket = (path: string): Operator => ({
  async act(request) {
    refuseForeign(path)
    const text = await post(path, JSON.stringify(request))
    const answer = JSON.parse(text) as { ok: boolean; result?: unknown; refused?: boolean; message?: string }
    if (answer.ok) return answer.result
    if (answer.refused) throw new OperatorRefused(answer.message)
    throw new Error(`the server failed: ${answer.message}`)
  },
})

async function post(socketPath: string, body: string): Promise<string> {
  try {
    const { text } = await exchangeOrThrow({
      method: 'POST',
      url: new URL('http://localhost/'),
      socketPath,
      headers: { 'content-type': 'application/json' },
      body,
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    })
    return text
  } catch (error) {
    const { code } = error as ExchangeFailed
    if (code !== 'ENOENT' && code !== 'ECONNREFUSED') throw error
    throw new NobodyThere(`no server listens at ${socketPath}`)
  }
}
