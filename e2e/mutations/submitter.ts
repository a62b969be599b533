import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import type { DevnetProcess } from '../devnetProcess.ts'

export interface Reply {
  status: number
  code: string | null
  error: Record<string, unknown>
}

const AGAIN_MS = 500
const MAX_TRIES = 60

/** Submits over keep-alive connections: otherwise handshakes dominate a hundred thousand calls. */
export function createSubmitter(url: string, atOnce: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const target = new URL(`${url}/api/v1/live/submit`)
  const once = (key: string, body: object): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(body)
      const call = request(
        target,
        {
          agent,
          method: 'POST',
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
          },
        },
        (answer) => {
          let read = ''
          answer.setEncoding('utf8')
          answer.on('data', (chunk: string) => {
            read += chunk
          })
          answer.on('end', () => resolve(replyOf(answer.statusCode ?? 0, read)))
          answer.on('error', reject)
        },
      )
      call.on('error', reject)
      call.end(text)
    })
  return {
    /** An overloaded server refuses before it examines the request: the call is retried. */
    async submit(key: string, body: object): Promise<Reply> {
      for (let tries = 1; ; tries++) {
        const reply = await once(key, body)
        if (reply.code !== 'ENGINE_UNAVAILABLE' || tries === MAX_TRIES) return reply
        await sleep(AGAIN_MS)
      }
    },
    close: () => agent.destroy(),
  }
}

function replyOf(status: number, text: string): Reply {
  const { error } = JSON.parse(text) as { error?: Record<string, unknown> & { code: string } }
  return { status, code: error?.code ?? null, error: error ?? {} }
}

const ASKED_AT_ONCE = 500

/** The hashes that reached the sequencer, with their counts. */
export async function seenAmong({ url }: DevnetProcess, hashes: readonly Hex[]): Promise<Map<Hex, number>> {
  const seen = new Map<Hex, number>()
  for (let at = 0; at < hashes.length; at += ASKED_AT_ONCE) {
    const part = hashes.slice(at, at + ASKED_AT_ONCE)
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(
        part.map((hash, id) => ({ jsonrpc: '2.0', id, method: 'devnet_sequencerSeen', params: [hash] })),
      ),
    })
    for (const { id, result } of (await answer.json()) as { id: number; result: number }[]) {
      if (typeof result !== 'number') throw new Error(`devnet_sequencerSeen answered ${result}`)
      if (result > 0) seen.set(part[id]!, result)
    }
  }
  return seen
}
