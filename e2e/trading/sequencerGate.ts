import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { Hex } from '@pit/chain'
import { keccak256 } from 'viem'

/** How the gate treats bytes. */
export interface Watch {
  /** Called when bytes leave the service. False: they are not passed on, and there is no answer. */
  arrived?(count: number): boolean | Promise<boolean>
  /** Called when the sequencer has answered. False: the service does not get the answer. */
  answered?(count: number): boolean | Promise<boolean>
}

/** A proxy between the service and the sequencer that reports exactly how far a transaction has come. */
export interface Gate {
  url: string
  watch(next: Watch): void
  /** How often these bytes left the service, passed on or not. */
  left(hash: Hex): number
  close(): Promise<void>
}

/**
 * On a new connection: the other side may be closing a kept one, and the bytes would be lost uncounted
 * between the gate and the sequencer.
 */
function post(url: string, text: string, signal: AbortSignal): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    const sent = request(url, { method: 'POST', agent: false, headers, signal }, async (answer) => {
      let body = ''
      try {
        for await (const chunk of answer.setEncoding('utf8')) body += chunk
        resolve({ status: answer.statusCode!, body })
      } catch (error) {
        reject(error)
      }
    })
    sent.on('error', reject).end(text)
  })
}

export async function openGate(sequencerUrl: string): Promise<Gate> {
  let watch: Watch = {}
  let arrivals = 0
  const counts = new Map<Hex, number>()
  const pending = new Set<AbortController>()

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk
    const { method, params } = JSON.parse(text) as { method: string; params: [Hex] }
    const { arrived, answered } = watch
    let count = 0
    if (method === 'eth_sendRawTransaction') {
      count = ++arrivals
      const hash = keccak256(params[0])
      counts.set(hash, (counts.get(hash) ?? 0) + 1)
      if (arrived && !(await arrived(count))) return void response.destroy()
    }
    const stop = new AbortController()
    pending.add(stop)
    const answer = await post(sequencerUrl, text, stop.signal).finally(() => pending.delete(stop))
    if (count > 0 && answered && !(await answered(count))) return void response.destroy()
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  }

  const server = createServer((incoming, response) => {
    // A killed process does not wait for an answer, and a lossy sequencer gives none.
    pass(incoming, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    watch(next) {
      watch = next
      arrivals = 0
    },
    left: (hash) => counts.get(hash) ?? 0,
    async close() {
      for (const stop of pending) stop.abort()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
