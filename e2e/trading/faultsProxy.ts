import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RpcMessage {
  id: unknown
  method: string
  params: unknown[]
}
/** How a node misbehaves. */
export interface Fault {
  /** Which calls; all unless told. A batch with one of them is hit as a whole by what hits the connection. */
  on?: (message: RpcMessage) => boolean
  /**
   * hang: takes it and never answers. drop: cuts the connection. html: a gateway's error page. error: a
   * JSON-RPC error.
   */
  way?: 'hang' | 'drop' | 'html' | 'error'
  /** Another result than the chain's. */
  lie?: (result: unknown, message: RpcMessage) => unknown
}

export interface FaultyNode {
  url: string
  /** From now on; null: an honest node again. Calls that hang go on hanging. */
  set(fault: Fault | null): void
  close(): Promise<void>
}

interface Answer {
  id: unknown
  result?: unknown
}

/** A node that is another one's front, and honest until told otherwise. */
export async function startFaultyNode(behind: string): Promise<FaultyNode> {
  let fault: Fault | null = null

  /** True when nothing more is to be said. */
  function strike(res: ServerResponse, messages: readonly RpcMessage[], isBatch: boolean): boolean {
    if (!fault?.way || !messages.some(fault.on ?? (() => true))) return false
    if (fault.way === 'drop') res.destroy()
    if (fault.way === 'html') res.writeHead(502).end('<html><h1>502 Bad Gateway</h1></html>')
    if (fault.way === 'error') {
      const error = { code: -32_000, message: 'the node is tired' }
      const answers = messages.map(({ id }) => ({ jsonrpc: '2.0', id, error }))
      res.end(JSON.stringify(isBatch ? answers : answers[0]))
    }
    return true
  }

  const server = createServer(async (req, res) => {
    // Whoever examines a node asks for a WebSocket too, with a GET and no body: this one has none.
    if (req.method !== 'POST') return void res.writeHead(405).end()
    try {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString()
      const parsed = JSON.parse(body) as RpcMessage | RpcMessage[]
      const messages = Array.isArray(parsed) ? parsed : [parsed]
      if (strike(res, messages, Array.isArray(parsed))) return
      const lie = fault?.lie
      const isHit = fault?.on ?? (() => true)
      const headers = { 'content-type': 'application/json' }
      const text = await (await fetch(behind, { method: 'POST', headers, body })).text()
      if (!lie) return void res.end(text)
      const twist = (answer: Answer): Answer => {
        const message = messages.find(({ id }) => id === answer.id)
        if (!message || !('result' in answer) || !isHit(message)) return answer
        return { ...answer, result: lie(answer.result, message) }
      }
      const honest = JSON.parse(text) as Answer | Answer[]
      res.end(JSON.stringify(Array.isArray(honest) ? honest.map(twist) : twist(honest)))
    } catch {
      res.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set(next) {
      fault = next
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
