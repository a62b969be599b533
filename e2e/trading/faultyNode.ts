import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RpcMessage {
  id: unknown
  method: string
  params: unknown[]
}
/** How a node misbehaves. */
export interface Fault {
  /** Methods to hit, default all. A connection fault hits a batch with one of them as a whole. */
  on?: (message: RpcMessage) => boolean
  /**
   * hang: accepts and never answers. drop: cuts the connection. html: a gateway's error page. error: a
   * JSON-RPC error.
   */
  way?: 'hang' | 'drop' | 'html' | 'error'
  /** A result that differs from the chain's. */
  lie?: (result: unknown, message: RpcMessage) => unknown
}

export interface FaultyNode {
  url: string
  /** Replaces the fault; null: honest again. Hanging calls keep hanging. */
  set(fault: Fault | null): void
  close(): Promise<void>
}

interface Answer {
  id: unknown
  result?: unknown
}

/** A proxy in front of a node, honest until a fault is set. */
export async function startFaultyNode(behind: string): Promise<FaultyNode> {
  let fault: Fault | null = null

  /** True if the call is finished. */
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
    // Examining a node also opens a WebSocket, with a GET without a body: this one has none.
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
